/**
 * Goal: what runs in pages works whatever a page allows, and whatever its elements are called, and
 * leaves nothing that the page could find. Method: a page without any permission, whose ids and
 * names are words of ours and members of the DOM, is read and acted on in real Chromium.
 */
import t from 'tap'
import { openPageReaders, withoutRefs } from '../../helpers/pages/page-readers.ts'

const globalNames = 'Object.getOwnPropertyNames(globalThis).sort().join()'

for (const { mode, run, open, evaluate, snapshot, find, extract } of await openPageReaders(t)) {
  t.test(`${mode}: a strict page is read and acted on, and finds nothing of ours`, async (t) => {
    await open('strict')
    const before = await evaluate(globalNames)
    await run('type', { target: 'textbox "Name"', text: 'Ada' })
    t.same(withoutRefs(await snapshot()), [
      '# Strict',
      'textbox "Name" focused: Ada',
      'checkbox "Agree"',
      'combobox "Plan": Small (Small, Large)',
    ])
    await run('click', { target: 'checkbox "Agree"' })
    await run('select_option', { target: '#troupeKeys', values: ['Large'] })
    await run('press', { key: 'Tab' })
    t.match(await find('Agree'), /^e\d+ checkbox "Agree" checked$/m)
    t.match(await extract('markdown'), '# Strict')
    await run('hover', { target: 'text "Agree"' })
    await run('wait_for', { text: 'Agree' })
    t.equal(await evaluate('troupeKeys.value'), 'Large')
    t.equal(await evaluate(globalNames), before)
  })
}
