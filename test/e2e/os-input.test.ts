/**
 * Goal: what X is told, the page sees. Method: a headful browser as sessions get it; effects are
 * read back from the page over CDP.
 */
import t from 'tap'
import { OsInput } from '../../node-agent/input/os-input.ts'
import { devtoolsUrl, openBrowserHost } from '../helpers/browser-host.ts'
import { connectPlaywright } from '../helpers/browsers.ts'
import { until } from '../helpers/until.ts'
import { serveWebPage } from '../helpers/web-page.ts'

t.setTimeout(90_000)

const place = (left: number, top: number, size = '') =>
  `style="position:fixed;left:${left}px;top:${top}px;${size}"`
const html = `<body style="margin:0;height:9000px">
<input id=text ${place(10, 10, 'width:300px;height:30px')}>
<input id=range type=range value=0 ${place(10, 60, 'width:300px;margin:0')}>
<div id=a draggable=true ${place(10, 110, 'width:60px;height:60px;background:red')}>a</div>
<div id=b ${place(300, 110, 'width:100px;height:100px;background:blue')}>b</div>
<select id=select ${place(10, 250, 'width:100px;height:30px')}>
<option>one<option>two<option>three</select>
<script>
events = []; wheels = 0
const note = (e) => events.push([e.type, e.screenX, e.screenY, e.isTrusted, e.button].join())
for (const type of ['mousedown', 'mouseup', 'click', 'dblclick']) addEventListener(type, note)
addEventListener('contextmenu', (e) => e.preventDefault())
addEventListener('wheel', () => wheels++)
b.ondragover = (e) => e.preventDefault()
b.ondrop = (e) => { e.preventDefault(); b.textContent = 'dropped' }
</script>`

const page = await serveWebPage(html)
t.teardown(() => page.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const { claim } = await host.claim({
  session: { initial_url: page.url },
  browser: { headless: { active: false }, viewport: { width: 1000, height: 713 } },
})
const client = await connectPlaywright(devtoolsUrl(claim))
t.teardown(() => client.close())
const tab = await until('the page is there', () => client.contexts()[0]!.pages()[0])
await until('the page is loaded', () => tab.evaluate<boolean>("typeof wheels === 'number'"))
const input = await OsInput.open(claim.display!.number)
t.teardown(() => input.close())
const see = <T>(what: string) => tab.evaluate<T>(what)
const top = await see<number>('screenY + outerHeight - innerHeight')
const left = await see<number>('screenX')
const at = (x: number, y: number) => ({ x: x + left, y: y + top })

t.test('clicks arrive trusted, where they were meant', async (t) => {
  const { x, y } = at(500, 400)
  await input.click({ x, y }, 'left')
  await until('a click', () => see<boolean>(`events.includes('click,${x},${y},true,0')`))
  await input.press({ x, y }, 'right')
  await until('held', () => see<boolean>(`events.includes('mousedown,${x},${y},true,2')`))
  t.notOk(await see(`events.includes('mouseup,${x},${y},true,2')`))
  await input.release({ x, y }, 'right')
  await input.doubleClick(at(600, 500), 'left')
  await until('a double click', () => see<boolean>(`events.some(e => e.startsWith('dblclick'))`))
})

t.test('a drag moves a slider', async () => {
  await input.drag(at(18, 68), at(160, 68), 'left')
  await until('the slider moved', () => see<boolean>('range.value > 30 && range.value < 70'))
})

t.test('what is dragged is dropped', async () => {
  await input.drag(at(40, 140), at(350, 160), 'left')
  await until('dropped', () => see<boolean>("b.textContent === 'dropped'"))
})

t.test('text arrives exactly, and a selection is replaced', async () => {
  const text = 'The quick brown fox, at 50 % & (more) than "usual"! #1'
  await input.click(at(100, 25), 'left')
  await input.type(text, 0)
  await until('typed', () => see<boolean>(`text.value === ${JSON.stringify(text)}`))
  await input.shortcut(['Ctrl', 'a'], 20)
  await input.type('x', 0)
  await until('replaced', () => see<boolean>("text.value === 'x'"))
})

t.test('a native select answers to keys', async () => {
  await input.click(at(50, 265), 'left')
  await until('its popup is open', () => see<boolean>("select.matches(':open')"))
  await input.shortcut(['Down'], 0)
  await input.shortcut(['Enter'], 0)
  await until('chosen', () => see<boolean>("select.value === 'two'"))
})

t.test('the wheel turns by units', async () => {
  await input.scroll(at(500, 400), { x: 0, y: 3 }, 3)
  await until('scrolled', () => see<boolean>('wheels >= 3 && scrollY > 0'))
})

t.test('what cannot be is refused by name', async (t) => {
  await t.rejects(input.click({ x: 1000, y: 5 }, 'left'), {
    type: 'bad_request',
    message: /x is 1000.*1000x800/,
  })
  await t.rejects(input.shortcut(['Ctrl', 'Nope'], 0), { type: 'bad_request', message: /Nope/ })
})

t.test('what an action costs', async (t) => {
  const took: number[] = []
  for (let i = 0; i < 100; i++) {
    const from = performance.now()
    await input.click(at(500 + (i % 10), 400), 'left')
    took.push(performance.now() - from)
  }
  t.comment(`move+click p50 ${took.sort((a, b) => a - b)[50]!.toFixed(3)} ms`)
})
