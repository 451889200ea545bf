/**
 * Goal: a session stays as it was set up when its agent is killed, its secrets are nowhere in what the
 * service stores or shows, and a browser of a preset is kept warm. Method: the whole service.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import {
  browserPid,
  connectPlaywright,
  connectRaw,
  isBrowser,
} from '../../../helpers/browser/browsers.ts'
import { closeServer, listenOnLoopback } from '../../../helpers/lib/loopback.ts'
import { processesNaming } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { createSession, headless, startService } from '../../../helpers/service/service.ts'

const received: IncomingHttpHeaders[] = []
const server = createServer(({ headers }, response) => {
  received.push(headers)
  response.setHeader('content-type', 'text/html').end('<title>Here</title><p>Text')
})
const site = `http://localhost:${await listenOnLoopback(server)}`
t.teardown(() => closeServer(server))

const preset = { ...headless.browser, locale: 'fr-FR', timezone: 'Europe/Paris' }
const service = await startService({
  env: { POOL_PRESETS: JSON.stringify([{ count: 1, browser: preset }]) },
})
t.teardown(() => service.stop())
const { rest } = service

const look = `(async () => ({
  mobile: navigator.userAgentData.mobile,
  agent: navigator.userAgent,
  language: navigator.language,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  place: await new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    ({ coords }) => resolve([coords.latitude, coords.longitude].join()),
    ({ message }) => resolve(message))),
  notifications: await Notification.requestPermission(),
  screens: await getScreenDetails().then(() => 'granted', ({ name }) => name),
  text: getComputedStyle(document.querySelector('p')).opacity,
}))()`
const expected = {
  ...{ mobile: true, agent: /Pixel 7/, language: 'de-AT', zone: 'Europe/Vienna' },
  ...{ place: '48.2,16.4', notifications: 'granted', screens: 'granted', text: '0' },
}

await t.test('an agent is killed', async (t) => {
  const { id, cdp_url } = await createSession(rest, {
    browser: {
      ...{ ...headless.browser, device: 'Pixel 7', locale: 'de-AT', timezone: 'Europe/Vienna' },
      ...{ geolocation: { latitude: 48.2, longitude: 16.4 } },
      permissions: ['geolocation', 'notifications'],
      extra_http_headers: { 'X-Token': 'quartz-lantern' },
      http_credentials: { origin: site, username: 'clerk', password: 'velvet-anchor' },
      sensitive_data_mask: { active: true, custom_selectors: ['p'] },
    },
  })
  const client = await connectPlaywright(cdp_url)
  t.teardown(() => client.close())
  const context = client.contexts()[0]!
  const page = context.pages()[0]!
  await page.goto(site)
  const { status } = await rest('POST', `/v1/sessions/${id}/commands/handle_permission`, {
    permission: 'window-management',
  })
  t.equal(status, 200)
  const routed = { url: '*/api/*', body: 'routed', headers: { 'x-seen': 'amber-ferry' } }
  t.equal((await rest('POST', `/v1/sessions/${id}/commands/route`, routed)).status, 200)
  t.match(await page.evaluate(look), expected)

  const sent = { 'x-token': 'quartz-lantern', 'sec-ch-ua-mobile': '?1', authorization: /^Basic / }
  t.match(received.at(-1), sent)
  await service.strike('node-agent')
  await until('the next agent answers', async () => {
    const { status } = await rest('POST', `/v1/sessions/${id}/commands/snapshot`, {})
    return status === 200
  })
  const later = await context.newPage()
  await later.goto(`${site}/later`)
  t.match(await later.evaluate(look), expected, 'a page that was opened afterwards')
  const asked = `fetch('/api/cart').then((answer) => answer.text())`
  t.same([await later.evaluate(asked), await page.evaluate(asked)], ['routed', 'routed'])
  t.match(received.at(-1), sent)
  await page.reload()
  t.match(await page.evaluate(look), expected, 'and one from before')

  const { body } = await rest<{ data: { configuration: unknown } }>('GET', `/v1/sessions/${id}`)
  t.match(body.data.configuration, {
    browser: {
      ...{ device: 'Pixel 7', locale: 'de-AT', timezone: 'Europe/Vienna' },
      ...{ extra_http_headers: { 'X-Token': null } },
      ...{ http_credentials: { origin: site, username: 'clerk' } },
    },
  })
  t.notMatch(JSON.stringify(body), /quartz|velvet/)
})

await t.test('its secrets are in no file', async (t) => {
  const { dataDir } = service
  const names = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile())
  t.not(files.length, 0)
  for (const { parentPath, name } of files) {
    // Chromium itself keeps the rules of our extension and its own cache.
    if (parentPath.includes('/profile')) continue
    const text = readFileSync(join(parentPath, name), 'latin1')
    t.notMatch(text, /quartz-lantern|velvet-anchor|amber-ferry/, join(parentPath, name))
  }
  t.notMatch(service.output(), /quartz-lantern|velvet-anchor|amber-ferry/)
})

await t.test('a preset is warm', async (t) => {
  const inFrench = () =>
    processesNaming(service.dataDir).filter(
      (one) => isBrowser(one) && one.command.includes('--accept-lang=fr-FR,fr'),
    )
  const [warm] = await until('a browser is warm', () => {
    const found = inFrench()
    return found.length > 0 && found
  })
  const { cdp_url } = await createSession(rest, { browser: preset })
  const raw = await connectRaw(cdp_url)
  t.equal(await browserPid(raw), warm!.pid, 'it ran before')
  raw.close()
  const client = await connectPlaywright(cdp_url)
  t.teardown(() => client.close())
  t.equal(await client.contexts()[0]!.pages()[0]!.evaluate('navigator.language'), 'fr-FR')
})
