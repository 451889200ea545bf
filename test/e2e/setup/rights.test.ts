/**
 * Goal: what a session may do, where it says that it is, and what it sends to servers is as it was
 * asked for; what a page asks its user for is refused at once where it was not.
 * Method: real browsers, with a display and without, and servers that record what they are sent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import t, { type Test } from 'tap'
import type { PermissionName } from '../../../proto/session/setup/browser-setup.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { until } from '../../helpers/lib/until.ts'
import { certificate, key } from '../../helpers/lib/self-signed.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'

interface Sent {
  readonly host: string
  readonly path: string
  readonly extra: string | undefined
  readonly authorization: string | undefined
}
const sent: Sent[] = []

function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): unknown {
  const { host = '', authorization } = headers
  const extra = headers['x-tenant'] as string | undefined
  sent.push({ host, path: url, extra, authorization })
  if (url === '/file') {
    response.setHeader('content-disposition', 'attachment; filename="report.csv"')
    return response.end('1,2')
  }
  if (url === '/closed' && authorization === undefined) {
    return response.writeHead(401, { 'www-authenticate': 'Basic realm="Office"' }).end()
  }
  const type = url.endsWith('.js') ? 'text/javascript' : 'text/html'
  response.setHeader('content-type', type)
  return response.end(
    url === '/asks'
      ? asking
      : type === 'text/html'
        ? page
        : 'fetch("/from-worker").then(() => postMessage(1))',
  )
}

const page = '<!doctype html><title>Rights</title><a href="/file">Report</a><button>Press</button>'
const asking = `<!doctype html><title>Asks</title><button>Press</button><script>
  navigator.geolocation.getCurrentPosition(() => {}, () => {})
  document.querySelector('button').onclick = () => Notification.requestPermission()</script>`
const server = createServer(answer)
const port = await listenOnLoopback(server)
const site = `http://localhost:${port}`
const other = `http://127.0.0.1:${port}`
const secure = createSecureServer({ key, cert: certificate }, answer)
const secureSite = `https://localhost:${await listenOnLoopback(secure)}`
t.teardown(async () => {
  await closeServer(server)
  await closeServer(secure)
})
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

/** Each resolves with a word; without the refusals most would wait for somebody at the display. */
const questions: Readonly<Record<string, string>> = {
  geolocation: `new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    ({ coords }) => resolve([coords.latitude, coords.longitude, coords.accuracy].join()),
    ({ code }) => resolve('refused ' + code)))`,
  notifications: 'Notification.requestPermission()',
  camera: `navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'granted', (e) => e.name)`,
  microphone: `navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'granted', (e) => e.name)`,
  clipboard: `navigator.clipboard.readText().then(() => 'granted', (e) => e.name)`,
  midi: `navigator.requestMIDIAccess({ sysex: true }).then(() => 'granted', (e) => e.name)`,
  fonts: `queryLocalFonts().then((all) => (all.length > 0 ? 'granted' : 'denied'), (e) => e.name)`,
  idle: 'IdleDetector.requestPermission()',
  screens: `getScreenDetails().then(() => 'granted', (e) => e.name)`,
  usb: `navigator.usb.requestDevice({ filters: [] }).then(() => 'granted', (e) => e.name)`,
  serial: `navigator.serial.requestPort().then(() => 'granted', (e) => e.name)`,
  hid: `navigator.hid.requestDevice({ filters: [] }).then((all) => (all.length > 0 ? 'granted' : 'denied'), (e) => e.name)`,
}

/** The names of what these questions ask for; Chromium counts some of them within a second. */
const askedFor: Readonly<Record<string, PermissionName>> = {
  ...{ camera: 'camera', microphone: 'microphone', fonts: 'local-fonts' },
  ...{ clipboard: 'clipboard-read', idle: 'idle-detection' },
  ...{ screens: 'window-management', midi: 'midi-sysex' },
}

async function open(t: Test, active: boolean, browser: object = {}) {
  const body = { browser: { ...browser, headless: { active }, evaluate: { active: true } } }
  const session = await openPageSession(host, body)
  t.teardown(session.end)
  const ask = async (question: string) =>
    (await session.run('evaluate', { expression: questions[question]! })).value
  const open = (url: string) => session.run('navigate', { url })
  return { ...session, ask, open }
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

for (const active of [true, false]) {
  t.test(active ? 'headless' : 'headful', async (t) => {
    await t.test('what nobody can answer is refused at once', async (t) => {
      const { ask, open: go } = await open(t, active)
      await go(site)
      for (const question of Object.keys(questions)) {
        t.match(await ask(question), /^(refused 1|denied|.*Error)$/, question)
      }
    })

    await t.test('what a page was refused is told', async (t) => {
      const session = await open(t, active)
      const { run, ask } = session
      const textOf = async () => (await run('snapshot')).text
      const { changes } = await session.open(`${site}/asks`)
      t.match(changes, '! the page asked for geolocation, which the session does not grant')
      t.match(await textOf(), /^! the page asked for geolocation, which/)
      const { changes: clicked } = await run('click', { target: 'button "Press"' })
      t.match(clicked, /^! the page asked for notifications, which/m, 'and not again for the other')
      t.match(await textOf(), /^! the page asked for geolocation, notifications, which/)
      await run('handle_permission', { permission: 'notifications' })
      t.match(await textOf(), /^! the page asked for geolocation, which/)
      t.notMatch((await run('extract_text')).text, /asked for/)

      t.notMatch((await session.open(`${site}/quiet`)).changes, /asked for/)
      t.notMatch(await textOf(), /asked for/)
      for (const [question, name] of Object.entries(askedFor)) {
        await ask(question)
        const isTold = async () =>
          new RegExp(`^! the page asked for .*${name}`).test(await textOf())
        await until(`${name} is told`, isTold)
      }
      t.notMatch(await textOf(), /^!.*(notifications|geolocation)/)
      await run('handle_permission', { permission: 'geolocation', origin: other })
      await session.open(`${other}/asks`)
      t.notMatch(await textOf(), /asked for/, 'what is granted')
    })

    await t.test('permissions, by origin, and a place', async (t) => {
      const browser = {
        geolocation: { latitude: 48.21, longitude: 16.37 },
        permissions: [
          ...['geolocation', 'notifications', 'window-management'],
          { name: 'geolocation', origin: other, setting: 'denied' },
        ],
      }
      const session = await open(t, active, browser)
      await session.open(site)
      t.equal(await session.ask('geolocation'), '48.21,16.37,0')
      t.equal(await session.ask('notifications'), 'granted')
      t.equal(await session.ask('screens'), 'granted')
      t.match(await session.ask('midi'), /^(NotAllowed|Security)Error$/, 'what was not granted')
      await session.open(other)
      t.equal(await session.ask('geolocation'), 'refused 1')
      t.equal(await session.ask('notifications'), 'granted')

      const client = await session.client()
      const context = client.contexts()[0]!
      await context.pages()[0]!.goto(site)
      await context.setGeolocation({ latitude: 1, longitude: 2, accuracy: 3 })
      t.equal(await session.ask('geolocation'), '1,2,3', 'a client’s own place is not overruled')
      await context.grantPermissions(['midi', 'midi-sysex'], { origin: site })
      // Granted, but most machines have no such device.
      const midi = await session.ask('midi')
      t.match(midi, /^(granted|InvalidStateError)$/, 'nor is what it grants')
      const own = await client.newContext({ geolocation: { latitude: 5, longitude: 6 } })
      await own.grantPermissions(['geolocation'])
      const inOwn = await own.newPage()
      await inOwn.goto(site)
      t.equal(await inOwn.evaluate(questions['geolocation']!), '5,6,0', 'nor are its contexts')
      await client.close()
    })

    await t.test('permissions are given and taken while a session runs', async (t) => {
      const session = await open(t, active, { geolocation: { latitude: 48.21, longitude: 16.37 } })
      const decide = (permission: PermissionName, accept: boolean, origin?: string) =>
        session.run('handle_permission', { permission, accept, ...(origin && { origin }) })
      await session.open(site)
      t.equal(await session.ask('geolocation'), 'refused 1')
      const granted = { origin: site, setting: 'granted', note: /ask again/ }
      t.match(await decide('geolocation', true), granted)
      t.equal(await session.ask('geolocation'), '48.21,16.37,0')
      await decide('notifications', true, other)
      t.equal(await session.ask('notifications'), 'denied', 'another site has it')
      await session.open(other)
      t.equal(await session.ask('notifications'), 'granted')
      t.equal(await session.ask('geolocation'), 'refused 1')
      await decide('notifications', false)
      t.equal(await session.ask('notifications'), 'denied')
      await session.open('about:blank')
      const { type, message } = await session.refusal('handle_permission', {
        ...{ permission: 'camera', accept: true },
      })
      t.match([type, message], ['bad_request', /origin must be given/])
    })

    await t.test('headers and a login of HTTP', async (t) => {
      const session = await open(t, active, {
        extra_http_headers: { 'X-Tenant': 'north' },
        http_credentials: { origin: site, username: 'clerk', password: 'päss:1' },
      })
      sent.length = 0
      await session.open(`${site}/closed`)
      t.match(await session.run('snapshot'), { title: 'Rights' })
      const expression = `Promise.all([
        fetch('/fetched'), fetch('${other}/elsewhere', { mode: 'no-cors' }),
        new Promise((resolve) => { new Worker('/worker.js').onmessage = () => resolve() }),
      ]).then(() => 1)`
      await session.run('evaluate', { expression })
      const of = (path: string) => sent.filter((one) => one.path === path).at(-1)
      for (const path of ['/closed', '/fetched', '/worker.js', '/from-worker']) {
        t.match(of(path), { extra: 'north', authorization: basic('clerk:päss:1') }, path)
      }
      t.match(of('/elsewhere'), { extra: 'north', authorization: undefined }, 'of its origin alone')
      t.equal(sent.filter(({ path }) => path === '/closed').length, 1, 'without being asked for it')
    })

    await t.test('certificates that are not valid', async (t) => {
      const strict = await open(t, active)
      t.match(await strict.refusal('navigate', { url: secureSite }), { message: /CERT/ })
      const lenient = await open(t, active, { ignore_https_errors: true })
      await lenient.open(secureSite)
      t.match(await lenient.run('snapshot'), { title: 'Rights' })
    })

    await t.test('downloads that are denied', async (t) => {
      const session = await open(t, active, { downloads: 'deny' })
      await session.open(site)
      await session.run('click', { target: 'link "Report"' })
      const held = host.sessions.held().find((one) => one.sessionId === session.sessionId)!
      const downloads = await held.browser.files.downloads.list()
      t.notOk(downloads.some(({ state }) => state === 'completed'))
      t.match(await session.run('snapshot'), { title: 'Rights' })
    })

    await t.test('dialogs that are dismissed', async (t) => {
      const session = await open(t, active, { disable_dialogs: { active: true } })
      await session.open(site)
      // Two sessions of the agent hear of each: what one says to an alert is not the answer to the next.
      const ask = `Array.from({ length: 30 }, () => [alert('a'), confirm('b'), prompt('c', 'd')])`
      const answers = (await session.run('evaluate', { expression: ask })).value
      t.same(answers, Array(30).fill([null, false, null]))
      await session.run('evaluate', { expression: `addEventListener('click', () => alert('x'))` })
      await session.run('click', { target: 'button "Press"' })
      await session.run('evaluate', {
        expression: `addEventListener('beforeunload', (event) => event.preventDefault())`,
      })
      await session.open(`${site}/left`)
      const client = await session.client()
      const page = client.contexts()[0]!.pages()[0]!
      t.match(page.url(), /left$/)
      t.equal(await page.evaluate(`confirm('with a client')`), false)
      const popup = page.waitForEvent('popup')
      await page.evaluate(`void open('/popup')`)
      t.same(await (await popup).evaluate(`[prompt('in a pop-up')]`), [null])
      await client.close()
    })
  })
}
