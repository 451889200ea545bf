/**
 * Goal: the lines of a PDF say what state it is in, are bounded, and only Chromium's own viewer is
 * taken for one. Method: documents as the viewer describes them.
 */
import t from 'tap'
import { isPdfViewer, pdfLines } from '../../../../node-agent/page/snapshot/pdf-text.ts'

const limits = { linesMax: 3, charsMax: 1_000 }
const about = { pages: 2, title: 'Bill' }

t.test('the text is below a line about the document, as far as there is room', async (t) => {
  const text = 'one\r\n\n two   words \nthree\nfour\nfive'
  const lines = pdfLines({ ...about, state: 'loaded', text }, limits)
  t.same(
    lines.map(([depth, , [part]]) => [depth, part]),
    [
      [0, { role: 'pdf', name: 'Bill', value: '2 pages' }],
      [1, 'one'],
      [1, 'two words'],
      [1, 'three'],
      [1, '… 2 more lines: use find, or extract_text'],
    ],
  )
  const short = pdfLines({ ...about, state: 'loaded', text }, { ...limits, charsMax: 2 })
  t.same(short.at(-1)?.[2], ['on'])
})

t.test('a document without text says why', async (t) => {
  const told = (state: 'loaded' | 'loading' | 'locked') =>
    pdfLines({ pages: 1, title: '', state }, limits)
  t.match(told('loaded'), [[0, Number, [{ states: /no text.*screenshot/, value: '1 page' }]]])
  t.match(told('loading'), [[0, Number, [{ states: '(loading)' }]]])
  t.match(told('locked'), [[0, Number, [{ states: /password/ }]]])
})

t.test('pages of others are no viewers', async (t) => {
  const viewer = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/'
  t.ok(isPdfViewer(`${viewer}index.html`))
  t.notOk(isPdfViewer(`https://example.com/?${viewer}`))
  t.notOk(isPdfViewer('chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjaj/index.html'))
})
