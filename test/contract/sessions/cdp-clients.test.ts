/** Goal: CDP clients as people use them, unmodified, against a real service and a real Chromium. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import puppeteer from 'puppeteer-core'
import t, { type Test } from 'tap'
import { chooseEngine, engineNames } from '../../../gateway/server/engine.ts'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { serverEngine } from '../../helpers/service/server-engine.ts'
import {
  createSession,
  startService,
  type Service,
  type SessionJson,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage, type WebPage } from '../../helpers/pages/web-page.ts'

let service: Service
let site: WebPage

t.before(async () => {
  site = await serveWebPage()
  service = await startService()
})
t.teardown(async () => {
  await service.stop()
  await site.close()
})
/** Made for the first test that asks, for all that leave a session as they found it. */
let kept: Promise<SessionJson> | undefined
const common = () => (kept ??= createSession(service.rest))
/** For tests that end it, or count what is in it. */
async function create(t: Test): Promise<SessionJson> {
  const session = await createSession(service.rest)
  t.teardown(() => service.rest('DELETE', `/v1/sessions/${session.id}`))
  return session
}
const statusOf = async (id: string) =>
  (await service.rest('GET', `/v1/sessions/${id}`)).body.data.status
/** The same session by an http:// address, with its query. */
const httpUrl = (cdpUrl: string) => cdpUrl.replace('ws://', 'http://')

t.test(
  'Playwright finds the first context and its page, and leaves the session running',
  async (t) => {
    const { id, cdp_url } = await common()
    const browser = await connectPlaywright(cdp_url)
    const page = browser.contexts()[0]!.pages()[0]!
    await page.goto(site.url)
    t.equal(await page.title(), 'Troupe test page')
    t.same(page.viewportSize(), null)
    await browser.close()
    t.equal(await statusOf(id), 'running')

    const again = await connectPlaywright(cdp_url)
    t.equal(again.contexts()[0]!.pages()[0]!.url(), site.url, 'and finds it as it was')
    await again.close()
  },
)

t.test('the start-up output and /health/ready name the server engine', async (t) => {
  const name = engineNames[chooseEngine(serverEngine)]
  t.match(service.output(), `(${name})`)
  t.match(await service.rest('GET', '/health/ready'), { body: { data: { server: name } } })
})

t.test('Playwright connects to an http:// address through /json/version', async (t) => {
  const { cdp_url } = await common()
  const browser = await chromium.connectOverCDP(httpUrl(cdp_url))
  t.equal(browser.contexts().length, 1)
  await browser.close()
})

t.test('Puppeteer connects, opens pages and disconnects', async (t) => {
  const { id, cdp_url } = await create(t)
  const browser = await puppeteer.connect({ browserWSEndpoint: cdp_url, defaultViewport: null })
  const [first] = await browser.pages()
  await first!.goto(site.url)
  t.equal(await first!.title(), 'Troupe test page')
  await browser.newPage()
  const pages = (await service.rest<{ url: string }[]>('GET', `/v1/sessions/${id}/pages`)).body
  t.same(new Set(pages.map(({ url }) => url)), new Set([site.url, 'about:blank']))
  await browser.disconnect()
  t.equal(await statusOf(id), 'running')
})

t.test('several clients share one session', async (t) => {
  const { cdp_url } = await common()
  const [one, two, raw] = await Promise.all([
    connectPlaywright(cdp_url),
    puppeteer.connect({ browserWSEndpoint: cdp_url, defaultViewport: null }),
    connectRaw(cdp_url),
  ])
  await one.contexts()[0]!.pages()[0]!.goto(site.url)
  t.equal((await two.pages())[0]!.url(), site.url)
  await one.close()
  t.match(await raw.send('Browser.getVersion'), { product: /Chrome/ }, 'one leaves, others stay')
  await two.disconnect()
  raw.close()
})

t.test('Browser.close of one client ends the session for all, cleanly', async (t) => {
  const { id, cdp_url } = await create(t)
  const [one, two] = await Promise.all([connectRaw(cdp_url), connectRaw(cdp_url)])
  await one.send('Browser.close')
  for (const { closed } of [one, two]) {
    t.match(await closed, { code: 1000, reason: /^browser_closed/ })
  }
  const { data } = (await service.rest('GET', `/v1/sessions/${id}`)).body
  t.match(data, { status: 'completed', reason: 'browser_closed' })
})

t.test('an ended session closes its sockets with the reason', async (t) => {
  const { id, cdp_url } = await create(t)
  const client = await connectRaw(cdp_url)
  await service.rest('DELETE', `/v1/sessions/${id}`)
  t.match(await client.closed, { code: 4003, reason: /^deleted/ })
})

t.test('discovery URLs lead back to the gateway, and one page can be attached alone', async (t) => {
  const { cdp_url } = await create(t)
  const query = new URL(cdp_url).search
  const json = async <T>(path: string) =>
    (await (await fetch(service.baseUrl + path + query)).json()) as T
  const base = service.baseUrl.replace('http', 'ws')
  for (const path of ['/json/version', '/json/version/']) {
    const { webSocketDebuggerUrl } = await json<{ webSocketDebuggerUrl: string }>(path)
    t.ok(webSocketDebuggerUrl.startsWith(`${base}/devtools/browser/`))
    t.ok(webSocketDebuggerUrl.endsWith(query), 'the query is kept')
    const browser = await connectRaw(webSocketDebuggerUrl)
    t.match(await browser.send('Browser.getVersion'), { product: /Chrome/ })
    browser.close()
  }
  type Target = { type: string; webSocketDebuggerUrl: string; devtoolsFrontendUrl?: string }
  t.same(await json('/json'), await json('/json/list'))
  const target = (await json<Target[]>('/json/list')).find(({ type }) => type === 'page')!
  t.ok(target.webSocketDebuggerUrl.startsWith(`${base}/devtools/page/`))
  t.equal(target.devtoolsFrontendUrl, undefined)
  t.match(await json('/json/protocol'), { domains: Array })

  const page = await connectRaw(target.webSocketDebuggerUrl)
  t.match(await page.send('Runtime.evaluate', { expression: '6 * 7' }), { result: { value: 42 } })
  const { targetInfo } = await page.send<{ targetInfo: { targetId: string } }>(
    'Target.getTargetInfo',
  )
  const browser = await connectRaw(cdp_url)
  await browser.send('Target.createTarget', { url: 'about:blank' })
  await browser.send('Target.closeTarget', { targetId: targetInfo.targetId })
  t.match(await page.closed, { code: 1000 }, 'a page that closes is no end of the session')
  browser.close()
})

t.test('targets are activated and closed by id, as in Chromium', async (t) => {
  const { cdp_url } = await common()
  const query = new URL(cdp_url).search
  const ask = async (path: string, method: string) => {
    const response = await fetch(service.baseUrl + path + query, { method })
    const type = response.headers.get('content-type')
    return { status: response.status, type, text: await response.text() }
  }
  const type = 'application/json; charset=UTF-8'
  const browser = await connectRaw(cdp_url)
  for (const method of ['GET', 'PUT']) {
    const url = 'about:blank'
    const { targetId } = await browser.send<{ targetId: string }>('Target.createTarget', { url })
    const activated = { status: 200, type, text: 'Target activated' }
    t.same(await ask(`/json/activate/${targetId}`, method), activated)
    const closing = { status: 200, type, text: 'Target is closing' }
    t.same(await ask(`/json/close/${targetId}`, method), closing)
    await until('it is closed', async () => {
      const listed = await ask('/json/list', 'GET')
      return !listed.text.includes(targetId)
    })
    for (const id of [targetId, 'NOPE', 'a.b']) {
      const unknown = { status: 404, type, text: `No such target id: ${id}` }
      t.same(await ask(`/json/close/${id}`, method), unknown)
      t.same(await ask(`/json/activate/${id}`, method), unknown)
    }
  }
  t.match(await ask('/json/close/..%2Fnew', 'GET'), { status: 404 })
  t.match(await ask('/json/close/NOPE', 'DELETE'), { status: 405 })
  browser.close()
})

t.test('90 MiB reach Chromium in one message, and 32 MiB come back in one', async (t) => {
  const { cdp_url } = await common()
  const list = await fetch(httpUrl(cdp_url).replace('/?', '/json/list?'))
  const [target] = (await list.json()) as { webSocketDebuggerUrl: string }[]
  const page = await connectRaw(target!.webSocketDebuggerUrl)
  const padded = { expression: '6 * 7', unknown: 'x'.repeat(90 * 2 ** 20) }
  t.match(await page.send('Runtime.evaluate', padded), { result: { value: 42 } })
  const length = 32 * 2 ** 20
  const large = { expression: `"x".repeat(${length})`, returnByValue: true }
  const { result } = await page.send<{ result: { value: string } }>('Runtime.evaluate', large)
  t.equal(result.value.length, length)
  page.close()
})

t.test('downloads of a client stay in the session’s folder', async (t) => {
  const { cdp_url } = await create(t)
  const browser = await connectPlaywright(cdp_url)
  const page = browser.contexts()[0]!.pages()[0]!
  await page.goto(site.url)
  const download = page.waitForEvent('download')
  await page.evaluate(`
    const link = document.createElement('a')
    link.href = 'data:text/plain,kept'
    link.download = 'kept.txt'
    link.click()`)
  await download
  await until('the file lies with the session, whole', () => {
    return downloads().some((file) => textOf(file) === 'kept')
  })
  await browser.close()
})

/** Chromium may rename a file between two looks. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Files in the downloads folders of all browsers of the service. */
function downloads(): string[] {
  const browsers = join(service.dataDir, 'run', 'test')
  return readdirSync(browsers)
    .map((browser) => join(browsers, browser, 'downloads'))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
}
