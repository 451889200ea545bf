/**
 * Goal: text that a person would not see does not reach a model, and a model is told when a page is
 * a picture. Method: real Chromium, a text under each style that hides it and under those that do
 * not.
 */
import t from 'tap'
import { PageControl, type PagedBrowser } from '../../../node-agent/page/page-control.ts'
import { TabView } from '../../../node-agent/page/snapshot/tab-view.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
await host.claim()
const control = new PageControl(host.sessions.held()[0]!.browser as unknown as PagedBrowser)
const tab = await control.selected()
const view = new TabView(tab)
const snapshot = () => view.snapshot({ urls: false, maxTokens: commandLimits.snapshotTokens })
const run = (expression: string) => tab.send('Runtime.evaluate', { expression })

/** Styles that keep a text's place and make it invisible. */
const veils = [
  'opacity: 0.01',
  'color: transparent',
  '-webkit-text-fill-color: transparent',
  'color: #fefefe',
  'font-size: 1px',
  'text-indent: -9999px',
  'filter: opacity(0)',
  'content-visibility: hidden',
  'clip-path: inset(50%)',
  'clip-path: circle(0)',
  'transform: scale(0)',
  'transform: rotateY(90deg)',
  'transform: translateX(-9999px)',
  'position: fixed; left: 200vw',
  'height: 0; overflow: hidden',
]
/** Similar styles that leave the text visible. */
const shown = [
  'color: transparent; background: linear-gradient(red, blue); background-clip: text',
  'color: transparent; text-shadow: 0 0 1px #000',
  'color: #ccc',
  'clip-path: inset(5%)',
  'transform: rotate(10deg)',
  'opacity: 0.4',
]

t.test('no style hides a text from a person and shows it to a model', async (t) => {
  const lines = [...veils, ...shown].map((style, i) => `<div style="${style}">Text no ${i}.</div>`)
  await control.goto('about:blank')
  await run(`document.documentElement.style.background = '#fff'
    document.body.innerHTML = ${JSON.stringify(lines.join(''))}`)
  const { text: extracted } = await view.extract({ format: 'markdown', maxChars: 10_000 })
  for (const text of [(await snapshot()).text, extracted]) {
    for (const [i, style] of veils.entries()) t.notMatch(text, `Text no ${i}.`, style)
    for (const [i, style] of shown.entries()) t.match(text, `Text no ${veils.length + i}.`, style)
  }
})

t.test('a page reports how much of it is drawn', async (t) => {
  const drawn = async () => (await snapshot()).drawn
  await control.goto('about:blank')
  t.equal(await drawn(), undefined)
  await run(
    `document.body.innerHTML = '<canvas style="position:fixed;inset:0;width:50%;height:100%">'`,
  )
  t.equal(await drawn(), 50)
})
