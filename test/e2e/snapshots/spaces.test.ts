/**
 * Goal: in names and in extracted text, a snapshot separates words where the screen separates them,
 * and nowhere else. Method: a fixture page with white space in every place HTML allows, read by
 * real Chromium; its own innerText says how the page shows it.
 */
import t from 'tap'
import { PageControl, type PagedBrowser } from '../../../node-agent/page/page-control.ts'
import { TabView } from '../../../node-agent/page/snapshot/tab-view.ts'
import { inPageText } from '../../helpers/browser/page-text.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
await host.claim()
const control = new PageControl(host.sessions.held()[0]!.browser as unknown as PagedBrowser)
const tab = await control.selected()
const view = new TabView(tab)
await control.goto(pages.url('spaces'))
const extract = async (format: 'markdown' | 'html') =>
  (await view.extract({ format, maxChars: commandLimits.extractChars })).text

/** The text without the marks of elements. */
const plainLines = (text: string) =>
  text.split('\n').map((line) => line.replace(/^ +|e\d+ (?=[a-z])/g, ''))

t.test('a snapshot has a space where the page shows one, and no other', async (t) => {
  const { text } = await view.snapshot({ urls: false, maxTokens: commandLimits.snapshotTokens })
  t.same(plainLines(text), [
    '# Spaces betweenwords',
    'Hello World',
    'Price: $5',
    'abcd',
    'one two three',
    'over several lines',
    'deep down',
    'above below',
    'seenwhole again',
    'Really, yes! (so)',
    'first',
    'second',
    'Go link "over there" now link "."',
    'button "Add to cart"',
    'textbox "First name"',
    'checkbox "I accept all terms"',
    'table: 2 rows',
    'Who | When',
    'Ada Lovelace | 10 December',
    'if so',
    'then',
  ])
})

t.test('paragraphs read as their innerText does', async (t) => {
  const { text } = await view.snapshot({ urls: false, maxTokens: commandLimits.snapshotTokens })
  const shown = await tab.evaluate(
    inPageText<readonly string[]>(
      `() => ['spans', 'price', 'joined', 'inside', 'lines', 'nested', 'break', 'punctuation'].map(
      (id) => document.getElementById(id).innerText.replace(/\\s+/g, ' ').trim())`,
    ),
  )
  for (const line of shown) t.ok(plainLines(text).includes(line), line)
})

t.test('a text search finds text that spans several elements', async (t) => {
  for (const words of ['Hello World', 'Price: $5', 'one two three', 'Ada Lovelace']) {
    t.match((await view.find(words, 1_000)).text, words)
  }
})

t.test('Markdown has spaces outside of its marks, HTML where the page has them', async (t) => {
  const markdown = await extract('markdown')
  for (const line of [
    '# Spaces betweenwords',
    'Hello World',
    '**Price:** *$5*',
    '**a***b*cd',
    '**one** *two* three',
    'over several lines',
    '**deep** *down*',
    '**above**',
    '**Really**, *yes*! **(so)**',
    'first',
    'second',
    '| Ada Lovelace | 10 December |',
    'if so',
    '  then',
  ]) {
    t.ok(markdown.split('\n').includes(line), line)
  }
  t.match(markdown, /^Go \[\*\*over\*\* \*there\*\]\(\S+#there\) now\[\.\]\(\S+#end\)$/m)
  t.notMatch(markdown, /\S {2}\S/)
  const html = await extract('html')
  t.match(html, '<p>Hello World</p>')
  t.match(html, '<b>Price:</b> <i>$5</i>')
  t.match(html, '<b>a</b><i>b</i>cd')
  t.match(html, /first second/)
})
