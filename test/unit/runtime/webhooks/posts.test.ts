/**
 * Goal: whatever a receiver does, one attempt ends in time and within its bounds, with a known
 * outcome. Method: real servers on loopback that behave like bad receivers.
 */
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { webhookLimits } from '../../../../proto/access/webhooks/webhook-limits.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { postWebhook, readRetryAfter } from '../../../../runtime/webhooks/send/post.ts'
import { webhookRules } from '../../../../runtime/webhooks/settings.ts'
import { certificate as cert, key } from '../../../helpers/lib/self-signed.ts'

const rules = webhookRules(
  loadConfig({ ACCESS_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ACCESS_WEBHOOK_ALLOW_HTTP: '1' }),
)
const now = () => performance.now()
/** For receivers that never end: shorter than in production, to keep the test short. */
const short = { connectMs: 300, requestMs: 300 }

async function serving(t: Test, handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`
}

const sent = (url: string, times?: typeof short) =>
  postWebhook(
    { url, headers: { x: 'y' }, body: '{"a":1}' },
    { rules, now, ...(times && { times }) },
  )

t.test('a redirect is a failure and is not followed', async (t) => {
  let hits = 0
  const inner = await serving(t, (_, response) => void (hits++, response.end()))
  for (const status of [301, 302, 307, 308]) {
    const url = await serving(t, (_, response) => {
      response.writeHead(status, { location: inner }).end()
    })
    t.match(await sent(url), { statusCode: status, error: 'redirect' })
  }
  t.equal(hits, 0)
})

t.test('receivers that never answer, or only drip, are given up in time', async (t) => {
  t.match(await sent(await serving(t, () => undefined), short), { error: 'timeout' })
  const url = await serving(t, (_, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(drip))
  })
  t.match(await sent(url, short), { error: 'timeout' })
})

t.test('an endless answer is cut, and its status counts', async (t) => {
  let written = 0
  const url = await serving(t, (_, response) => {
    response.writeHead(200)
    const chunk = 'x'.repeat(16 * 1024)
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.on('drain', more)
    more()
  })
  const { statusCode, excerpt } = await sent(url)
  t.equal(statusCode, 200)
  t.equal(excerpt?.length, webhookLimits.excerptBytes)
  t.ok(written < 100 * webhookLimits.answerBytes, 'the rest was not taken')
})

t.test('an untrusted certificate is refused', async (t) => {
  const server = createSecureServer({ key, cert }, (_, response) => void response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/in`
  t.match(await sent(url), { error: 'tls' })
})

t.test(
  'a closed port, an unknown name, and an answer that breaks off are told apart',
  async (t) => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    t.match(await sent(`http://127.0.0.1:${port}/`), { error: 'connection' })
    const resolve = (_: string, __: unknown, done: (error: Error) => void) =>
      done(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))
    const letter = { url: 'http://gone.example/', headers: {}, body: '' }
    t.match(await postWebhook(letter, { rules, now, resolve: resolve as never }), { error: 'dns' })
    const broken = await serving(t, (_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      response.destroy()
    })
    t.match(await sent(broken), { error: 'connection' })
  },
)

t.test('nothing of the environment is sent', async (t) => {
  process.env['http_proxy'] = 'http://127.0.0.1:1'
  t.teardown(() => delete process.env['http_proxy'])
  let heard: Readonly<Record<string, unknown>> = {}
  const url = await serving(t, (request, response) => {
    heard = request.headers
    response.writeHead(204).end()
  })
  t.match(await sent(url), { statusCode: 204 })
  t.same(Object.keys(heard).sort(), ['connection', 'content-length', 'host', 'x'])
})

t.test('Retry-After is read in both of its forms', async (t) => {
  const nowMs = Date.UTC(2030, 0, 1)
  t.equal(readRetryAfter('120', nowMs), 120_000)
  t.equal(readRetryAfter(new Date(nowMs + 60_000).toUTCString(), nowMs), 60_000)
  for (const text of ['soon', '-5', '', new Date(nowMs - 1_000).toUTCString()]) {
    t.equal(readRetryAfter(text, nowMs), undefined, text)
  }
})
