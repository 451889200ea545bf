// Goal: a person sees and drives a session in a web page, reconnects after any interruption, and
// can do no more than the link allows. Method: the page in a real browser, behind a reverse proxy
// below a path; effects are read back from the pages of the sessions.
import type { Page } from 'playwright-core'
import t from 'tap'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { colourAt, isOrange, pressAt } from '../../helpers/gateway/live/live-canvas.ts'
import { liveState, openLive } from '../../helpers/gateway/live/live-page.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { openPrefixProxy } from '../../helpers/service/proxies/prefix-proxy.ts'
import {
  createSession,
  headless,
  startService,
  type SessionJson,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

/** The height of what Chromium draws above a page. */
const framePx = 87
const viewport = { width: 800, height: 600 }

const site = await serveWebPage(`<title>Remote</title>
  <body style="margin:0;background:#ff8000">
  <input id="field" style="position:absolute;left:100px;top:100px;width:400px;height:40px">
  <script>
    const seen = []
    addEventListener('click', (e) => seen.push(['click', e.isTrusted, e.clientX, e.clientY]))
    addEventListener('keydown', (e) => seen.push(['key', e.isTrusted, e.key]))
  </script>`)
const proxy = await openPrefixProxy('/browsers')
const service = await startService({
  env: { POOL_HEADLESS: '2', POOL_HEADFUL: '0', PUBLIC_URL: proxy.url, ALLOW_DEV_KEY: '1' },
})
proxy.lead(service)
t.teardown(async () => {
  await service.stop()
  await proxy.close()
  await site.close()
})
const { rest } = service

interface Minted {
  readonly data: { readonly live_view_url: string; readonly mode: string; readonly token: string }
}
const mint = async (id: string, mode: string) => {
  const { body } = await rest<Minted>('POST', `/v1/sessions/${id}/live-tokens`, { mode })
  return body.data.live_view_url
}

interface Remote extends SessionJson {
  readonly page: Page
}

/** Others may reach the service, so that a session asks for the site on this machine. */
const toSite = { session: { network: { allow_private: true } } }

async function openRemote(body: object): Promise<Remote> {
  const session = await createSession(rest, { ...body, ...toSite })
  const client = await connectPlaywright(session.cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  await page.goto(site.url)
  return { ...session, page }
}

type Seen = readonly (readonly [string, boolean, ...unknown[]])[]
const seenBy = ({ page }: Remote) => page.evaluate<Seen>('seen')
const typedIn = ({ page }: Remote) => page.inputValue('#field')

const desktop = await openRemote({ browser: { viewport } })
const bare = await openRemote({ browser: { viewport, ...headless.browser } })

const driver = await launchChromium()
const desk = await driver.newContext({ viewport: { width: 1000, height: 700 } })
t.teardown(() => driver.close())

const openView = (url: string, context = desk) => openLive(context, url)

const isClickAt = (x: number, y: number) => (what: Seen[number]) => {
  const [kind, isTrusted, atX, atY] = what
  const near = Math.abs(Number(atX) - x) <= 2 && Math.abs(Number(atY) - y) <= 2
  return kind === 'click' && isTrusted && near
}

/**
 * Waits for the pointer to arrive, because Chromium may process keys before earlier mouse events.
 */
async function enterField(view: Page, remote: Remote, framed: number): Promise<void> {
  const clicks = async () => (await seenBy(remote)).filter(isClickAt(200, 120)).length
  const before = await clicks()
  await pressAt(view, 200, 120 + framed)
  await until('the field is clicked', async () => (await clicks()) > before)
}

await t.test('a desktop is shown and driven, also after a reload', async (t) => {
  t.match(desktop.live_view_url, `${proxy.url}/live/`, 'below the path of PUBLIC_URL')
  const view = await openView(desktop.live_view_url)
  await until('the page is on the canvas', async () => {
    return isOrange(await colourAt(view, 700, 500 + framePx))
  })
  await pressAt(view, 650, 400 + framePx)
  await until('the click arrived', async () => (await seenBy(desktop)).some(isClickAt(650, 400)))
  await enterField(view, desktop, framePx)
  await view.keyboard.type('Hello, 1+1=2')
  await until('as much as the text arrived', async () => (await typedIn(desktop)).length >= 12)
  t.equal(await typedIn(desktop), 'Hello, 1+1=2')
  t.ok((await seenBy(desktop)).every(([, isTrusted]) => isTrusted))
  await isAccessible(t, view, 'connected')
  await view.reload()
  await liveState(view, 'connected')
  await until('the page is on the canvas again', async () => {
    return isOrange(await colourAt(view, 700, 500 + framePx))
  })
  await view.close()
})

await t.test('keys of other keyboard layouts arrive', async () => {
  const view = await openView(desktop.live_view_url)
  await desktop.page.fill('#field', '')
  await enterField(view, desktop, framePx)
  let expected = ''
  for (const key of ['é', 'a', 'ß', 'Я', '你', 'b', '€']) {
    await view.evaluate(`{
      const canvas = document.querySelector('#stage canvas')
      const key = { key: '${key}', code: 'KeyE', bubbles: true }
      for (const type of ['keydown', 'keyup']) canvas.dispatchEvent(new KeyboardEvent(type, key))
    }`)
    expected += key
  }
  await until('all arrived, in order', async () => (await typedIn(desktop)) === expected)
  await view.close()
})

await t.test('the keyboard can leave the session, and its tools work', async (t) => {
  const view = await openView(desktop.live_view_url)
  const focused = () => view.evaluate<string>(`document.activeElement.id || 'canvas'`)
  t.equal(await focused(), 'canvas')
  await view.keyboard.press('Tab')
  t.equal(await focused(), 'canvas', 'Tab is the session’s')
  await view.keyboard.press('Control+Alt+Shift')
  t.equal(await focused(), 'fit')
  const width = async () => (await view.locator('#stage canvas').boundingBox())!.width
  t.not(await width(), viewport.width)
  await view.keyboard.press('Enter')
  await until('it is shown 1:1', async () => (await width()) === viewport.width)
  await view.click('#clipboard')
  t.equal(await focused(), 'clipboard-text')
  await isAccessible(t, view, 'clipboard')
  await view.keyboard.press('Escape')
  t.equal(await focused(), 'clipboard')
  await view.close()
})

for (const [kind, session, framed] of [
  ['a desktop', desktop, framePx],
  ['a page', bare, 0],
] as const) {
  await t.test(`${kind}: the clipboard works both ways, with text of any script`, async (t) => {
    const view = await openView(session.live_view_url)
    await session.page.fill('#field', '')
    await enterField(view, session, framed)
    await view.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'Grüße, 你好 🎉')
      const canvas = document.querySelector('#stage canvas')
      canvas.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    }`)
    await until('it is pasted', async () => (await typedIn(session)) === 'Grüße, 你好 🎉')
    await view.focus('#keys')
    await view.keyboard.insertText(' ومرحبا')
    await until('it is typed', async () => (await typedIn(session)) === 'Grüße, 你好 🎉 ومرحبا')
    const text = () => view.inputValue('#clipboard-text')
    await view.click('#clipboard')
    await until('it shows what is there', async () => (await text()) === 'Grüße, 你好 🎉')
    await view.fill('#clipboard-text', 'from here')
    await view.click('#clipboard-send')
    await until('it is sent', async () => (await view.textContent('#clipboard-note')) === 'Sent.')
    type Read = { data: { text: string } }
    const read = await rest<Read>('GET', `/v1/sessions/${session.id}/clipboard`)
    t.equal(read.body.data.text, 'from here')
    await rest('POST', `/v1/sessions/${session.id}/clipboard`, { text: 'from there' })
    await view.click('#clipboard-fetch')
    await until('it is fetched', async () => (await text()) === 'from there')
    await view.close()
  })
}

await t.test('a connection that is cut is restored', async (t) => {
  const view = await openView(desktop.live_view_url)
  await view.evaluate(`
    var states = []
    new MutationObserver(() => states.push(document.body.dataset.state)).observe(document.body, {
      attributeFilter: ['data-state'],
    })`)
  t.equal(proxy.cut(/^\/live\//), 1)
  const went = () => view.evaluate<string[]>('states')
  await until('it is connected again', async () => (await went()).at(-1) === 'connected')
  t.same(await went(), ['reconnecting', 'connected'])
  await pressAt(view, 640, 300 + framePx)
  await until('a click arrives', async () => (await seenBy(desktop)).some(isClickAt(640, 300)))
  await view.close()
})

await t.test('a connection that comes to nothing is tried again', async () => {
  proxy.stallNext()
  const view = await openView(desktop.live_view_url)
  await view.close()
})

await t.test('several viewers look at once, and each is told how many', async (t) => {
  const control = await openView(desktop.live_view_url)
  const count = (of: string) => async () => (await control.textContent('#viewers')) === of
  await until('one viewer', count('1 viewer'))
  const phone = await driver.newContext({
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
  })
  const view = await openView(await mint(desktop.id, 'view'), phone)
  await until('two viewers', count('2 viewers'))
  t.ok(await view.isVisible('#read-only'), 'one of them only looks')
  await isAccessible(t, view, 'on a phone')
  await phone.close()
  await until('one viewer again', count('1 viewer'))
  await control.close()
})

await t.test('a viewer who may only look changes nothing, whatever they send', async (t) => {
  await desktop.page.evaluate('seen.length = 0')
  const screen = { width: viewport.width, height: viewport.height + framePx }
  const act = async (live: LiveSocket) => {
    live.click(600, 350 + framePx)
    live.key(0x7a)
    await live.look(screen.width, screen.height)
  }
  const looker = await LiveSocket.open(await mint(desktop.id, 'view'))
  await looker.greet()
  await act(looker)
  t.same(await seenBy(desktop), [], 'the screen came, nothing else happened')
  const mover = await LiveSocket.open(await mint(desktop.id, 'control'))
  await mover.greet()
  await act(mover)
  await until('of the same bytes', async () => (await seenBy(desktop)).some(isClickAt(600, 350)))
  looker.tell({ type: 'clipboard_read', id: 1 })
  await until('it is told no', () => looker.told.some(({ type }) => type === 'failed'))
  looker.send(Buffer.of(99))
  t.match(await looker.closed, { code: 1008, reason: /type 99/ })
  mover.tell({ type: 'mouse', act: 'explode' })
  t.match(await mover.closed, { code: 1008 })
})

await t.test('a viewer who is cut off releases the keys and buttons they held', async (t) => {
  await desktop.page.fill('#field', 'all of it')
  await desktop.page.evaluate('seen.length = 0')
  const holder = await LiveSocket.open(desktop.live_view_url)
  await holder.greet()
  holder.click(200, 120 + framePx)
  await until('the field has it', async () => (await seenBy(desktop)).some(isClickAt(200, 120)))
  holder.keyEvent(0xffe3, true)
  holder.key(0x61)
  const isKeyA = ([kind, , key]: Seen[number]) => kind === 'key' && key === 'a'
  await until('Ctrl+A arrived', async () => (await seenBy(desktop)).some(isKeyA))
  t.equal(await typedIn(desktop), 'all of it')
  holder.close()
  const next = await LiveSocket.open(desktop.live_view_url)
  await next.greet()
  next.key(0x62)
  await until('b is a letter, no shortcut', async () => (await typedIn(desktop)) === 'b')
  next.close()
})

await t.test('a headless session shows its page, and is driven too', async (t) => {
  const view = await openView(bare.live_view_url)
  const looker = await LiveSocket.open(await mint(bare.id, 'view'))
  await bare.page.fill('#field', '')
  await until('the page is on the canvas', async () => isOrange(await colourAt(view, 700, 500)))
  await pressAt(view, 650, 400)
  await until('the click arrived', async () => (await seenBy(bare)).some(isClickAt(650, 400)))
  await enterField(view, bare, 0)
  await view.keyboard.type('Hello')
  await view.keyboard.press('Backspace')
  await until('the text arrived', async () => (await typedIn(bare)) === 'Hell')
  await isAccessible(t, view, 'a page')

  await bare.page.evaluate('seen.length = 0')
  const at = { x: 600, y: 350, button: 'left', buttons: 1, clicks: 1, modifiers: 0 }
  for (const act of ['down', 'up']) looker.tell({ type: 'mouse', act, ...at })
  looker.tell({ type: 'text', text: 'z' })
  looker.tell({ type: 'clipboard_read', id: 1 })
  await until('it is told no', () => looker.told.some(({ type }) => type === 'failed'))
  await pressAt(view, 640, 300)
  await until('the next click arrived', async () => (await seenBy(bare)).some(isClickAt(640, 300)))
  t.equal((await seenBy(bare)).length, 1, 'and nothing of who may only look')
  t.equal(await typedIn(bare), 'Hell')
  looker.close()

  const tab = await bare.page.context().newPage()
  await tab.goto('data:text/html,<body style="background:blue">')
  await until('the new tab is shown', async () => (await colourAt(view, 400, 300))[2]! > 240)
  await bare.page.bringToFront()
  await until('the tab before it', async () => isOrange(await colourAt(view, 700, 500)))
  await tab.close()
  await view.close()
})

await t.test('frames wait until the viewer reports that it has drawn', async (t) => {
  await bare.page.evaluate(`
    requestAnimationFrame(function draw(ms) {
      document.body.style.background = 'rgb(255, 128, ' + (Math.round(ms / 20) % 200) + ')'
      requestAnimationFrame(draw)
    })`)
  const live = await LiveSocket.open(await mint(bare.id, 'view'))
  await until('two frames came', () => live.shown.length === 2)
  live.tell({ type: 'drawn' })
  await until('a third', () => live.shown.length === 3)
  await bare.page.evaluate(`new Promise((done) => {
    let drawn = 0
    requestAnimationFrame(function draw() {
      if (++drawn < 20) requestAnimationFrame(draw)
      else done()
    })
  })`)
  t.equal(live.shown.length, 3, 'and no more while the page went on')
  live.close()
})

await t.test('a view-only session gives no viewer more rights', async (t) => {
  const session = await createSession(rest, {
    session: { live_view: { read_only: true } },
    ...headless,
  })
  const view = await openView(session.live_view_url)
  t.ok(await view.isVisible('#read-only'))
  t.notOk(await view.isVisible('#keyboard'))
  const path = `/v1/sessions/${session.id}`
  t.match(await rest('POST', `${path}/live-tokens`, { mode: 'control' }), {
    status: 403,
    body: { error: { type: 'forbidden', message: /read_only/ } },
  })
  const { body } = await rest<{ data: { configuration: object } }>('GET', path)
  t.match(body.data.configuration, { session: { live_view: { read_only: true } } })
  await rest('DELETE', path)
  await liveState(view, 'ended')
  t.match(await view.textContent('#notice'), /The session was ended/)
  await isAccessible(t, view, 'ended')
  await view.reload()
  await liveState(view, 'ended')
  t.match(await rest('POST', `${path}/live-tokens`), { status: 410 })
  await t.rejects(LiveSocket.open(session.live_view_url), /410/)
  await view.close()
})

await t.test('a link opens its own session and nothing else', async (t) => {
  const other = desktop.live_view_url.replace(desktop.id, bare.id)
  const wrong = desktop.live_view_url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  for (const url of [other, wrong, `${proxy.url}/live/${desktop.id}`]) {
    const view = await desk.newPage()
    t.equal((await view.goto(url))!.status(), 401)
    await liveState(view, 'denied')
    await view.close()
    await t.rejects(LiveSocket.open(url.includes('?') ? url : `${url}?`), /401/)
  }
  const view = await desk.newPage()
  await view.goto(wrong)
  await liveState(view, 'denied')
  await isAccessible(t, view, 'no right')
  await view.close()
  const path = `/v1/sessions/${desktop.id}/live-tokens`
  t.match(await rest('POST', path), { status: 200, body: { data: { mode: 'view' } } })
  for (const body of [{ mode: 'all' }, { ttl_seconds: 0 }, { ttl_seconds: 1e9 }, { extra: 1 }]) {
    t.match(await rest('POST', path, body), { status: 400 }, JSON.stringify(body))
  }
  t.match(await rest('POST', '/v1/sessions/ses_nobody/live-tokens'), { status: 404 })
})

await t.test('sockets close with the code of the session’s end', async (t) => {
  const live = await LiveSocket.open(desktop.live_view_url)
  await rest('DELETE', `/v1/sessions/${desktop.id}`)
  t.match(await live.closed, { code: 4003, reason: /^deleted/ })
})
