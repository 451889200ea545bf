/**
 * Goal: one URL with a key is enough for CDP clients, unmodified: connecting makes a session, and
 * leaving ends it, however a client leaves. Method: a real service with room for two sessions.
 */
import { chromium } from 'playwright-core'
import puppeteer from 'puppeteer-core'
import t from 'tap'
import WebSocket from 'ws'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { RawClient } from '../../helpers/gateway/raw-client.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage, type WebPage } from '../../helpers/pages/web-page.ts'
import { createSession, startService, type Service } from '../../helpers/service/service.ts'

interface Row {
  readonly id: string
  readonly status: string
  readonly reason?: string
  readonly tags: readonly string[]
  readonly headless: boolean
}

interface Details {
  readonly data: { readonly idle_expires_at?: string; readonly expires_at: string }
}

const sessionsMax = 2
let service: Service
let site: WebPage

t.before(async () => {
  site = await serveWebPage()
  const env = { MAX_SESSIONS: String(sessionsMax), QUEUE_WAIT_SECONDS: '1' }
  service = await startService({ env })
})
t.teardown(async () => {
  await service.stop()
  await site.close()
})

const wsUrl = (query = 'headless=true') =>
  `${service.baseUrl.replace('http', 'ws')}/?apiKey=${service.key}&${query}`

async function rows(): Promise<readonly Row[]> {
  const answer = await service.rest<{ data: { sessions: readonly Row[] } }>(
    'GET',
    '/v1/sessions?limit=50',
  )
  return answer.body.data.sessions
}

const live = async () => (await rows()).filter(({ status }) => status === 'running')

/** Lists follow what happens a moment later. */
const onlyOne = (): Promise<Row> =>
  until('one session runs', async () => {
    const running = await live()
    return running.length === 1 && running[0]
  })

/** Its client has left, which is the reason that its session ended. */
async function endsAfter(id: string) {
  const ended = await until('the session has ended', async () => {
    const row = (await rows()).find((one) => one.id === id)
    return row?.reason !== undefined && row
  })
  t.equal(ended.reason, 'caller_gone')
}

t.test('Playwright, by ws:// and by http://', async (t) => {
  const httpUrl = wsUrl('headless=true&tags=one,two').replace('ws://', 'http://')
  for (const connect of [
    () => connectPlaywright(wsUrl('headless=true&tags=one,two')),
    () => chromium.connectOverCDP(httpUrl, { timeout: 60_000 }),
  ]) {
    const browser = await connect()
    const { id, ...row } = await onlyOne()
    t.match(row, { headless: true, tags: ['one', 'two'] })
    const page = browser.contexts()[0]!.pages()[0]!
    await page.goto(site.url)
    t.equal(await page.title(), 'Troupe test page')
    await browser.close()
    await endsAfter(id)
  }
})

t.test('Puppeteer', async () => {
  for (const leave of ['disconnect', 'close'] as const) {
    const browser = await puppeteer.connect({ browserWSEndpoint: wsUrl(), defaultViewport: null })
    const { id } = await onlyOne()
    const [page] = await browser.pages()
    await page!.goto(site.url)
    t.equal(await page!.title(), 'Troupe test page')
    await browser[leave]()
    if (leave === 'disconnect') await endsAfter(id)
    else await until('the session has ended', async () => (await live()).length === 0)
  }
})

t.test('a key in a header, and other clients on the session while it lasts', async (t) => {
  const url = `${service.baseUrl.replace('http', 'ws')}/?headless=true`
  const socket = new WebSocket(url, { headers: { 'service-api-key': service.key } })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const { id } = await onlyOne()
  const beside = await connectRaw(`${wsUrl()}&sessionId=${id}`)
  t.match(await beside.send('Browser.getVersion'), { product: /Chrome/ })
  socket.close()
  t.match(await beside.closed, { code: 4003, reason: /^deleted: the client .* has disconnected/ })
  await endsAfter(id)
})

t.test('a full service refuses after the queue', async (t) => {
  const held = await Promise.all([createSession(service.rest), createSession(service.rest)])
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const socket = new WebSocket(wsUrl())
    socket.once('open', () => reject(new Error('it opened'))).on('error', () => undefined)
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.once('end', () => resolve({ status: response.statusCode!, text }))
    })
  })
  t.equal(answer.status, 429)
  t.match(JSON.parse(answer.text), { error: { type: 'queue_timeout' } })
  await service.rest('DELETE', '/v1/sessions/all')
  t.equal(held.length, sessionsMax)
})

t.test('a client that vanishes at any moment leaves no session', async (t) => {
  const { host, pathname, search } = new URL(wsUrl())
  const handshake = [
    `GET ${pathname}${search} HTTP/1.1`,
    ...[`Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'],
    ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
  ].join('\r\n')
  await until('no session runs', async () => (await live()).length === 0)
  const before = new Set((await rows()).map(({ id }) => id))
  const isNew = ({ id }: Row) => !before.has(id)
  const moments: Readonly<Record<string, (client: RawClient) => Promise<unknown>>> = {
    'after half of its request': async () => undefined,
    'at once': async () => undefined,
    'when the creation is known': () =>
      until('it is listed', async () => (await rows()).some(isNew)),
    'when the socket opens': (client) => client.answer(/^HTTP\/1\.1 101/),
  }
  for (const [moment, reached] of Object.entries(moments)) {
    const client = new RawClient(service.baseUrl)
    const isHalf = moment === 'after half of its request'
    client.write(isHalf ? handshake.slice(0, handshake.length / 2) : handshake)
    await reached(client)
    client.close()
    await until(`${moment}: none runs`, async () => (await live()).length === 0)
  }
  // All that begin at once and leave at once: whatever was made is ended.
  const crowd = Array.from({ length: 6 }, () => new RawClient(service.baseUrl))
  for (const client of crowd) client.write(handshake)
  await Promise.all(crowd.map((client) => client.answer(/^HTTP\/1\.1 (101|429)/)))
  for (const client of crowd) client.close()
  await until('all have ended', async () =>
    (await rows()).every(({ reason }) => reason !== undefined),
  )
  t.equal((await live()).length, 0)
})

t.test('when the gateway dies, the session’s idle time ends it', async (t) => {
  const client = await connectRaw(wsUrl('headless=true&timeout=9'))
  const { id } = await onlyOne()
  const details = async () => (await service.rest<Details>('GET', `/v1/sessions/${id}`)).body.data
  t.equal((await details()).idle_expires_at, undefined, 'not while it is connected')
  await service.strike('gateway')
  await client.closed
  const { idle_expires_at: ends } = await until('it is counted down', async () => {
    const data = await details().catch(() => undefined)
    return data?.idle_expires_at !== undefined && data
  })
  const minute = 60_000
  t.ok(Date.parse(ends!) - Date.now() <= minute, 'in a minute, not in the usual five')
  await service.rest('DELETE', `/v1/sessions/${id}`)
})
