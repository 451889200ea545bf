/**
 * Goal: what a session has used is measured: bytes of its browser, of its own proxy, the domains of its
 * pages; also across another agent, and whichever way it ends. Method: the whole service, a page of a
 * known size, a real proxy.
 */
import { createServer } from 'node:http'
import { Server } from 'proxy-chain'
import t, { type Test } from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { isOwnNetwork } from '../../helpers/service/isolation-here.ts'
import { createSession, headless, isReady, startService } from '../../helpers/service/service.ts'

const skip = !isOwnNetwork && 'nothing counts the bytes of browsers without networks of their own'
const service = await startService()
t.teardown(() => service.stop())
const { rest } = service

const pageBytes = 300_000
const server = createServer(({ url }, response) => {
  if (url !== '/') return void response.writeHead(404).end()
  response.setHeader('content-type', 'text/html')
  response.end(`<h1>Here</h1><!-- ${'x'.repeat(pageBytes)} -->`)
})
const port = await listenOnLoopback(server)
t.teardown(() => closeServer(server))
const site = `http://localhost:${port}/`

interface Used {
  readonly status: string
  readonly proxy_bytes: number
  readonly traffic?: { readonly sent_bytes: number; readonly received_bytes: number }
  readonly domains: readonly string[]
  readonly blocked_requests?: number
}

const usedBy = async (id: string): Promise<Used> =>
  (await rest<{ data: Used }>('GET', `/v1/sessions/${id}`)).body.data

async function open(t: Test, session: object = {}, browser: object = {}) {
  const network = { allow_private: true }
  const body = {
    session: { network, ...session },
    browser: { ...headless.browser, ...browser },
  }
  const made = await createSession(rest, body)
  t.teardown(() => rest('DELETE', `/v1/sessions/${made.id}`))
  return made
}

const go = async (t: Test, id: string, url = site) => {
  const { status, body } = await rest('POST', `/v1/sessions/${id}/commands/navigate`, { url })
  t.equal(status, 200, JSON.stringify(body))
}

const whenOver = (id: string) =>
  until('it has ended', async () => {
    const used = await usedBy(id)
    return used.status === 'completed' && used
  })

async function end(id: string): Promise<Used> {
  await rest('DELETE', `/v1/sessions/${id}`)
  return whenOver(id)
}

t.test('bytes and domains are told once it has ended on request', { skip }, async (t) => {
  const { id } = await open(t)
  await go(t, id)
  await go(t, id, `http://127.0.0.1:${port}/`)
  const used = await end(id)
  t.same(used.domains, ['localhost', '127.0.0.1'])
  t.equal(used.proxy_bytes, 0, 'it has no proxy of its own')
  const { sent_bytes: sent, received_bytes: received } = used.traffic!
  t.ok(received > 2 * pageBytes && received < 3 * pageBytes, String(received))
  t.ok(sent > 100 && sent < pageBytes, String(sent))
  const found = async (domains: string) => {
    const { body } = await rest<{ data: { sessions: { id: string; domains: string[] }[] } }>(
      'GET',
      `/v1/sessions?domains=${domains}`,
    )
    return body.data.sessions.filter((row) => row.id === id).map((row) => row.domains)
  }
  t.same(await found('LOCALHOST,127.0.0.1'), [used.domains], 'lists find it by both')
  t.same(await found('localhost,elsewhere.example'), [])
})

t.test('the same when a client closes its browser', { skip }, async (t) => {
  const { id, cdp_url } = await open(t)
  const client = await connectPlaywright(cdp_url)
  // Also pages of contexts that a client makes.
  const page = await (await client.newContext()).newPage()
  await page.goto(site)
  const cdp = await client.newBrowserCDPSession()
  await cdp.send('Browser.close').catch(() => undefined)
  const used = await whenOver(id)
  t.same(used.domains, ['localhost'])
  t.ok(used.traffic!.received_bytes > pageBytes)
  await client.close()
})

t.test('what goes through its own proxy is told apart', { skip }, async (t) => {
  const proxy = new Server({ host: '127.0.0.1', port: 0 })
  await proxy.listen()
  t.teardown(() => proxy.close(true))
  const own = { active: true, type: 'custom', server: `http://127.0.0.1:${proxy.port}` }
  const { id } = await open(t, { proxy: own })
  await go(t, id)
  const { proxy_bytes: bytes, traffic } = await end(id)
  t.equal(bytes, traffic!.sent_bytes + traffic!.received_bytes)
  t.ok(bytes > pageBytes, String(bytes))
})

t.test('a session that nobody has used has used nothing', { skip }, async (t) => {
  const { id } = await open(t)
  const used = await end(id)
  t.match(used, { proxy_bytes: 0, domains: [] })
  t.same(used.traffic, { sent_bytes: 0, received_bytes: 0 })
})

t.test('it is told while the session runs, and another agent counts on', { skip }, async (t) => {
  const { id } = await open(t)
  await go(t, id)
  await until(
    'it is told',
    async () => ((await usedBy(id)).traffic?.received_bytes ?? 0) > pageBytes,
  )
  await service.strike('node-agent')
  await until('it serves', () => isReady(rest))
  const url = `http://127.0.0.1:${port}/`
  await until('it goes on', async () => {
    return (await rest('POST', `/v1/sessions/${id}/commands/navigate`, { url })).status === 200
  })
  const used = await end(id)
  t.ok(used.traffic!.received_bytes > 2 * pageBytes, JSON.stringify(used))
  t.same(used.domains, ['localhost', '127.0.0.1'])
})

t.test('what it blocks is counted, also by another agent', async (t) => {
  const { id } = await open(t, {}, { block: { urls: ['/blocked/*'] }, evaluate: { active: true } })
  const ask = async (count: number) => {
    const expression = `Promise.allSettled(Array.from({length: ${count}}, (_, n) => fetch('/blocked/' + n)))`
    await until('it is asked', async () => {
      const { status } = await rest('POST', `/v1/sessions/${id}/commands/evaluate`, { expression })
      return status === 200
    })
  }
  await go(t, id)
  await ask(5)
  await until('it is told', async () => (await usedBy(id)).blocked_requests === 5)
  await service.strike('node-agent')
  await until('it serves', () => isReady(rest))
  await ask(2)
  t.equal((await end(id)).blocked_requests, 7)
  const plain = await open(t)
  t.equal((await end(plain.id)).blocked_requests, undefined)
})
