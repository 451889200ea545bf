/**
 * Goal: editors with a document of their own have what was typed: short, long, in lines, added, emptied.
 * Method: a page with editors that take text as Slate, CodeMirror 6 and Draft.js do, each in its way.
 */
import t from 'tap'
import { openFixtures } from '../../helpers/browser/page-session.ts'

const { open, run, see } = await openFixtures(t)

const long =
  'A sentence that is longer than what is typed key by key, and so it is inserted at once. '
const cases = [
  { name: 'short', text: 'Hallo' },
  { name: 'long', text: long.repeat(2).trim() },
  { name: 'lines', text: 'one\ntwo\nthree' },
  { name: 'added', text: ' after', append: true },
  { name: 'lines added', text: '-\nmore', append: true },
  { name: 'emptied', text: '' },
]

for (const id of ['plain', 'model', 'late', 'deaf']) {
  t.test(id, async (t) => {
    for (const { name, text, append = false } of cases) {
      await open('editors')
      const answer = await run('type', { target: `#${id}`, text, append })
      const wanted = append ? `before${text}` : text
      t.equal(await see(`textOf('${id}')`), wanted, name)
      t.notMatch(JSON.stringify(answer), /The value of/)
    }
  })
}

t.test('what an editor does not take is told', async (t) => {
  await open('editors')
  await see(`void model.addEventListener('beforeinput', (event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }, true)`)
  await see(`void model.addEventListener('paste', (event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }, true)`)
  const answer = await run('type', { target: '#model', text: 'Hallo' })
  t.match(JSON.stringify(answer), /The value of #model is still/)
})
