/**
 * Goal: one line for one thing, fields with the labels that stand beside them, and the text that
 * style sheets generate. Method: a fixture page in real Chromium, without and with a display.
 */
import t from 'tap'
import { openPageReaders, withoutRefs } from '../../helpers/pages/page-readers.ts'

for (const { mode, run, open, evaluate, snapshot, find, extract } of await openPageReaders(t)) {
  t.test(`${mode}: one line for one thing`, async (t) => {
    await open('noise')
    t.same(withoutRefs(await snapshot()), [
      '# Noise',
      'tab "Home"',
      'tab "Profile" tab "Mail×" clickable "Mail" clickable "×"',
      'tab "Wide" clickable "Wide"',
      'tab "News"',
      'textbox "Street"',
      'textbox "Postcode"',
      'City *',
      'textbox "Where you live"',
      'checkbox "Send me news"',
      'This sentence only happens to stand before a field.',
      'textbox #alone',
      'Only five dollars',
      'It weighs 3 kg',
      'button "Only two dollars"',
      'An icon',
      'button "Under" covered by eN button "Beside"',
      'clickable "Cover"',
      'checkbox "Dark mode"',
    ])
  })

  t.test(`${mode}: a field is found by the label beside it`, async (t) => {
    await open('noise')
    await run('type', { target: 'textbox "Street"', text: 'Main Street' })
    t.equal(await evaluate('street.value'), 'Main Street')
    t.match(await find('Postcode'), /^e\d+ textbox "Postcode"$/m)
  })

  t.test(`${mode}: generated text is read, also of rules that come later`, async (t) => {
    await open('noise')
    t.match(await find('3 kg'), 'It weighs 3 kg')
    t.match(await extract('markdown'), 'It weighs **3 kg**')
    t.notMatch(await snapshot(), /Unseen|\uE001/)
    await evaluate(`document.styleSheets[0].insertRule('#wide::after { content: " tab" }')`)
    t.match(await snapshot(), 'tab "Wide tab"')
  })
}
