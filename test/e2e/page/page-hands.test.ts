/**
 * Goal: input to a session without a display reaches the page as a person's input, as with a
 * display. Method: headless Chromium as sessions get it; effects are read back from the page by an
 * unmodified client.
 */
import t from 'tap'
import { PageControl, type PagedBrowser } from '../../../node-agent/page/page-control.ts'
import { PageInput } from '../../../node-agent/page/input/page-input.ts'
import { devtoolsUrl, openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

const place = (left: number, top: number, size = '') =>
  `style="position:fixed;left:${left}px;top:${top}px;${size}"`
const html = `<body style="margin:0;height:9000px">
<textarea id=text ${place(10, 10, 'width:300px;height:30px')}></textarea>
<input id=range type=range value=0 ${place(10, 60, 'width:300px;margin:0')}>
<div id=a draggable=true ${place(10, 110, 'width:60px;height:60px;background:red')}>a</div>
<div id=b ${place(300, 110, 'width:100px;height:100px;background:blue')}>b</div>
<button id=ask ${place(10, 250)} onclick="answer = confirm('Really?')">ask</button>
<iframe id=frame ${place(10, 300, 'width:300px;height:60px')}
  srcdoc="<input id=inner style='width:200px'>"></iframe>
<script>
events = []; wheels = []; answer = undefined
const note = (e) =>
  events.push([e.type, e.clientX, e.clientY, e.isTrusted, e.button, e.buttons].join())
for (const type of ['mousedown', 'mouseup', 'mousemove', 'click', 'dblclick']) {
  addEventListener(type, note)
}
addEventListener('keydown', (e) => events.push(['keydown', e.key, e.code, e.isTrusted].join()))
addEventListener('keyup', (e) => events.push(['keyup', e.key].join()))
addEventListener('contextmenu', (e) => e.preventDefault())
addEventListener('wheel', (e) => wheels.push([e.deltaX, e.deltaY].join()))
b.ondragover = (e) => e.preventDefault()
b.ondrop = (e) => { e.preventDefault(); b.textContent = 'dropped' }
</script>`

const page = await serveWebPage(html)
t.teardown(() => page.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

async function openHands(viewport = { width: 1000, height: 713 }) {
  const { sessionId, claim } = await host.claim({ browser: { viewport } })
  const { browser } = host.sessions.held().find((held) => held.sessionId === sessionId)!
  const { cdp, devtools, network } = browser as unknown as PagedBrowser
  const { ownContextId } = browser
  const pages = new PageControl({ cdp, devtools, network, deviceScale: 1 })
  return { claim, pages, hands: new PageInput(pages, cdp, ownContextId) }
}

const { claim, pages, hands } = await openHands()
await pages.goto(page.url)
const client = await connectPlaywright(devtoolsUrl(claim))
t.teardown(() => client.close())
const tab = client.contexts()[0]!.pages()[0]!
tab.on('dialog', () => undefined) // Or the client would dismiss them.
const see = <T>(what: string) => tab.evaluate<T>(what)
const saw = (event: string) =>
  until(event, () => see<boolean>(`events.includes(${JSON.stringify(event)})`))
const textIs = (text: string) =>
  until(`the text is ${text.slice(0, 50)}`, () =>
    see<boolean>(`text.value === ${JSON.stringify(text)}`),
  )
const emptyText = () => see('text.value = ""; text.focus()')

t.test('clicks arrive trusted, at the intended position', async (t) => {
  await hands.click({ x: 500, y: 400 }, 'left')
  await saw('click,500,400,true,0,0')
  await hands.press({ x: 500, y: 400 }, 'right')
  await saw('mousedown,500,400,true,2,2')
  t.notOk(await see(`events.includes('mouseup,500,400,true,2,0')`))
  await hands.move({ x: 520, y: 410 })
  await saw('mousemove,520,410,true,0,2')
  await hands.release({ x: 520, y: 410 }, 'right')
  await saw('mouseup,520,410,true,2,0')
  await hands.doubleClick({ x: 600, y: 500 }, 'left')
  await saw('dblclick,600,500,true,0,0')
})

t.test('a drag moves a slider, in one gesture or by its parts', async () => {
  await hands.drag({ x: 18, y: 68 }, { x: 160, y: 68 }, 'left')
  await until('the slider moved', () => see<boolean>('range.value > 40 && range.value < 60'))
  await hands.press({ x: 160, y: 68 }, 'left')
  await hands.move({ x: 300, y: 68 })
  await hands.release({ x: 300, y: 68 }, 'left')
  await until('the slider moved on', () => see<boolean>('range.value > 90'))
})

t.test('a dragged element is dropped', async () => {
  await hands.drag({ x: 40, y: 140 }, { x: 350, y: 160 }, 'left')
  await until('dropped', () => see<boolean>("b.textContent === 'dropped'"))
})

t.test('the wheel scrolls by units of 120 px, smoothed or not', async (t) => {
  await hands.scroll({ x: 600, y: 500 }, { x: 0, y: 3 }, 1)
  await until('scrolled', () => see<boolean>('scrollY === 360'))
  t.same(await see('wheels'), ['0,360'])
  await hands.scroll({ x: 600, y: 500 }, { x: 0, y: -3 }, 3)
  await until('scrolled back', () => see<boolean>('scrollY === 0'))
  t.same((await see<string[]>('wheels')).slice(1), ['0,-120', '0,-120', '0,-120'])
})

t.test('text of any script arrives exactly', async (t) => {
  const text = 'The "quick" brown~fox,\nat 50 % & (more)! Héllo 你好 🎉 مرحبا שלום Привет'
  await hands.click({ x: 100, y: 25 }, 'left')
  await hands.type(text, 0)
  await textIs(text)
  await emptyText()
  await hands.type('aé你', 5)
  await textIs('aé你')
  await saw('keydown,a,KeyA,true')
  await emptyText()
  const long = 'Lorem ipsum dolor sit amet. '.repeat(40).slice(0, 1_000)
  const from = performance.now()
  await hands.type(long, 0)
  t.comment(`1000 characters: ${Math.round(performance.now() - from)} ms`)
  await textIs(long)
})

t.test('editing shortcuts work as in a window', async (t) => {
  await emptyText()
  await hands.type('one two', 0)
  await hands.shortcut(['Ctrl', 'a'], 20)
  await hands.shortcut(['control', 'C'], 0)
  t.equal(await hands.readClipboard(), 'one two')
  await hands.shortcut(['Right'], 0)
  await hands.shortcut(['Ctrl', 'v'], 0)
  await textIs('one twoone two')
  await hands.shortcut(['Ctrl', 'z'], 0)
  await textIs('one two')
  await hands.shortcut(['Ctrl', 'a'], 0)
  await hands.shortcut(['Ctrl', 'x'], 0)
  await textIs('')
  await hands.shortcut(['Shift', 'a'], 0)
  await hands.shortcut(['Shift', '1'], 0)
  await hands.shortcut(['Enter'], 0)
  await hands.shortcut(['Space'], 0)
  await textIs('A!\n ')
  await see('events = []')
  await hands.shortcut(['Ctrl', 'Shift', 'F5'], 0)
  await saw('keyup,Control')
  t.same(
    (await see<string[]>('events')).filter((event) => event.startsWith('keyup')),
    ['keyup,F5', 'keyup,Shift', 'keyup,Control'],
  )
})

t.test('keys go to the frame that has the focus', async () => {
  await hands.click({ x: 100, y: 325 }, 'left')
  await hands.type('in é', 0)
  await until('typed in the frame', () =>
    see<boolean>("frame.contentDocument.getElementById('inner').value === 'in é'"),
  )
})

t.test('the clipboard holds what it is given, and is restored after a paste', async (t) => {
  t.equal(await (await openHands()).hands.readClipboard(), '', 'another browser has its own')
  const text = ' \r\n\tHé 你🎉\n\n'
  await hands.writeClipboard(text)
  t.equal(await hands.readClipboard(), text)
  await emptyText()
  await hands.paste('lent')
  await textIs('lent')
  t.equal(await hands.readClipboard(), text)
  t.equal(await hands.copy(), '', 'nothing is selected')
  t.equal(await hands.readClipboard(), text)
  await see('text.select()')
  t.equal(await hands.copy(), 'lent')
  t.equal(await hands.readClipboard(), 'lent')
  await hands.writeClipboard('')
  t.equal(await hands.readClipboard(), '')
  t.equal(client.contexts()[0]!.pages().length, 1, 'no tab that a client would see')
})

t.test('4 MiB pass through the clipboard unchanged', async (t) => {
  const text = 'Lorem é 你 🎉\r\n'.repeat(220_000)
  const from = performance.now()
  await hands.writeClipboard(text)
  t.ok((await hands.readClipboard()) === text)
  const mib = (Buffer.byteLength(text) / 2 ** 20).toFixed(1)
  t.comment(`${mib} MiB there and back: ${Math.round(performance.now() - from)} ms`)
  // Not into the text: layout of that much takes Chromium seconds.
  await see(`addEventListener('paste', (e) => {
    pasted = e.clipboardData.getData('text/plain')
    e.preventDefault()
  }, { once: true })`)
  await hands.paste(text)
  t.ok((await see('pasted')) === text)
})

t.test('a dialog does not block a command for ever, and can be answered by keys', async (t) => {
  for (const [key, answer] of [
    ['Enter', true],
    ['Escape', false],
  ] as const) {
    await hands.click({ x: 25, y: 260 }, 'left')
    const actions: (() => Promise<unknown>)[] = [
      () => hands.click({ x: 500, y: 400 }, 'left'),
      () => hands.type('x', 0),
      () => hands.copy(),
      () => pages.screenshot(),
    ]
    for (const action of actions) {
      await t.rejects(action(), { type: 'dialog_open', message: /confirm: "Really\?".*Enter/ })
    }
    await hands.shortcut([key], 0)
    await until('answered', () => see<boolean>(`answer === ${answer}`))
  }
})

t.test('invalid input is refused by name', async (t) => {
  const refused = (action: Promise<void>, message: RegExp) =>
    t.rejects(action, { type: 'bad_request', message })
  await refused(hands.click({ x: 1000, y: 5 }, 'left'), /^x is 1000.*1000x713/)
  await refused(hands.scroll({ x: 5, y: 713 }, { x: 0, y: 1 }, 1), /^y is 713/)
  await refused(hands.drag({ x: 1, y: 1 }, { x: 1, y: 9_000 }, 'left'), /^endY is 9000/)
  await refused(hands.shortcut(['Ctrl', 'Nope'], 0), /Nope/)
})

t.test('the time that each action takes', async (t) => {
  const took: number[] = []
  for (let i = 0; i < 100; i++) {
    const from = performance.now()
    await hands.click({ x: 500 + (i % 10), y: 400 }, 'left')
    took.push(performance.now() - from)
  }
  t.comment(`move+click p50 ${took.sort((a, b) => a - b)[50]!.toFixed(2)} ms`)
})
