/**
 * Goal: what a session blocks is not asked for, by pages, frames and workers; the rest is, and a
 * client's own routes work beside it. Method: real browsers and a server that lists what it was asked.
 */
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { adHosts, trackerHosts } from '../../../node-agent/browser/setup/ad-hosts.ts'
import { takeBlocked } from '../../../node-agent/browser/setup/apply-setup.ts'
import { requestRules } from '../../../node-agent/browser/setup/request-rules.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { until } from '../../helpers/lib/until.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'

const asked: string[] = []
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  css: 'text/css',
  png: 'image/png',
  woff2: 'font/woff2',
  webm: 'video/webm',
}
const server = createServer(({ url = '', headers }, response) => {
  const ending = url.slice(url.lastIndexOf('.') + 1)
  asked.push(headers.host!.startsWith('127') ? `other ${url}` : url)
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('content-type', types[ending] ?? 'text/html')
  response.end(bodies[url] ?? '')
})
const port = await listenOnLoopback(server)
t.teardown(() => closeServer(server))
const site = `http://localhost:${port}`
const other = `http://127.0.0.1:${port}`
const bodies: Readonly<Record<string, string>> = {
  '/page': `<!doctype html><title>Page</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">
    <img src="/picture.png"><img src="${other}/beacon.png"><video src="/film.webm"></video>
    <p style="font-family: Own">Text</p><iframe src="/frame"></iframe>
    <script>
      const all = Promise.allSettled([
        document.fonts.load('16px Own'), fetch('/data/banner/1.js'), fetch('/data/2.js'),
        new Promise((resolve) => { new Worker('/worker.js').onmessage = resolve }),
        new Promise((resolve) => addEventListener('load', resolve)),
      ]).then(() => 'done')
    </script>`,
  '/frame': '<!doctype html><title>Frame</title><img src="/in-frame.png">',
  '/style.css': '@font-face { font-family: Own; src: url(/own.woff2) }',
  '/worker.js': `fetch('/data/banner/worker.js').then(() => 'let through', () => 'blocked').then(postMessage)`,
}
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

async function load(
  t: Test,
  active: boolean,
  block: object,
  before = async (_: unknown) => {},
  more: object = {},
) {
  const body = { browser: { block, headless: { active }, evaluate: { active: true }, ...more } }
  const session = await openPageSession(host, body)
  t.teardown(session.end)
  await before(session)
  asked.length = 0
  await session.run('navigate', { url: `${site}/page` })
  const { value } = await session.run('evaluate', { expression: 'all' })
  t.equal(value, 'done')
  return session
}
const has = (url: string) => asked.includes(url)

for (const active of [true, false]) {
  t.test(active ? 'headless' : 'headful', async (t) => {
    await t.test('nothing', async (t) => {
      await load(t, active, {})
      const all = ['/picture.png', '/film.webm', '/own.woff2', '/in-frame.png', 'other /beacon.png']
      for (const url of [...all, '/data/banner/1.js', '/data/banner/worker.js']) t.ok(has(url), url)
    })

    await t.test('pictures, films and fonts', async (t) => {
      await load(t, active, { images: true, media: true, fonts: true })
      const blocked = ['/picture.png', '/film.webm', '/own.woff2', '/in-frame.png']
      for (const url of [...blocked, 'other /beacon.png']) t.notOk(has(url), url)
      for (const url of ['/page', '/style.css', '/frame', '/data/2.js']) t.ok(has(url), url)
    })

    await t.test('hosts and patterns', async (t) => {
      const session = await load(t, active, { hosts: ['127.0.0.1'], urls: ['/data/banner/*'] })
      for (const url of ['other /beacon.png', '/data/banner/1.js', '/data/banner/worker.js']) {
        t.notOk(has(url), url)
      }
      for (const url of ['/picture.png', '/data/2.js']) t.ok(has(url), url)
      t.match(await session.refusal('navigate', { url: `${other}/page` }), {
        message: /ERR_BLOCKED_BY_CLIENT/,
      })
    })

    await t.test('and it is counted', async (t) => {
      const countOf = async ({ browserOf }: Awaited<ReturnType<typeof load>>, most: number) => {
        const { cdp } = browserOf()
        let count = 0
        const take = () => takeBlocked(cdp, (more) => (count += more))
        await until(`${most} are counted`, async () => {
          await take()
          return count >= most
        })
        await take()
        return count
      }
      const session = await load(t, active, { urls: ['/data/banner/*'] })
      t.equal(await countOf(session, 2), 2, 'of the page and of its worker')
      const headers = { extra_http_headers: { 'x-own': '1' } }
      const pictures = await load(t, active, { images: true }, undefined, headers)
      t.equal(await countOf(pictures, 3), 3, 'not those to which a header is added')
    })

    await t.test('beside a client that routes', async (t) => {
      let routed = ''
      await load(t, active, { images: true }, async (session) => {
        const client = await (session as Awaited<ReturnType<typeof openPageSession>>).client()
        t.teardown(() => client.close())
        await client.contexts()[0]!.route('**/data/2.js', (route) => {
          routed = route.request().url()
          return route.fulfill({ body: 'of the client' })
        })
      })
      t.match(routed, /data\/2\.js$/)
      t.notOk(has('/data/2.js'), 'the client has answered')
      t.notOk(has('/picture.png'))
    })
  })
}

t.test('advertisements and trackers', async (t) => {
  const [ads, trackers] = requestRules({ block: { ads: true, trackers: true } })
  t.match(ads, { condition: { requestDomains: adHosts, excludedResourceTypes: ['main_frame'] } })
  t.match(trackers, { condition: { requestDomains: trackerHosts } })
  const all = [...adHosts, ...trackerHosts]
  t.equal(new Set(all).size, all.length, 'none is listed twice')
  t.ok(all.every((name) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)))
  // The rules of the real list are accepted by the browser.
  await load(t, true, { ads: true, trackers: true })
  t.ok(has('/picture.png'))
})
