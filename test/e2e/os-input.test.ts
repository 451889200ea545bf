/** Goal: what X is told, the page sees. Method: real Xvfb and Chromium, effects read by CDP. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { OsInput } from '../../node-agent/input/os-input.ts'
import { connectPlaywright } from '../helpers/browsers.ts'
import { until as untilSeen } from '../helpers/until.ts'
import { serveWebPage } from '../helpers/web-page.ts'

const html = `<body style="margin:0;height:9000px">
<input id=text style="position:fixed;left:10px;top:10px;width:300px;height:30px">
<input id=range type=range value=0 style="position:fixed;left:10px;top:60px;width:300px;margin:0">
<div id=a draggable=true style="position:fixed;left:10px;top:110px;width:60px;height:60px;background:red">a</div>
<div id=b style="position:fixed;left:300px;top:110px;width:100px;height:100px;background:blue">b</div>
<select id=select style="position:fixed;left:10px;top:250px;width:100px;height:30px"><option>one<option>two<option>three</select>
<script>events=[];wheels=0
for(const n of ['mousedown','mouseup','click','dblclick'])addEventListener(n,e=>events.push([n,e.screenX,e.screenY,e.isTrusted,e.button].join()))
addEventListener('contextmenu',e=>e.preventDefault())
addEventListener('wheel',()=>wheels++)
b.ondragover=e=>e.preventDefault();b.ondrop=e=>{e.preventDefault();b.textContent='dropped'}
</script>`

const seenWithinMs = 4_000
const until: typeof untilSeen = (what, look) => untilSeen(what, look, seenWithinMs)

const folder = mkdtempSync(join(tmpdir(), 'troupe-input-'))
const children: ChildProcess[] = []
const page = await serveWebPage(html)
t.teardown(async () => {
  for (const child of children.reverse()) {
    if (child.exitCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await page.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const xvfbArgs = ['-displayfd', '3', '-screen', '0', '1000x800x24', '-nolisten', 'tcp', '-noreset']
const xvfb = spawn('Xvfb', xvfbArgs, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
children.push(xvfb)
const [line] = await once(createInterface(xvfb.stdio[3] as NodeJS.ReadableStream), 'line')
const display = Number(line)
const env = { ...process.env, DISPLAY: `:${display}`, HOME: folder }
children.push(spawn('openbox', { env, stdio: 'ignore' }))
const chromiumArgs = [
  ...['--no-sandbox', `--user-data-dir=${folder}/profile`, '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-quic'],
  ...['--remote-debugging-port=0', '--window-position=0,0', '--window-size=1000,800', page.url],
]
const chromium = spawn('chromium', chromiumArgs, { env, stdio: ['ignore', 'ignore', 'pipe'] })
children.push(chromium)
const url = await new Promise<string>((resolve) => {
  createInterface(chromium.stderr!).on('line', (said) => {
    const found = /DevTools listening on (\S+)/.exec(said)?.[1]
    if (found) resolve(found)
  })
})
const client = await connectPlaywright(url)
t.teardown(() => client.close())
const tab = await until('the page is there', () => client.contexts()[0]!.pages()[0])
await until('the page is loaded', () => tab.evaluate<boolean>("typeof wheels === 'number'"))
const input = await OsInput.open(display)
t.teardown(() => input.close())
const see = <T>(what: string) => tab.evaluate<T>(what)
const top = await see<number>('screenY + outerHeight - innerHeight')
const left = await see<number>('screenX')
const at = (x: number, y: number) => ({ x: x + left, y: y + top })

t.test('clicks arrive trusted, where they were meant', async (t) => {
  const { x, y } = at(500, 400)
  await input.click({ x, y })
  await until('a click', () => see<boolean>(`events.includes('click,${x},${y},true,0')`))
  await input.press({ x, y }, 'right')
  await until('held', () => see<boolean>(`events.includes('mousedown,${x},${y},true,2')`))
  t.notOk(await see(`events.includes('mouseup,${x},${y},true,2')`))
  await input.release({ x, y }, 'right')
  await input.doubleClick(at(600, 500))
  await until('a double click', () => see<boolean>(`events.some(e => e.startsWith('dblclick'))`))
})

t.test('a drag moves a slider', async () => {
  await input.drag(at(18, 68), at(160, 68))
  await until('the slider moved', () => see<boolean>('range.value > 30 && range.value < 70'))
})

t.test('what is dragged is dropped', async () => {
  await input.drag(at(40, 140), at(350, 160))
  await until('dropped', () => see<boolean>("b.textContent === 'dropped'"))
})

t.test('text of five scripts arrives exactly', async () => {
  const text = 'Héllo 你好 🎉 ש Привет, A!'
  await input.click(at(100, 25))
  await input.type(text)
  await until('typed', () => see<boolean>(`text.value === ${JSON.stringify(text)}`))
  await input.shortcut(['Ctrl', 'a'], 20)
  await input.type('x')
  await until('replaced', () => see<boolean>("text.value === 'x'"))
})

t.test('a native select answers to keys', async () => {
  await input.click(at(50, 265))
  await until('its popup is open', () => see<boolean>("select.matches(':open')"))
  await input.shortcut(['Down'])
  await input.shortcut(['Enter'])
  await until('chosen', () => see<boolean>("select.value === 'two'"))
})

t.test('the wheel turns by units', async () => {
  await input.scroll(at(500, 400), 0, 3, 3)
  await until('scrolled', () => see<boolean>('wheels >= 1 && scrollY > 0'))
})

t.test('what cannot be is refused by name', async (t) => {
  await t.rejects(input.click({ x: 1000, y: 5 }), {
    type: 'bad_request',
    message: /x is 1000.*1000x800/,
  })
  await t.rejects(input.shortcut(['Ctrl', 'Nope']), { type: 'bad_request', message: /Nope/ })
})

t.test('what an action costs', async (t) => {
  const took: number[] = []
  for (let i = 0; i < 100; i++) {
    const from = performance.now()
    await input.click(at(500 + (i % 10), 400))
    took.push(performance.now() - from)
  }
  t.comment(`move+click p50 ${took.sort((a, b) => a - b)[50]!.toFixed(3)} ms`)
})
