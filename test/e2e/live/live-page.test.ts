/**
 * Goal: a live view says what is so (live, reconnecting, ended, where the keyboard is, the time
 * left), has the keys that a phone lacks, and lets a viewer share, switch tabs and end the session
 * as far as the link allows. Method: the page in a real browser, with its socket cut, held or
 * played to where that is needed; bare sockets for what the page would not send.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { liveState, openLive } from '../../helpers/gateway/live/live-page.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { openPrefixProxy } from '../../helpers/service/proxies/prefix-proxy.ts'
import {
  createSession,
  headless,
  startService,
  type SessionJson,
} from '../../helpers/service/service.ts'

const viewport = { width: 800, height: 600 }
const site = await serveWebPage(`<title>Remote</title>
  <body style="margin:0;background:#ff8000">
  <input id="field" autofocus style="width:90%">
  <script>
    const keys = []
    addEventListener('keydown', (e) => keys.push(e.key))
  </script>`)
const proxy = await openPrefixProxy('/browsers')
const service = await startService({
  env: { POOL_HEADLESS: '2', PUBLIC_URL: proxy.url, ALLOW_DEV_KEY: '1' },
})
proxy.lead(service)
t.teardown(async () => {
  await service.stop()
  await proxy.close()
  await site.close()
})
const { rest } = service

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

const desktop = await openRemote({ browser: { viewport } })
const bare = await openRemote({ browser: { viewport, ...headless.browser } })
const driver = await launchChromium()
t.teardown(() => driver.close())
const desk = await driver.newContext({ viewport: { width: 1000, height: 700 } })

async function mint({ id }: SessionJson, mode: string, ttl_seconds = 600): Promise<string> {
  type Minted = { data: { live_view_url: string } }
  const path = `/v1/sessions/${id}/live-tokens`
  return (await rest<Minted>('POST', path, { mode, ttl_seconds })).body.data.live_view_url
}

const textOf = (view: Page, selector: string) => view.textContent(selector)
const frameOf = (view: Page) =>
  view.evaluate<string>(`getComputedStyle(document.querySelector('main'), '::after').boxShadow`)

/** RFB's FramebufferUpdateRequest: all that follows it are pictures. */
const isPictureRequest = (message: string | Buffer) =>
  typeof message !== 'string' && message.length === 10 && message[0] === 3

await t.test('it is live once there is a picture, and not before', async (t) => {
  const view = await desk.newPage()
  const held: (() => void)[] = []
  let isHeld = false
  await view.routeWebSocket(/\/socket/, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      isHeld ||= held.length === 0 && isPictureRequest(message)
      server.send(message)
    })
    server.onMessage((message) => {
      if (isHeld && typeof message !== 'string') held.push(() => socket.send(message))
      else socket.send(message)
    })
  })
  await view.goto(desktop.live_view_url)
  await until('a part of the picture is on its way', () => held.length > 0)
  const width = `document.querySelector('#stage canvas')?.width`
  await until('the canvas is there', async () => (await view.evaluate(width)) === 800)
  t.equal(await textOf(view, '#status'), 'Connecting')
  t.match(await textOf(view, '#notice'), /first picture/)
  isHeld = false
  for (const send of held) send()
  await liveState(view, 'connected')
  t.equal(await textOf(view, '#status'), 'Live')
  await view.close()
})

for (const [kind, session] of [
  ['a desktop', desktop],
  ['a page', bare],
] as const) {
  await t.test(`${kind}: during a drop its last picture stays, dimmed`, async (t) => {
    const view = await openLive(desk, session.live_view_url)
    await view.setViewportSize({ width: 1000, height: 500 })
    const bottomOf = async (canvas: string) => {
      const { y, height } = (await view.locator(canvas).boundingBox())!
      return y + height
    }
    await until('it fits', async () => (await bottomOf('#stage canvas')) <= 500)
    proxy.lead({ port: 1 })
    proxy.cut(/^\/live\//)
    await liveState(view, 'reconnecting')
    t.ok(await view.isVisible('#last-picture canvas'))
    t.ok((await bottomOf('#last-picture canvas')) <= 500, 'it fits, too')
    t.match(await textOf(view, '#notice-title'), 'Trying to reconnect…')
    t.match(await textOf(view, '#notice-advice'), /Next attempt/)
    await until('it says why', async () =>
      /does not respond/.test((await textOf(view, '#notice-text'))!),
    )
    await isAccessible(t, view, 'reconnecting')
    proxy.lead(service)
    await liveState(view, 'connected')
    t.equal(await view.locator('#last-picture canvas').count(), 0)
    await view.close()
  })
}

await t.test('it shows where the keyboard is, and only to those who can type', async (t) => {
  const view = await openLive(desk, desktop.live_view_url)
  t.equal(await textOf(view, '#keyboard-state'), 'Keyboard: session')
  t.not(await frameOf(view), 'none')
  await view.keyboard.press('Control+Alt+Shift')
  t.equal(await textOf(view, '#keyboard-state'), 'Keyboard: this page')
  t.equal(await frameOf(view), 'none')
  await view.close()
  const looker = await openLive(desk, await mint(desktop, 'view'))
  t.notOk(await looker.isVisible('#keyboard-state'))
  t.notOk(await looker.isVisible('#way-out'))
  await until('it has the title', async () => (await textOf(looker, '#page-title')) === 'Remote')
  for (const tool of ['tabs', 'share', 'clipboard', 'end', 'key-row']) {
    t.notOk(await looker.isVisible(`#${tool}`), tool)
  }
  await isAccessible(t, looker, 'view only')
  await looker.close()
})

for (const [kind, session, top] of [
  ['a desktop', desktop, 87],
  ['a page', bare, 0],
] as const) {
  await t.test(`${kind}: a phone has the keys that its keyboard lacks`, async (t) => {
    const phone = await driver.newContext({
      ...{ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
    })
    const view = await openLive(phone, session.live_view_url)
    t.notOk(await view.isVisible('#way-out'))
    t.notOk(await view.isVisible('#keyboard-state'))
    await view.evaluate('clicks = 0; addEventListener("click", () => clicks++, true)')
    /** The click follows the touch, and text that is inserted meanwhile would come before it. */
    const tap = async (selector: string) => {
      const before = await view.evaluate<number>('clicks')
      await view.tap(selector)
      await until('it is clicked', async () => (await view.evaluate<number>('clicks')) > before)
    }
    const value = () => session.page.inputValue('#field')
    const isValue = (text: string) => until(`it is ${text}`, async () => (await value()) === text)
    const box = (await view.locator('#stage canvas').boundingBox())!
    const scale = box.width / 800
    await view.touchscreen.tap(box.x + 100 * scale, box.y + (top + 12) * scale)
    const focused = `document.activeElement.id === 'field'`
    await until('the field is focused', () => session.page.evaluate<boolean>(focused))
    await tap('#keyboard')
    t.equal(await view.getAttribute('#keyboard', 'aria-pressed'), 'true')
    await view.keyboard.insertText('abc')
    await isValue('abc')
    await tap('[data-modifier=ctrl]')
    t.equal(await view.getAttribute('[data-modifier=ctrl]', 'aria-pressed'), 'true')
    t.equal(await view.getAttribute('#keyboard', 'aria-pressed'), 'true', 'it stays open')
    await view.keyboard.insertText('a')
    t.equal(await view.getAttribute('[data-modifier=ctrl]', 'aria-pressed'), 'false')
    const selected = `field.selectionEnd - field.selectionStart`
    await until('all is selected', async () => (await session.page.evaluate(selected)) === 3)
    await view.keyboard.insertText('x')
    await isValue('x')
    for (const letter of 'yzw') {
      await tap('[data-key=ArrowLeft]')
      await view.keyboard.insertText(letter)
    }
    await isValue('wzyx')
    await tap('[data-key=Escape]')
    const lastKey = () => session.page.evaluate<string>('keys.at(-1)')
    await until('Escape arrived', async () => (await lastKey()) === 'Escape')
    for (const button of await view.locator('button:visible').all()) {
      const { width, height } = (await button.boundingBox())!
      t.ok(width >= 44 && height >= 44, (await button.getAttribute('aria-label')) ?? 'a button')
    }
    await isAccessible(t, view, 'a phone')
    await phone.close()
  })
}

await t.test('the time left counts down, and an extension is said', async (t) => {
  const view = await desk.newPage()
  let tell: ((text: string) => void) | undefined
  await view.routeWebSocket(/\/socket/, (socket) => {
    socket.connectToServer()
    tell = (text) => socket.send(text)
  })
  await view.goto(bare.live_view_url)
  await liveState(view, 'connected')
  t.match(await textOf(view, '#time-left'), /^1\d min left$/, 'of 20 minutes')
  tell!(JSON.stringify({ type: 'time', session_ms: 61_500, link_ms: null }))
  const says = (what: string, selector: string, words: RegExp) =>
    until(what, async () => words.test((await textOf(view, selector))!))
  await says('it counts', '#time-left', /^0:\d\d left$/)
  await says('it warns', '#time-said', /^The session ends in 1 minute\.$/)
  tell!(JSON.stringify({ type: 'time', session_ms: 3_700_000, link_ms: null }))
  await says('it was extended', '#time-left', /^Extended: 1 h 1 min left$/)
  await says('until when', '#time-said', /^The session was extended; it ends at \d/)
  await view.close()
  const guest = await openLive(desk, await mint(bare, 'view', 300))
  t.match(await textOf(guest, '#time-left'), /^Your link: [34]:\d\d left$/)
  await guest.close()
})

await t.test('whoever is in control makes links, which do not do more than theirs', async (t) => {
  const view = await openLive(desk, bare.live_view_url)
  await view.click('#share')
  await view.fill('#share-minutes', '5')
  await view.click('#share-form [type=submit]')
  await view.waitForSelector('#share-result', { state: 'visible' })
  await isAccessible(t, view, 'a link')
  const url = await view.inputValue('#share-link')
  t.ok(url.startsWith(`${proxy.url}/live/${bare.id}?token=`))
  await view.keyboard.press('Escape')
  const guest = await openLive(desk, url)
  t.ok(await guest.isVisible('#read-only'))
  await guest.close()
  await view.close()

  const looker = await LiveSocket.open(url)
  const requests = [
    { type: 'tabs' },
    { type: 'tab_select', tab: 'any' },
    { type: 'share', mode: 'view', minutes: 1 },
    { type: 'end_session' },
  ]
  for (const [id, request] of requests.entries()) looker.tell({ id, ...request })
  looker.tell({ type: 'title', id: 9 })
  const refused = () => looker.told.filter(({ type }) => type === 'failed').length
  await until('all else is refused', () => refused() === requests.length)
  await until('it has a title', () =>
    looker.told.some(({ type, title }) => type === 'title' && title === 'Remote'),
  )
  looker.close()

  const short = await LiveSocket.open(await mint(bare, 'control', 120))
  const answer = (id: number) =>
    until(`answer ${id}`, () => short.told.find((message) => message['id'] === id))
  t.match(await until('hello', () => short.told[0]), { type: 'hello', rights: ['tabs', 'share'] })
  short.tell({ type: 'end_session', id: 1 })
  t.match(await answer(1), { type: 'failed' }, 'a link for a while does not end the session')
  short.tell({ type: 'share', id: 2, mode: 'control', minutes: 60 })
  const made = await answer(2)
  t.match(made, { type: 'link', mode: 'control' })
  t.ok(Date.parse(String(made['expires_at'])) <= Date.now() + 120_000, 'ends with its own')
  short.close()
})

await t.test('a link that works once is for the first viewer who opens it', async (t) => {
  const once = { session: { live_view: { one_time_url: true } }, ...headless }
  const session = await createSession(rest, once)
  const path = `/v1/sessions/${session.id}`
  const ofSession = session.live_view_url
  const answer = await rest<{ data: { live_view_url: string } }>('POST', `${path}/live-tokens`, {
    ...{ mode: 'control', one_time: true },
  })
  for (const url of [ofSession, answer.body.data.live_view_url]) {
    const view = await openLive(desk, url)
    t.notOk(await view.isVisible('#share'), 'it makes no other links')
    // A connection that is lost comes back, a page that is loaded again too.
    await view.reload()
    await liveState(view, 'connected')
    const other = await desk.newPage()
    await other.goto(url)
    await liveState(other, 'denied')
    t.match(await other.textContent('#notice'), /works once and was opened by someone else/)
    await t.rejects(LiveSocket.open(url), /401/)
    await t.rejects(LiveSocket.open(`${url}&viewer=guessed`), /401/)
    await other.close()
    await view.close()
  }
  const next = (await rest<{ data: { live_view_url: string } }>('GET', path)).body.data
    .live_view_url
  t.not(next, ofSession, 'whoever has the key gets another one')
  const bareViewer = await LiveSocket.open(next)
  bareViewer.close()
  await rest('DELETE', path)
})

await t.test('tabs are listed and chosen', async (t) => {
  const second = await bare.page.context().newPage()
  await second.goto('data:text/html,<title>Second</title>')
  const view = await openLive(desk, bare.live_view_url)
  await view.click('#tabs')
  const current = () => view.textContent('#tabs-list [aria-current] strong')
  await until('the second is in front', async () => (await current()) === 'Second')
  await isAccessible(t, view, 'tabs')
  await view.click('#tabs-list button:has-text("Remote")')
  await until('the first is in front', async () => (await current()) === 'Remote')
  await until('also in the bar', async () => (await textOf(view, '#page-title')) === 'Remote')
  await second.close()
  await until('one is left', async () => (await view.locator('#tabs-list li').count()) === 1)
  await view.close()
})

await t.test('the session ends after a question, and its viewers learn why', async (t) => {
  const drives = await newKey(service, 'drives', '--scopes', 'drive', '--tenant', 'default')
  const theirs = (await drives.rest('GET', `/v1/sessions/${bare.id}`)).body.data.live_view_url
  const driving = await openLive(desk, theirs)
  t.ok(await driving.isVisible('#share'))
  t.notOk(await driving.isVisible('#end'), 'its key may not end sessions')
  await driving.close()
  const view = await openLive(desk, bare.live_view_url)
  const looker = await openLive(desk, await mint(bare, 'view'))
  await view.click('#end')
  await isAccessible(t, view, 'before the end')
  await view.click('#end-cancel')
  t.equal(await textOf(view, '#status'), 'Live')
  await view.click('#end')
  await view.click('#end-confirm')
  await Promise.all([liveState(view, 'ended'), liveState(looker, 'ended')])
  t.equal(await textOf(view, '#notice-title'), 'The session was ended')
  t.equal(await textOf(view, '#notice-text'), 'Someone with access to the session ended it.')
  t.match(await textOf(view, '#notice-advice'), /Create a new session/)
  t.match(await textOf(looker, '#notice-advice'), /Ask the person who sent you the link/)
  await isAccessible(t, view, 'ended')
  await view.close()
  await looker.close()
  for (const action of ['session.end', 'token.create']) {
    const { stdout } = await troupeOf(service, 'audit', 'list', '--action', action, '--json')
    const ofViews = stdout.split('\n').map((line) => JSON.parse(line) as object)
    t.ok(
      ofViews.some((entry) => 'address' in entry && !('request_id' in entry)),
      `the audit has ${action} by a viewer`,
    )
  }
})
