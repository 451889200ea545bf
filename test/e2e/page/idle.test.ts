/**
 * Goal: a browser asks for nothing but what its pages ask for: no request of Chromium's own goes through
 * a customer's proxy. Method: sessions with a proxy that notes every name and answers for every site;
 * a page with a login form, then some quiet seconds (`IDLE_SECONDS`), as measured by the page.
 */
import { createServer } from 'node:http'
import t from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { markerZip } from '../../helpers/extensions/marker.ts'
import { uploaded } from '../../helpers/extensions/uploading.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { isWalled } from '../../helpers/service/isolation-here.ts'
import { createSession, startService } from '../../helpers/service/service.ts'

// Chromium’s own requests began within two seconds, and came again each minute.
const quietMs = 1_000 * Number(process.env['IDLE_SECONDS'] ?? 4)
const startMs = 60_000

const service = await startService()
t.teardown(() => service.stop())

const { id: extension } = await uploaded(service, 'marker', markerZip())
const kept = { extensions: [extension], profile: { name: 'quiet', persist: true } }
const ways = [
  { how: 'headless', browser: { headless: { active: true } }, skip: false },
  { how: 'headful', browser: {}, skip: false },
  {
    how: 'with an extension and a profile',
    browser: { headless: { active: true }, ...kept },
    skip: !isWalled,
  },
]

t.jobs = 3
for (const { how, browser, skip } of ways) {
  void t.test(`nothing but its page, ${how}`, { skip }, async (t) => {
    const asked: string[] = []
    const proxy = createServer((request, response) => {
      asked.push(request.url!)
      response.setHeader('content-type', 'text/html')
      response.end('<link rel="icon" href="data:,"><form><input type=email><input type=password>')
    })
    proxy.on('connect', ({ url }, socket) => {
      asked.push(url!)
      socket.on('error', () => undefined).end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    const server = `http://127.0.0.1:${await listenOnLoopback(proxy)}`
    t.teardown(() => closeServer(proxy))
    const { id, cdp_url } = await createSession(service.rest, {
      session: {
        proxy: { active: true, type: 'custom', server },
        timeout: { idle_timeout: -1, max_duration: -1 },
      },
      browser,
    })
    const client = await connectPlaywright(cdp_url)
    const page = client.contexts()[0]!.pages()[0]!
    await page.goto('http://login.example/')
    await page.fill('[type=email]', 'ada@login.example')
    await page.fill('[type=password]', 'secret')
    const isOver = async () => (await page.evaluate<number>('performance.now()')) > quietMs
    await until('it has been quiet', isOver, quietMs + startMs)
    t.same(asked, ['http://login.example/'])
    await client.close()
    await service.rest('DELETE', `/v1/sessions/${id}`)
  })
}
