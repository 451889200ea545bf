/**
 * Goal: a snapshot and an extracted text show white space and lines as the page does, and neither
 * text nor names contain what nobody can read. Method: fixture pages in real Chromium, without and
 * with a display.
 */
import t from 'tap'
import { openPageReaders, withoutRefs } from '../../helpers/pages/page-readers.ts'

for (const { mode, open, snapshot, extract, find, evaluate } of await openPageReaders(t)) {
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

  t.test(`${mode}: a search of a long document misses nothing`, async (t) => {
    await open('preformatted')
    await evaluate(longDocument)
    for (const [words, line] of found) t.match(await find(words), line, words)
    t.match(await find('nowhere at all'), /^$/)
  })
}

/** Before the texts that are looked for, so many elements that a search leaves out those without the words. */
const longDocument = `document.body.innerHTML = '<style>.sign::after { content: "drawn by style" }</style>' +
  '<h2>Rows</h2><table>' + '<tr><td>Row</td><td><a href=#>Link</a></td></tr>'.repeat(15000) + '</table>' +
  '<h2>The end</h2><div><div><p class=sign>Sign: </p></div></div><div><div id=host></div></div>' +
  '<p><img alt="seen on a picture"></p><p><input aria-label="told to readers"></p>' +
  '<p id=name>named elsewhere</p><p><b role=button aria-labelledby=name>x</b></p><p>plain words</p>'
  const outer = host.attachShadow({ mode: 'open' })
  outer.innerHTML = '<div><div id=inner></div></div>'
  outer.querySelector('#inner').attachShadow({ mode: 'open' }).innerHTML = '<p>deep in shadow</p>'`

const found = [
  ['drawn by style', /^## The end\nSign: drawn by style$/],
  ['deep in shadow', /^## The end\ndeep in shadow$/],
  ['on a picture', /img "seen on a picture"/],
  ['told to readers', /textbox "told to readers"/],
  ['named elsewhere', /button "named elsewhere"/],
  ['plain words', /^## The end\nplain words$/],
] as const
