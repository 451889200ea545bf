/**
 * Goal: input sent to X arrives in the page. Method: a headful browser as sessions get it; effects
 * are read back from the page over CDP.
 */
import t from 'tap'
import { DisplayConnection } from '../../../node-agent/input/x11/display-connection.ts'
import { keyLayout } from '../../../node-agent/input/x11/key-layout.ts'
import { keysymOfName } from '../../../node-agent/input/key-names.ts'
import { OsInput } from '../../../node-agent/input/x11/os-input.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { openDesktop, place } from '../../helpers/browser/desktop.ts'
import { until } from '../../helpers/lib/until.ts'

const html = `<body style="margin:0;height:9000px">
<input id=text ${place(10, 10, 'width:300px;height:30px')}>
<input id=range type=range value=0 ${place(10, 60, 'width:300px;margin:0')}>
<div id=a draggable=true ${place(10, 110, 'width:60px;height:60px;background:red')}>a</div>
<div id=b ${place(300, 110, 'width:100px;height:100px;background:blue')}>b</div>
<select id=select ${place(10, 250, 'width:100px;height:30px')}>
<option>one<option>two<option>three</select>
<textarea id=area ${place(10, 300, 'width:300px;height:60px')}></textarea>
<div id=edit contenteditable ${place(10, 400, 'width:300px;height:60px;white-space:pre-wrap')}></div>
<script>
events = []; wheels = 0; pointerX = 0
const note = (e) => events.push([e.type, e.screenX, e.screenY, e.isTrusted, e.button].join())
for (const type of ['mousedown', 'mouseup', 'click', 'dblclick']) addEventListener(type, note)
addEventListener('contextmenu', (e) => e.preventDefault())
addEventListener('wheel', () => wheels++)
addEventListener('mousemove', ({ screenX }) => (pointerX = screenX))
b.ondragover = (e) => e.preventDefault()
keys = []
for (const type of ['keydown', 'keyup'])
  addEventListener(type, (e) => keys.push({ type, key: e.key, at: e.timeStamp, repeat: e.repeat }))
b.ondrop = (e) => { e.preventDefault(); b.textContent = 'dropped' }
</script>`

const desktop = await openDesktop(html)
t.teardown(() => desktop.close())
const { input, see, at, display } = desktop
/** A second connection to the display, used as a viewer's input and to check its state. */
const other = await DisplayConnection.open(display, systemClock)
t.teardown(() => other.close())

t.test('clicks arrive trusted, at the intended position', async (t) => {
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

t.test('a dragged element is dropped', async () => {
  await input.drag(at(40, 140), at(350, 160), 'left')
  await until('dropped', () => see<boolean>("b.textContent === 'dropped'"))
})

const fields = { text: 25, area: 330, edit: 430 }

/** A new position for each click, because two in one place would be a double click. */
let clicks = 0
async function focus(id: keyof typeof fields) {
  await see('text.value = area.value = edit.textContent = ""; keys = []')
  await see('document.activeElement.blur(), getSelection().removeAllRanges()')
  await input.click(at(20 + ((++clicks * 30) % 250), fields[id]), 'left')
  await until(`${id} has the focus`, () => see<boolean>(`document.activeElement.id === '${id}'`))
}
async function contains(id: keyof typeof fields, wanted: string) {
  let seen: string | undefined
  const has = async () => (seen = await see(`${id}.value ?? ${id}.textContent`)) === wanted
  await until(`${id} has ${wanted}`, has).catch((error: unknown) => {
    throw new Error(`${id} has ${JSON.stringify(seen)}`, { cause: error })
  })
}

const scripts = {
  'Latin and signs': 'Héllo «Straße» 50 € – ½',
  'Chinese and emoji': '你好，世界 🎉 ok',
  Cyrillic: 'Привет, мир! Ёж',
  Arabic: 'مرحبا بالعالم ١٢٣',
  Devanagari: 'नमस्ते दुनिया',
  Hangul: '안녕하세요 세계',
  'marks and joined emoji': 'e\u0301 a\u0323\u0302 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽',
}

t.test('text of any script is typed exactly, into fields of any kind', async () => {
  for (const id of ['text', 'area', 'edit'] as const) {
    for (const text of Object.values(scripts)) {
      await focus(id)
      await input.type(text, 0)
      await contains(id, text)
    }
  }
})

t.test('line breaks and tabs are typed as keys', async () => {
  await focus('area')
  await input.type('one\r\ntwo\n你好\n', 0)
  await contains('area', 'one\ntwo\n你好\n')
  await input.type('\t', 0)
  await until('the next field has the focus', () => see(`document.activeElement.id === 'edit'`))
})

t.test('with a delay, characters are typed one by one', async (t) => {
  await focus('text')
  await input.type('a你b e\u0301!', 40)
  await contains('text', 'a你b e\u0301!')
  type Key = { type: string; key: string; at: number }
  const downs = await see<Key[]>(`keys.filter((k) => k.type === 'keydown')`)
  const strokes = downs.filter(({ key }) => key !== 'Control' && key !== 'Shift')
  t.same(strokes.map(({ key }) => key).join(''), 'avb v!')
  t.ok(
    strokes.every(({ at }, i) => i === 0 || at - strokes[i - 1]!.at >= 39),
    'and not sooner',
  )
})

t.test('none of many characters is lost', async (t) => {
  for (const count of [1_000, 10_000]) {
    // Several lines, because a page takes longer for each character of a long line.
    const line = 'The quick (brown) FOX; "jumps" over: 13 lazy dogs!\n'
    const text = line.repeat(Math.ceil(count / line.length)).slice(0, count)
    await focus('area')
    const from = performance.now()
    await input.type(text, 0)
    t.comment(`${count} characters in ${(performance.now() - from).toFixed(0)} ms`)
    await until('all are there', () => see<boolean>(`area.value.length >= ${count}`), 60_000)
    t.equal(await see('area.value'), text)
  }
})

t.test('CapsLock changes nothing that is typed or pressed, and stays on', async (t) => {
  await focus('text')
  await input.shortcut(['CapsLock'], 0)
  t.ok((await other.keyboard()).capsLocked)
  await input.type('aBc é Z', 0)
  await contains('text', 'aBc é Z')
  await input.shortcut(['ctrl', 'a'], 0)
  t.equal(await input.copy(), 'aBc é Z')
  t.ok((await other.keyboard()).capsLocked)
  await input.shortcut(['CAPSLOCK'], 0)
  t.notOk((await other.keyboard()).capsLocked)
})

t.test('keys that somebody else holds are released first', async (t) => {
  const layout = keyLayout((await other.keyboard()).keymap)
  await focus('text')
  for (const name of ['shift', 'ctrl', 'alt']) {
    other.key(layout.get(keysymOfName(name))!.keycode, true)
    await other.settle()
    await input.type('plain ', 0)
    t.same((await other.keyboard()).down, [])
  }
  await contains('text', 'plain plain plain ')
})

t.test('keys are held as long as requested, and repeat as held keys do', async (t) => {
  await focus('text')
  await input.shortcut(['Shift', 'k'], 800)
  type Key = { type: string; key: string; at: number; repeat: boolean }
  const keys = await until('let go', async () => {
    const seen = await see<Key[]>('keys')
    return seen.at(-1)?.type === 'keyup' && seen.at(-1)?.key === 'Shift' && seen
  })
  const of = (type: string) => keys.find((one) => one.type === type && one.key === 'K')!
  t.ok(of('keyup').at - of('keydown').at >= 790)
  t.ok(keys.some(({ repeat, key }) => repeat && key === 'K'))
})

t.test('keys are released when a sequence fails midway', async (t) => {
  await t.rejects(input.shortcut(['Ctrl', 'Nope'], 0), { type: 'bad_request', message: /Nope/ })
  t.same((await other.keyboard()).down, [])
  let broken = false
  const timer: typeof systemClock.timer = (ms, fire) => {
    if (broken && ms === 7_777) throw new Error('broken')
    return systemClock.timer(ms, fire)
  }
  const clumsy = await OsInput.open(display, { ...systemClock, timer })
  t.teardown(() => clumsy.close())
  broken = true
  await t.rejects(clumsy.shortcut(['Ctrl', 'Shift', 'Alt'], 7_777), /broken/)
  t.same((await other.keyboard()).down, [])
})

t.test('every key of the contract is on the keyboard', async (t) => {
  const layout = keyLayout((await other.keyboard()).keymap)
  const names = `Space Home End Tab Up Down Left Right PageUp PageDown Control Ctrl Alt Shift CapsLock
    NumLock Enter Return Backspace Delete Escape Esc Insert Ins Command Cmd Windows Win F1 F12 a Z 0 9`
  for (const name of names.split(/\s+/)) t.ok(layout.has(keysymOfName(name)), name)
})

t.test('a native select can be operated by keys', async () => {
  await input.click(at(50, 265), 'left')
  await until('its popup is open', () => see<boolean>("select.matches(':open')"))
  await input.shortcut(['Down'], 0)
  await input.shortcut(['Enter'], 0)
  await until('chosen', () => see<boolean>("select.value === 'two'"))
})

t.test('the wheel scrolls by units', async () => {
  // The popup of a select has the pointer until it has closed.
  let moves = 0
  await until('the page has the pointer', async () => {
    const { x, y } = at(400 + (++moves % 10), 400)
    await input.move({ x, y })
    return see<boolean>(`pointerX === ${x}`)
  })
  await until('scrolled', async () => {
    // Seen once on a busy machine: one turn was not enough. Why is not known.
    await input.scroll(at(500, 400), { x: 0, y: 3 }, 3)
    return see<boolean>('wheels >= 3 && scrollY > 0')
  })
})

t.test('invalid input is refused by name', async (t) => {
  await t.rejects(input.click({ x: 1000, y: 5 }, 'left'), {
    type: 'bad_request',
    message: /x is 1000.*1000x800/,
  })
})

t.test('the time that each action takes', async (t) => {
  const took: number[] = []
  for (let i = 0; i < 100; i++) {
    const from = performance.now()
    await input.click(at(500 + (i % 10), 400), 'left')
    took.push(performance.now() - from)
  }
  t.comment(`move+click p50 ${took.sort((a, b) => a - b)[50]!.toFixed(3)} ms`)
})
