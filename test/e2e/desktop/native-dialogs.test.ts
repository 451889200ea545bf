/**
 * Goal: things outside the page are used as a person uses them: dialogs, file choosers, the address
 * bar, other windows. Method: a headful browser as sessions get it; a CDP client only watches.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { DisplayConnection } from '../../../node-agent/input/x11/display-connection.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { openDesktop, place } from '../../helpers/browser/desktop.ts'
import { until } from '../../helpers/lib/until.ts'

const html = `<body style="margin:0">
<div id=ask ${place(10, 10, 'width:100px;height:30px')}>alert</div>
<button id=pop ${place(10, 60, 'width:100px;height:30px')}>window</button>
<input id=file type=file ${place(10, 110, 'width:300px;height:30px')}>
<input id=text ${place(10, 160, 'width:300px;height:30px')}>
<script>
answered = 0; cancelled = 0
ask.onclick = () => { alert('stop'); answered++ }
pop.onclick = () => window.open('about:blank', 'w', 'width=400,height=300,left=300,top=200')
file.oncancel = () => cancelled++
</script>`

const desktop = await openDesktop(html)
t.teardown(() => desktop.close())
const { input, tab, see, at, url } = desktop
const eye = await DisplayConnection.open(desktop.display, systemClock)
t.teardown(() => eye.close())
const focus = async () => {
  const { focus } = await eye.ask<{ focus: number }>((client, reply) => client.GetInputFocus(reply))
  return focus
}
const main = await focus()
const browserHasKeyboard = async () => (await focus()) === main
// With a listener, the client leaves dialogs to the person at the screen.
const dialogs: string[] = []
tab.on('dialog', (dialog) => dialogs.push(dialog.type()))
const opened = (type: string) => until(`${type} is open`, () => dialogs.splice(0).includes(type))

async function focusText() {
  await input.click(at(100, 175), 'left')
  await until('it has the focus', () => see<boolean>(`document.activeElement.id === 'text'`))
}

/**
 * A dialog takes keys a moment after it is reported; until it closes the page answers no command.
 */
async function answer(key: string) {
  let gone = false
  void see('0')
    .catch(() => undefined) // What follows it may be another page.
    .then(() => (gone = true))
  await until('the dialog is gone', async () => {
    if (!gone) await input.shortcut([key], 0)
    return gone
  })
}

t.test('an alert is closed with Enter', async () => {
  await input.click(at(60, 25), 'left')
  await opened('alert')
  await answer('Enter')
  await until('the page goes on', () => see<boolean>('answered === 1'))
})

t.test('a file is chosen by its name in the chooser, or the chooser is cancelled', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-chooser-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'Grüße 你好.txt')
  writeFileSync(path, 'content')
  await input.click(at(60, 125), 'left')
  await until('the chooser has the keyboard', async () => !(await browserHasKeyboard()))
  await input.type('/', 0)
  await input.shortcut(['Ctrl', 'a'], 0)
  await input.type(path, 0)
  await input.shortcut(['Alt', 'o'], 0)
  await until('it was chosen', () => see<boolean>('file.files.length === 1'))
  t.equal(await see('file.files[0].name'), 'Grüße 你好.txt')
  await until('the page has the keyboard', browserHasKeyboard)
  await input.click(at(60, 125), 'left')
  await until('the chooser has the keyboard', async () => !(await browserHasKeyboard()))
  await input.shortcut(['Escape'], 0)
  await until('it was cancelled', () => see<boolean>('cancelled === 1'))
})

t.test('a second window is clicked where it is on the screen', async (t) => {
  const popup = tab.waitForEvent('popup')
  await input.click(at(60, 75), 'left')
  const second = await popup
  await second.evaluate<unknown>(`document.body.innerHTML =
    '<button style="position:fixed;inset:0" onclick="pressed = true">press</button>'`)
  let last = ''
  const where = await until('it has come to rest on the screen, and is drawn', async () => {
    const [x, y, focused] = await second.evaluate<[number, number, boolean]>(
      `new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() =>
        tell([screenX + 200, screenY + outerHeight - 100, document.hasFocus()]))))`,
    )
    const before = last
    last = `${x} ${y}`
    return last === before && x > 0 && focused && { x, y }
  })
  await input.click(where, 'left')
  await until('pressed', () => second.evaluate<boolean>('window.pressed === true'))
  t.not(await see('window.pressed'), true)
  await input.shortcut(['Ctrl', 'w'], 0)
  await until('the first window has the keyboard', browserHasKeyboard)
})

t.test('the address bar takes a URL of any script', async (t) => {
  await focusText()
  // Playwright lets every page believe that it has the focus.
  const client = await tab.context().newCDPSession(tab)
  await client.send('Emulation.setFocusEmulationEnabled', { enabled: false })
  // A window that has just taken the keyboard may drop the first keys.
  await until('the address bar has the keyboard', async () => {
    await input.shortcut(['Ctrl', 'l'], 0)
    return see<boolean>('!document.hasFocus()')
  })
  await client.detach()
  await input.type(`${url}?q=Grüße 你好#here\n`, 0)
  await until('it is there', () => tab.url().includes('#here'))
  await tab.waitForLoadState()
  t.equal(decodeURIComponent(tab.url()), `${url}?q=Grüße 你好#here`)
})

t.test('a page with unsaved input asks before it is left', async (t) => {
  await see('addEventListener("beforeunload", (e) => e.preventDefault()); stayed = true')
  await focusText()
  await input.type('x', 0)
  await until('typed', () => see<boolean>("text.value === 'x'"))
  await input.shortcut(['F5'], 0)
  await opened('beforeunload')
  await answer('Escape')
  await until('still here', () => see<boolean>('window.stayed === true'))
  await input.shortcut(['F5'], 0)
  await opened('beforeunload')
  await answer('Enter')
  await until('another page', () =>
    // While it is loading it cannot be asked.
    see<boolean>('window.stayed === undefined && loaded').catch(() => false),
  )
  t.equal(await see('text.value'), '')
})
