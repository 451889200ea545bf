/**
 * Goal: a snapshot and an extracted text show white space and lines as the page does, and neither
 * text nor names contain what nobody can read. Method: fixture pages in real Chromium, without and
 * with a display.
 */
import t from 'tap'
import { openPageReaders, withoutRefs } from '../../helpers/pages/page-readers.ts'

for (const { mode, open, snapshot, extract, find } of await openPageReaders(t)) {
  t.test(`${mode}: boxes in a line have a space between them where they stand apart`, async (t) => {
    await open('inline-blocks')
    t.same(withoutRefs(await snapshot()), [
      '# Welcome',
      'Two words',
      '$19.99 a month',
      'New Sale',
      'Hot Cheap (low)',
      'button "3 left"',
      'Total 12',
      'See there, yes',
    ])
    const markdown = await extract('markdown')
    for (const line of ['# Welcome', 'Two words', '$19.99 a month', 'New Sale', 'Total 12']) {
      t.ok(markdown.split('\n').includes(line), line)
    }
    t.match(await extract('html'), '<h1>Welcome</h1> <p>Two words</p> <p>$19')
  })

  t.test(`${mode}: line breaks and indentation are kept where the page keeps them`, async (t) => {
    await open('preformatted')
    t.same(withoutRefs(await snapshot()), [
      '# Preformatted',
      'function add(a, b) {',
      '  if (a) {',
      '      return a + b',
      '  }',
      '  return b',
      '}',
      'for x in xs:',
      '    print(x)',
      '    link "print" (y)',
      'Dear Ada,',
      '  thank you for',
      '  your letter.',
      'Charles',
      'first line',
      'second line',
      'one',
      'two three',
      'four',
      'as usual in one line',
      'button "Two lines"',
    ])
    t.match(await find('thank you'), /^ {2}thank you for$/m)
    const markdown = await extract('markdown')
    t.match(markdown, 'Dear Ada,\n  thank **you** for\n  your letter.\n\nCharles\n')
    t.match(markdown, 'first line\nsecond line\n')
    t.match(markdown, 'one\ntwo three\nfour\n')
    t.match(
      markdown,
      '```\nfunction add(a, b) {\n  if (a) {\n      return a + b\n  }\n\n  return b\n}\n```',
    )
    const html = await extract('html')
    t.match(html, 'Dear Ada,<br>\n  thank <b>you</b> for<br>\n  your letter.<br>')
    t.match(html, '<p>one<br>\ntwo three<br>\nfour</p>')
    t.match(html, '<p>as usual in one line</p>')
  })

  t.test(`${mode}: names have no text that nobody can read`, async (t) => {
    await open('unreadable-names')
    const text = await snapshot()
    t.notMatch(text, 'injected')
    for (const line of [
      '# Pay',
      'button "Save" button "Send" link "Open"',
      'clickable "Row"',
      'clickable "Card"',
      'textbox "Name"',
      'textbox "Town"',
      'dialog "Sure?":',
      'table "Orders": 2 rows',
      ' 3 | 4',
      'combobox "Plan": Basic',
      'button "Close ×"',
      'button "Delete" button .icon.tiny',
    ]) {
      t.ok(withoutRefs(text).includes(line), line)
    }
    t.notMatch(await extract('markdown'), 'injected')
    t.notMatch(await extract('html'), 'injected')
  })
}
