/**
 * Goal: a snapshot spends no line on what cannot be clicked or seen, and no word that its reader
 * knows already. Method: a fixture page in real Chromium, without and with a display.
 */
import t from 'tap'
import { openPageReaders, withoutRefs } from '../../helpers/pages/page-readers.ts'

for (const { mode, open, evaluate, snapshot } of await openPageReaders(t)) {
  const things = async () =>
    withoutRefs((await snapshot()).replaceAll(/ (?=e\d+ )/g, '\n')).filter(Boolean)

  t.test(
    `${mode}: containers have a line if something of theirs is beside their parts`,
    async (t) => {
      await open('concise')
      const all = await things()
      t.same(all.slice(0, 13), [
        '# Concise',
        'clickable "Ada"',
        'clickable "Grace"',
        'clickable #tools',
        'button "Edit"',
        'button "Copy"',
        'clickable #told',
        'Open',
        'button "Star"',
        'button "Bin"',
        'clickable #track',
        'clickable .thumb.ui-corner-all',
        'textbox #text',
      ])
      await evaluate(`document.querySelector('#list').append('More')`)
      t.ok((await things()).includes('clickable #list'), 'now it has text of its own')
    },
  )

  t.test(`${mode}: drawings behind others, and marks too small to see, are left out`, async (t) => {
    await open('concise')
    const text = (await things()).join('\n')
    t.notMatch(text, /#behind|#through|#tiny/)
    t.match(text, /^canvas #over$/m)
    t.match(text, /^canvas "Sales"$/m)
    t.match(text, /^clickable #large circle red 20×20/m)
    t.match(text, /^clickable #rule line blue 60×/m)
    await evaluate(`document.querySelector('#behind').onmousedown = () => undefined`)
    t.match((await things()).join('\n'), /canvas #behind covered by/, 'something listens to it')
  })

  t.test(`${mode}: a handle without a name tells its direction`, async (t) => {
    await open('concise')
    const all = await things()
    t.ok(all.includes('element ew-resize'), all.join('\n'))
    t.ok(all.includes('element ns-resize'))
    t.ok(all.includes('element #corner on resize'))
  })

  t.test(
    `${mode}: fields tell their label or their position, tabs only what is selected`,
    async (t) => {
      await open('concise')
      const all = await things()
      t.ok(all.includes('textbox "Login"'), 'the label that is connected with it')
      t.ok(all.includes('textbox #other'), 'a label of another field is not its label')
      const boxes = all.filter((one) => one.startsWith('checkbox'))
      t.match(boxes, [/^checkbox at \d+,\d+$/, /^checkbox at \d+,\d+ checked$/])
      t.ok(all.includes('tab "One" selected'))
      t.ok(all.includes('tab "Two"'))
      t.ok(all.includes('tab "Three" collapsed'))
      await evaluate(`document.querySelector('[for]').removeAttribute('for')`)
      t.ok((await things()).includes('textbox "Username"'), 'the label beside it')
    },
  )
}
