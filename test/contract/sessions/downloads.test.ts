/**
 * Goal: what the browser downloads is listed and can be fetched, whichever client drives it and
 * whatever download behaviour that client set. Method: one service, a headless session, a site with
 * downloads.
 */
import { createServer, type ServerResponse } from 'node:http'
import puppeteer from 'puppeteer-core'
import t, { type Test } from 'tap'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { fileClient, type DownloadJson } from '../../helpers/service/files.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import {
  createSession,
  startService,
  type Service,
  type SessionJson,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const half = Buffer.alloc(64 * 1024, 'x')

/** Downloads by name; `slow.bin` stops halfway until it is released. */
const slow: ServerResponse[] = []
const site = createServer((request, response) => {
  if (request.url === '/') {
    response.setHeader('content-type', 'text/html').end('<title>Files</title>')
    return
  }
  response.setHeader('content-disposition', `attachment; filename="${request.url!.slice(1)}"`)
  if (request.url !== '/slow.bin') return void response.end(`bytes of ${request.url}`)
  response.setHeader('content-length', 2 * half.length)
  response.write(half)
  slow.push(response)
})

let service: Service
let session: SessionJson
let siteUrl: string
let downloads: string
let files: ReturnType<typeof fileClient>

t.before(async () => {
  siteUrl = `http://127.0.0.1:${await listenOnLoopback(site)}/`
  service = await startService()
  const body = { session: { initial_url: siteUrl }, browser: { headless: { active: true } } }
  session = await createSession(service.rest, body)
  downloads = `/v1/sessions/${session.id}/downloads`
  files = fileClient(service)
})
t.teardown(async () => {
  await service.stop()
  await closeServer(site)
})

const list = () => files.list<DownloadJson>(downloads)

/** Waits until that many downloads have finished. */
const finished = (count: number) =>
  until(`${count} downloads`, async () => {
    const items = await list()
    return items.filter(({ state }) => state !== 'in_progress').length === count && items
  })

/** Clicks a link to it from within the page. */
const clickTo = (name: string) => {
  const href = JSON.stringify(siteUrl + name)
  return `Object.assign(document.createElement('a'), { href: ${href} }).click()`
}

async function expectBytes(t: Test, items: readonly DownloadJson[]): Promise<void> {
  for (const { id, size, original_download_url: url } of items) {
    const expected = `bytes of ${new URL(url).pathname}`
    t.match(await files.bytes(`${downloads}/${id}`), { status: 200, text: expected })
    t.equal(size, expected.length)
  }
}

t.test('a download that a page starts without any client is listed and read', async (t) => {
  const url = `${siteUrl}first.txt`
  const client = await connectRaw(session.cdp_url)
  const { targetInfos } = await client.send<{ targetInfos: { type: string; targetId: string }[] }>(
    'Target.getTargets',
  )
  const { targetId } = targetInfos.find(({ type }) => type === 'page')!
  const flat = { targetId, flatten: true }
  const { sessionId } = await client.send<{ sessionId: string }>('Target.attachToTarget', flat)
  const later = `setTimeout(() => { ${clickTo('first.txt')} }, 200)`
  await client.send('Runtime.evaluate', { expression: later }, sessionId)
  client.close()
  const [item] = await finished(1)
  t.match(item, {
    state: 'completed',
    suggested_file_name: 'first.txt',
    original_file_name: 'first.txt',
    original_download_url: url,
    origin_url: siteUrl,
    file_link: `${service.baseUrl}${downloads}/${item!.id}`,
  })
  t.ok(item!.duration >= 0 && item!.duration < 60_000)
  await expectBytes(t, [item!])
  const { headers } = await files.bytes(`${downloads}/${item!.id}`)
  t.match(headers.get('content-disposition'), /^attachment; filename="first.txt"/)
  t.equal((await service.rest('DELETE', `${downloads}/${item!.id}`)).status, 200)
  t.equal((await files.bytes(`${downloads}/${item!.id}`)).status, 404)
  t.same(files.onDisk('downloads'), [])
})

t.test('downloads with Playwright attached, and after it has left', async (t) => {
  const browser = await connectPlaywright(session.cdp_url)
  const page = browser.contexts()[0]!.pages()[0]!
  await page.goto(siteUrl)
  await page.evaluate(clickTo('same.txt'))
  await finished(1)
  await page.evaluate(clickTo('same.txt'))
  await finished(2)
  // The client's download behaviour is reset only after its socket closes.
  await page.evaluate(`setTimeout(() => { ${clickTo('same.txt')} }, 500)`)
  await browser.close()
  const items = await finished(3)
  t.same(new Set(items.map((item) => item.suggested_file_name)), new Set(['same.txt']))
  t.ok(items.every(({ state }) => state === 'completed'))
  await expectBytes(t, items)
  await files.clear(downloads)
  t.same(files.onDisk('downloads'), [])
})

t.test('downloads with Puppeteer, whichever behaviour it sets', async (t) => {
  const browser = await puppeteer.connect({ browserWSEndpoint: session.cdp_url })
  t.teardown(() => browser.disconnect())
  const client = await browser.target().createCDPSession()
  const [page] = await browser.pages()
  const downloadPath = '/home/somebody/Downloads'
  let count = 0
  for (const behavior of ['allow', 'allowAndName', 'default', 'allow'] as const) {
    await client.send('Browser.setDownloadBehavior', { behavior, downloadPath })
    await page!.evaluate(clickTo('p.txt'))
    await finished(++count)
  }
  await expectBytes(t, await list())
  await client.send('Browser.setDownloadBehavior', { behavior: 'deny' })
  await page!.evaluate(clickTo('denied.txt'))
  const denied = (await finished(++count)).at(-1)!
  t.match(denied, { state: 'canceled', suggested_file_name: 'denied.txt' })
  t.match(await service.rest('GET', `${downloads}/${denied.id}`), { status: 409 })
  await files.clear(downloads)
})

t.test('a running download is listed with its origin, and its link waits for it', async (t) => {
  const browser = await connectPlaywright(session.cdp_url)
  t.teardown(() => browser.close())
  const page = browser.contexts()[0]!.pages()[0]!
  const begin = () => page.evaluate(clickTo('slow.bin'))
  const underWay = () => until('it is under way', async () => (await list())[0])
  await begin()
  const { id, ...begun } = await underWay()
  t.match(begun, { state: 'in_progress', origin_url: siteUrl })
  const fetching = files.bytes(`${downloads}/${id}`)
  // The service has the request before the file is there.
  await service.rest('GET', '/health/live')
  slow.pop()!.end(half)
  t.match(await fetching, { status: 200, text: `${half}${half}` })
  t.match(await list(), [{ id, state: 'completed', size: 2 * half.length }])
  await files.clear(downloads)
})

t.test('a running download can be stopped, and who waits for it is told', async (t) => {
  const browser = await connectPlaywright(session.cdp_url)
  t.teardown(() => browser.close())
  await browser.contexts()[0]!.pages()[0]!.evaluate(clickTo('slow.bin'))
  const { id } = await until('it is under way', async () => (await list())[0])
  const fetching = files.bytes(`${downloads}/${id}`)
  await service.rest('DELETE', `${downloads}/${id}`)
  // Stopped while it was waited for, or removed before it was asked for.
  t.ok([404, 409].includes((await fetching).status))
  t.same(await list(), [])
  await until('nothing of it is left', () => files.onDisk('downloads').length === 0)
})
