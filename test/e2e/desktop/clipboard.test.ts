/**
 * Goal: the clipboard of a desktop belongs to the user: read and written completely, and restored
 * after the service has used it. Method: a headful browser as sessions get it, xclip as another
 * program, and a VNC client that listens for clipboard messages.
 */
import { createHash } from 'node:crypto'
import t from 'tap'
import { Clipboard } from '../../../node-agent/input/x11/clipboard/clipboard.ts'
import { DisplayConnection } from '../../../node-agent/input/x11/display-connection.ts'
import { OsInput } from '../../../node-agent/input/x11/os-input.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { openDesktop, place } from '../../helpers/browser/desktop.ts'
import { until } from '../../helpers/lib/until.ts'
import { openVncClipboard } from '../../helpers/gateway/vnc-clipboard.ts'
import { xclipRead, xclipWrite } from '../../helpers/browser/xclip.ts'

const html = `<body style="margin:0">
<input id=text ${place(10, 10, 'width:300px;height:30px')}>
<textarea id=area ${place(10, 60, 'width:300px;height:60px')} wrap=off></textarea>
<div id=edit contenteditable ${place(10, 150, 'width:300px;height:60px;white-space:pre-wrap')}></div>
<div id=rich ${place(10, 250)}>plain <b>bold</b></div>
<script>
pasted = []
edit.addEventListener('paste', (e) => pasted.push(...e.clipboardData.types))
whole = ''
document.addEventListener('paste', (e) => {
  if (e.target !== document.body) return
  whole = e.clipboardData.getData('text/plain')
})
document.addEventListener('copy', (e) => {
  if (!whole) return
  e.preventDefault()
  e.clipboardData.setData('text/plain', whole)
})
</script>`

const desktop = await openDesktop(html)
t.teardown(() => desktop.close())
const { input, see, at, display } = desktop
const viewer = await openVncClipboard(display.vncSocket)
t.teardown(() => viewer.close())
const nowhere = at(700, 600)

/** A new position for each click, because two in one place would be a double click. */
let clicks = 0
async function focus(id: 'text' | 'area' | 'edit', y: number) {
  await see(`document.activeElement.blur(), getSelection().removeAllRanges()`)
  await see(`whole = text.value = area.value = edit.textContent = ''`)
  await input.click(at(20 + ((++clicks * 30) % 250), y), 'left')
  await until(`${id} has the focus`, () => see<boolean>(`document.activeElement.id === '${id}'`))
}
/** Reports the actual text on failure, because text can get lost in many places. */
async function shows(text: string): Promise<void> {
  let seen: unknown
  const look = async () => (seen = await see<unknown>('text.value')) === text
  await until(`the field has ${text}`, look).catch((cause: unknown) => {
    throw new Error(`the field has not ${text} but ${JSON.stringify(seen)}`, { cause })
  })
}
const focusText = () => focus('text', 25)
const focusArea = () => focus('area', 90)
const focusEdit = () => focus('edit', 180)

/** Somewhat over 4 MiB of UTF-8 without repetition. */
const large = Array.from(
  { length: 100_000 },
  (_, i) => `Zeile ${i}: é 你好 🎉 ${i * 31_337}, fin.\n`,
).join('')
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

t.test('text written by one program is read by the other, in both directions', async (t) => {
  await input.writeClipboard('Héllo 你好 🎉')
  t.equal(await input.readClipboard(), 'Héllo 你好 🎉')
  t.equal(await xclipRead(display), 'Héllo 你好 🎉')
  t.equal(await xclipRead(display, 'text/plain;charset=utf-8'), 'Héllo 你好 🎉')
  t.match(await xclipRead(display, 'TARGETS'), /TARGETS\n.*UTF8_STRING\n/s)
  t.ok(Number(await xclipRead(display, 'TIMESTAMP')) > 0)
  await xclipWrite(display, 'from another ❤')
  t.equal(await input.readClipboard(), 'from another ❤')
  await input.writeClipboard('')
  t.equal(await input.readClipboard(), '')
})

t.test('content that is not text is read as empty', async (t) => {
  await xclipWrite(display, '\x89PNG', 'image/png')
  t.equal(await input.readClipboard(), '')
})

t.test('4 MiB pass between the service and another program', async (t) => {
  t.ok(Buffer.byteLength(large) > 4 * 2 ** 20)
  await input.writeClipboard(large)
  t.equal(hash(await xclipRead(display)), hash(large))
  await xclipWrite(display, `${large}.`)
  const from = performance.now()
  t.equal(hash(await input.readClipboard()), hash(`${large}.`))
  t.comment(`read 4 MiB in ${(performance.now() - from).toFixed(0)} ms`)
})

t.test('content above the limit is refused with its size', async (t) => {
  await xclipWrite(display, 'x'.repeat(6 * 2 ** 20 + 1))
  await t.rejects(input.readClipboard(), { type: 'too_large', message: /6291456 bytes/ })
})

t.test('4 MiB pass into the browser and out of it', async (t) => {
  await input.click(nowhere, 'left')
  await input.writeClipboard('kept')
  await input.paste(large)
  await until('all of it arrived', () => see<boolean>(`whole.length === ${large.length}`))
  t.equal(hash(await see('whole')), hash(large))
  t.equal(await input.readClipboard(), 'kept')
  t.equal(hash(await input.copy()), hash(large))
})

t.test('a selection is copied, with its text as the answer', async (t) => {
  await focusArea()
  await input.type('some words', 0)
  await input.shortcut(['Ctrl', 'a'], 0)
  t.equal(await input.copy(), 'some words')
  t.equal(await input.readClipboard(), 'some words')
  t.equal(await xclipRead(display), 'some words')
})

t.test('without a selection nothing is copied and nothing changes', async (t) => {
  await focusText()
  await input.writeClipboard('untouched')
  t.equal(await input.copy(), '')
  t.equal(await input.readClipboard(), 'untouched')
})

t.test('a paste arrives once and complete, and the clipboard is restored', async (t) => {
  for (const into of [focusText, focusArea, focusEdit]) {
    await into()
    await input.writeClipboard('of the user')
    await input.paste('pasted 你')
    await input.paste(' and again')
    const seen = `text.value + area.value + edit.textContent`
    await until('it arrived', () => see<boolean>(`(${seen}) === 'pasted 你 and again'`))
    t.equal(await input.readClipboard(), 'of the user')
    await input.shortcut(['Ctrl', 'v'], 0)
    const all = 'pasted 你 and againof the user'
    await until("the user's own follows", () => see<boolean>(`(${seen}) === '${all}'`))
  }
})

t.test('content of another program is restored in all its formats', async (t) => {
  await see(`getSelection().selectAllChildren(rich)`)
  t.equal(await input.copy(), 'plain bold')
  await focusEdit()
  await input.paste('in between')
  t.equal(await input.readClipboard(), 'plain bold')
  t.match(await xclipRead(display, 'text/html'), /<b\b.*bold<\/b>/)
  await see('pasted = []')
  await input.shortcut(['Ctrl', 'v'], 0)
  await until('pasted', () => see<boolean>(`edit.querySelector('b')?.textContent === 'bold'`))
  t.same(await see('pasted'), ['text/plain', 'text/html'])
})

t.test('an empty clipboard is empty again afterwards', async (t) => {
  await xclipWrite(display, '')
  await focusText()
  await input.paste('a')
  await until('it arrived', () => see<boolean>(`text.value === 'a'`))
  t.equal(await input.readClipboard(), '')
  t.equal(await xclipRead(display), '')
})

t.test('with nothing focused a paste ends, and the clipboard is restored', async (t) => {
  await input.writeClipboard('still here')
  await input.click(nowhere, 'left')
  await input.paste('for nobody')
  await input.type('你', 0)
  t.equal(await xclipRead(display), 'still here')
})

t.test('a text waits for a page that is busy', async (t) => {
  await focusText()
  await input.writeClipboard('of the user')
  await see(`void setTimeout(() => { for (const end = Date.now() + 2500; Date.now() < end; ); })`)
  await input.type('a你b', 0)
  await shows('a你b')
  t.equal(await xclipRead(display), 'of the user')
})

t.test('a page that stays busy is reported, and nothing more is typed', async (t) => {
  await focusText()
  const impatient = await OsInput.open(display, systemClock, async () => false)
  const refused = {
    type: 'timeout',
    message: /^The page was too busy to say whether it accepted "你"/,
  }
  await t.rejects(impatient.type('a你b', 0), refused)
  impatient.close()
  t.notMatch(await see<string>('text.value'), 'b')
})

t.test(
  'programs see what the user copied and not the text that is being pasted; viewers get neither',
  async (t) => {
    const connection = await DisplayConnection.open(display, systemClock)
    t.teardown(() => connection.close())
    const clipboard = await Clipboard.open(connection, systemClock)
    await focusText()
    await clipboard.write('for all to see')
    const taken = await clipboard.lend('lent', async () => {
      t.equal(await xclipRead(display), 'for all to see')
      await input.shortcut(['Ctrl', 'v'], 0)
    })
    t.ok(taken)
    await shows('lent')
    await input.paste(' more')
    await shows('lent more')
    t.equal(await input.readClipboard(), 'for all to see')
    viewer.tell('from a viewer')
    await input.writeClipboard('the last word')
    t.equal(await xclipRead(display), 'the last word')
    t.same(viewer.told, [])
  },
)
