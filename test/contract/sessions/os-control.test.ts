/**
 * Goal: every OS-control route acts as a person's hand would, on a session with a desktop and on
 * one without, with the same answers. Method: one service, one session of each kind; effects are
 * read back from the page, events with their `isTrusted`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { inputPage } from '../../helpers/pages/input-page.ts'
import {
  createSession,
  headless,
  startService,
  type ErrorJson,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { xProgram } from '../../helpers/browser/x-program.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '1' } })
t.teardown(() => service.stop())
const site = await serveWebPage(inputPage)
t.teardown(() => site.close())
const { rest } = service

interface Answer {
  readonly status?: string
  readonly text?: string
  readonly data?: { readonly text?: string; readonly results?: unknown[]; readonly status?: string }
  readonly error?: ErrorJson
}

/** A session on the input page, and the offset of the page for its mouse. */
async function open(body: object) {
  const { id, cdp_url } = await createSession(rest, body)
  const client = await connectPlaywright(cdp_url)
  const page: Page = client.contexts()[0]!.pages()[0]!
  const send = (method: string, path: string, body?: unknown) =>
    rest<Answer>(method, `/v1/sessions/${id}${path}`, body)
  const done = async (path: string, body?: unknown) => {
    const answer = await send('POST', path, body)
    t.same([answer.status, answer.body], [200, { status: 'success' }], path)
  }
  await done('/goto', { url: site.url })
  const { headers } = await send('GET', '/screenshot')
  const left = Number(headers.get('x-screen-left'))
  const top = Number(headers.get('x-screen-top'))
  return {
    id,
    page,
    send,
    done,
    top,
    /** A position of the page in the coordinates of the session's mouse. */
    at: (x: number, y: number) => ({ x: x + left, y: y + top }),
    see: <T>(what: string) => page.evaluate<T>(what),
    async end() {
      await client.close()
      await rest('DELETE', `/v1/sessions/${id}`)
    },
  }
}

type Session = Awaited<ReturnType<typeof open>>

const kinds = [
  ['headful', {}],
  ['headless', headless],
] as const

const scripts = ['Héllo 你好 🎉', 'Привет, мир', 'مرحبا بالعالم', 'नमस्ते दुनिया', '안녕하세요 👩‍👩‍👧']
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

for (const [kind, body] of kinds) {
  await t.test(kind, async (t) => {
    const session = await open(body)
    const { at, see, send, done } = session
    const sees = (what: string) => until(what, () => see<boolean>(what))
    /**
     * Reports the actual text and the focused element on failure, because text can get lost in many
     * places.
     */
    const holds = async (text: string) => {
      const state = '({ text: area.value, focus: document.activeElement.id || "the page" })'
      let seen: unknown
      await until(`the text is ${text}`, async () => {
        seen = await see(state)
        return (await see('area.value')) === text
      }).catch((error: Error) => {
        throw new Error(`${error.message}; it is ${JSON.stringify(seen)}`, { cause: error })
      })
    }
    t.teardown(() => session.end())

    await t.test('a click, a double click, and a held press', async (t) => {
      await done('/mouse/click', at(500, 300))
      await sees("events.includes('click 500,300 0 true')")
      await done('/mouse/click', { ...at(501, 300), button: 'right' })
      await sees("events.includes('contextmenu 501,300 2 true')")
      await done('/mouse/click', { ...at(502, 300), button: 'middle' })
      await sees("events.includes('auxclick 502,300 1 true')")
      await done('/mouse/doubleClick', at(503, 300))
      await sees("events.includes('dblclick 503,300 0 true')")
      await done('/mouse/down', at(520, 320))
      await sees("events.includes('mousedown 520,320 0 true')")
      await done('/mouse/move', at(560, 340))
      await sees("moves.includes('560,340 1')")
      t.notOk(await see("events.includes('mouseup 560,340 0 true')"), 'held until told')
      await done('/mouse/up', at(560, 340))
      await sees("events.includes('mouseup 560,340 0 true')")
    })

    await t.test('an element found by a selector is clicked once it is there', async (t) => {
      await see("setTimeout(() => addButton('late'), 300)")
      await done('/mouse/click', { selector: '#late', timeout: 10_000 })
      await sees("clicked.includes('late')")
      await done('/mouse/click', { selector: 'button.below', index: 1 })
      await sees("clicked.includes('below 1') && scrollY > 0")
      const none = await send('POST', '/mouse/click', { selector: '#none', selectorTimeoutMs: 50 })
      t.match([none.status, none.body.error!.message], [404, /#none/])
      const wrong = await send('POST', '/mouse/click', { selector: '##' })
      t.match([wrong.status, wrong.body.error], [400, { field: 'selector' }])
      await see('scrollTo(0, 0)')
    })

    await t.test('a dragged element is dropped, and a slider follows', async () => {
      const [from, to] = [at(40, 140), at(350, 160)]
      await done('/drag-and-drop', { startX: from.x, startY: from.y, endX: to.x, endY: to.y })
      await sees("target.textContent === 'dropped source'")
      const [start, end] = [at(18, 68), at(160, 68)]
      await done('/drag-and-drop', { startX: start.x, startY: start.y, endX: end.x, endY: end.y })
      await sees('range.value > 30 && range.value < 70')
    })

    await t.test('the wheel scrolls by units, in both directions', async () => {
      const scrolled = async (how: object) => {
        await see('scrollTo(0, 0)')
        await done('/scroll', { ...at(500, 300), deltaY: 3, ...how })
        await sees('scrollY > 100')
        return until('it has come to rest', () => atRest(session))
      }
      // On a busy machine a late frame looks like the end of a scroll, so both are measured again.
      await until('a unit is as far by X as by CDP', async () => {
        return (await scrolled({})) === (await scrolled({ steps: 3, useOs: true }))
      })
      await done('/scroll', { ...at(500, 300), deltaY: -50, deltaX: 2 })
      await sees('scrollY === 0 && scrollX > 0')
      await see('scrollTo(0, 0)')
    })

    await t.test('text of five scripts arrives exactly, the clipboard unchanged', async (t) => {
      await done('/clipboard', { text: 'mine' })
      for (const text of scripts) {
        await see("area.value = ''")
        await done('/mouse/click', { selector: '#area' })
        await sees('document.activeElement === area')
        await done('/keyboard/type', { text })
        await holds(text)
      }
      await done('/keyboard/type', { text: 'ab\nc', delay: 20 })
      await holds(`${scripts.at(-1)}ab\nc`)
      t.same((await send('GET', '/clipboard')).body, { data: { text: 'mine' } })
    })

    await t.test('shortcuts, copy, paste and the clipboard', async (t) => {
      await see("area.value = 'of the area'")
      await done('/mouse/click', { selector: '#area' })
      await done('/keyboard/shortcut', { keys: ['Ctrl', 'a'], holdTime: 30 })
      await done('/keyboard/shortcut', { keys: ['Control', 'C'] })
      const copied = () => send('GET', '/clipboard').then(({ body }) => body.data!.text)
      await until('it is on the clipboard', async () => (await copied()) === 'of the area')
      await done('/clipboard', { text: 'other' })
      const copy = await send('POST', '/copy')
      t.same([copy.status, copy.body], [200, { text: 'of the area' }], 'bare')
      t.equal(await copied(), 'of the area')
      await done('/paste', { text: 'Pasted 你好' })
      await sees("area.value === 'Pasted 你好'")
      t.equal(await copied(), 'of the area', 'what was on the clipboard stays there')
      await see('getSelection().removeAllRanges(); area.setSelectionRange(0, 0)')
      t.same((await send('POST', '/copy')).body, { text: '' }, 'nothing is selected')
      t.equal(await copied(), 'of the area')
    })

    await t.test('4 MiB pass through the clipboard in both directions', async (t) => {
      const text = '0123456789abcdé\n'.repeat(2 ** 18).slice(0, -2)
      await done('/clipboard', { text })
      const { body } = await send('GET', '/clipboard')
      t.equal(hash(body.data!.text!), hash(text))
      // A page that takes and gives the text without layout, which would take Chromium half a
      // minute.
      await see('area.focus(), handleClipboard()')
      await done('/paste', { text })
      await until('the page has it', () => see<boolean>(`pasted.length === ${text.length}`))
      t.equal(hash((await send('POST', '/copy')).body.text!), hash(text))
    })

    await t.test('screenshots of the page, and of the desktop where there is one', async (t) => {
      const page = await picture(session.id, '')
      t.same(page, { status: 200, type: 'image/png', width: 1440, height: 900 })
      const desktop = await picture(session.id, '?source=desktop')
      if (kind === 'headful')
        t.match(desktop, { status: 200, width: 1440, height: 900 + session.top })
      else t.equal(desktop.status, 400)
    })

    await t.test('a form is filled in with one request', async (t) => {
      await see("area.value = ''")
      const { body } = await send('POST', '/actions', {
        actions: [
          { command: 'mouse_click', input: { selector: '#area' } },
          { command: 'keyboard_type', input: { text: 'one' } },
          { command: 'keyboard_shortcut', input: { keys: ['Ctrl', 'a'] } },
          { command: 'copy' },
          { command: 'keyboard_shortcut', input: { keys: ['Nope'] } },
          { command: 'keyboard_type', input: { text: 'never' } },
        ],
      })
      t.match(body.data, {
        status: 'failed',
        results: [{}, {}, {}, { output: { text: 'one' } }, { error: { message: /Nope/ } }],
      })
      t.equal(body.data!.results!.length, 5)
      t.equal(await see('area.value'), 'one')
    })

    await t.test('invalid requests are refused by name', async (t) => {
      const refused = async (path: string, body: unknown, error: Partial<ErrorJson> | object) => {
        const answer = await send('POST', path, body)
        t.match([answer.status, answer.body.error], [400, error], `${path} ${JSON.stringify(body)}`)
      }
      await refused('/mouse/click', { x: 1440, y: 5 }, { field: 'x', message: /1440x/ })
      await refused('/mouse/move', { x: 5, y: 5_000 }, { field: 'y' })
      const drag = { startX: 1, startY: 200, endX: 9_999, endY: 200 }
      await refused('/drag-and-drop', drag, { field: 'endX' })
      await refused('/keyboard/shortcut', { keys: ['Ctrl', 'Nope'] }, { message: /Nope/ })
      await refused('/goto', { url: 'javascript:alert(1)' }, { field: 'url' })
      const unreachable = await send('POST', '/goto', { url: 'http://127.0.0.1:1/' })
      t.match([unreachable.status, unreachable.body.error!.message], [422, /127\.0\.0\.1:1/])
      await done('/goto', { url: site.url })
      const huge = await send('POST', '/clipboard', { text: 'a'.repeat(20 * 2 ** 20) })
      t.match([huge.status, huge.body.error], [413, { type: 'too_large' }])
    })
  })
}

/** True when two positions in a row are equal: smooth scrolling has ended. */
async function atRest({ see }: Session): Promise<number | undefined> {
  const before = await see<number>('scrollY')
  const after = await see<number>(
    'new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(scrollY)), 300))',
  )
  return before === after ? after : undefined
}

async function picture(id: string, query: string) {
  const response = await fetch(`${service.baseUrl}/v1/sessions/${id}/screenshot${query}`, {
    headers: { 'service-api-key': service.key },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) return { status: response.status }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  return { status: 200, type: response.headers.get('content-type'), width, height }
}

/** The content of the clipboard of every desktop of the service, from X. */
function choosersOpen(): number {
  const run = join(service.dataDir, 'run', 'test')
  const trees = readdirSync(run).map((browser) => {
    const xSocket = /"xSocket":"([^"]*)"/.exec(recordOf(join(run, browser)))?.[1]
    if (xSocket === undefined) return ''
    const { prefix, env } = xProgram({ xSocket, authority: join(run, browser, 'xauthority') })
    const [command, ...args] = [...prefix, 'xwininfo', '-root', '-tree']
    return spawnSync(command!, args, { encoding: 'utf8', env }).stdout
  })
  return trees.join('').match(/"Open Files?"/g)?.length ?? 0
}

/** Empty while the file is being written, or gone. */
function recordOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'browser.json'), 'utf8')
  } catch {
    return '' // Its folder is on its way out.
  }
}

await t.test(
  'an upload goes into its file input, and the file chooser that was open closes',
  async (t) => {
    const session = await open({})
    t.teardown(() => session.end())
    const { see, done, id } = session
    await see("addFileInput('files')")
    await done('/mouse/click', { selector: '#files' })
    await until('the chooser is open', () => choosersOpen() === 1)
    const form = new FormData()
    form.set('file', new Blob(['content']), 'a.txt')
    form.set('selector', '#files')
    const answer = await fetch(`${service.baseUrl}/v1/sessions/${id}/uploads`, {
      method: 'POST',
      headers: { 'service-api-key': service.key },
      body: form,
    })
    t.match(await answer.json(), { status: 'success', data: { status: 'success' } })
    await until('the chooser is closed', () => choosersOpen() === 0)
    t.equal(await see('files.files[0].text()'), 'content')
  },
)

await t.test('fifty simultaneous calls on four sessions do not mix', async (t) => {
  const sessions = await Promise.all([{}, {}, headless, headless].map((body) => open(body)))
  t.teardown(() => Promise.all(sessions.map((session) => session.end())))
  for (const { done } of sessions) await done('/mouse/click', { selector: '#area' })
  const words = Array.from({ length: 50 }, (_, i) => `${String(i).padStart(2, '0')}-${i % 4};`)
  await Promise.all(words.map((text, i) => sessions[i % 4]!.done('/keyboard/type', { text })))
  for (const [i, { see }] of sessions.entries()) {
    const own = words.filter((_, word) => word % 4 === i).sort()
    const typed = async () => (await see<string>('area.value')).match(/\d\d-\d;/g) ?? []
    await until('all is typed', async () => (await typed()).length === own.length)
    t.same((await typed()).sort(), own, 'whole words, and only its own')
  }
})

await t.test('an ended session accepts no more calls', async (t) => {
  const { id } = await createSession(rest)
  const send = () => rest<Answer>('POST', `/v1/sessions/${id}/mouse/click`, { x: 1, y: 1 })
  t.equal((await send()).status, 200)
  await rest('DELETE', `/v1/sessions/${id}`)
  t.match(await send(), { status: 410, body: { error: { type: 'session_ended' } } })
})
