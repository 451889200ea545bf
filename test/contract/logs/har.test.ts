/**
 * Goal: the requests of a traced session are in its HTTP archive, each with what became of it, and
 * without anything secret. Method: the whole service and a server with an answer of each kind; the
 * archive is read by the specification's rules (HAR 1.2), while the session runs, after its agent was
 * killed, and after its end.
 */
import { createServer } from 'node:http'
import t from 'tap'
import { z } from 'zod'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { createSession, headless, isReady, startService } from '../../helpers/service/service.ts'

const secret = 'hunter2'
const page = `<!doctype html><title>Shop</title><h1>Shop</h1><script>
  void (async () => {
    await fetch('/items?token=${secret}', {
      method: 'POST', body: '${secret}', headers: { authorization: 'Bearer ${secret}' },
    })
    await fetch('/moved')
    await fetch('/missing')
    await fetch('/kept').then((answer) => answer.text())
    await fetch('/kept').then((answer) => answer.text())
    await fetch('/broken').catch(() => 0)
    document.title = 'done'
  })()
</script>`

const server = createServer((request, response) => {
  const path = new URL(request.url!, 'http://shop').pathname
  if (path === '/broken') return void request.socket.destroy()
  if (path === '/moved')
    return void response.writeHead(302, { location: `/items?id=${secret}` }).end()
  if (path === '/missing') return void response.writeHead(404).end('nothing')
  if (path === '/kept') response.setHeader('cache-control', 'max-age=600')
  const isPage = path === '/'
  response.setHeader('content-type', isPage ? 'text/html' : 'application/json')
  response.setHeader('set-cookie', `id=${secret}`)
  response.end(isPage ? page : '{"items": []}')
})
const site = `http://127.0.0.1:${await listenOnLoopback(server)}`
t.teardown(() => closeServer(server))
const service = await startService()
t.teardown(() => service.stop())
const { rest } = service

const ms = z.number().min(0)
const part = z.number().min(-1)
const message = {
  httpVersion: z.string().min(1),
  cookies: z.array(z.never()),
  headers: z.array(z.never()),
  headersSize: z.literal(-1),
  bodySize: z.number().int().min(-1),
}
const entry = z.strictObject({
  pageref: z.string(),
  startedDateTime: z.iso.datetime(),
  time: ms,
  request: z.strictObject({
    ...message,
    method: z.string(),
    url: z.url(),
    queryString: z.array(z.never()),
  }),
  response: z.strictObject({
    ...message,
    status: z.number().int().min(0),
    statusText: z.string(),
    content: z.strictObject({ size: z.number(), mimeType: z.string() }),
    redirectURL: z.string(),
    _transferSize: ms,
    _error: z.string().optional(),
  }),
  cache: z.strictObject({}),
  timings: z.strictObject({
    ...{ blocked: part.optional(), dns: part.optional(), connect: part.optional() },
    ...{ ssl: part.optional(), send: ms, wait: ms, receive: ms },
  }),
  _resourceType: z.string(),
})
const archive = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.literal('Troupe'), version: z.string() }),
    entries: z.array(entry),
    pages: z.array(
      z.strictObject({
        id: z.string(),
        startedDateTime: z.iso.datetime(),
        title: z.string(),
        pageTimings: z.strictObject({}),
      }),
    ),
    comment: z.string(),
  }),
})

const traced = { browser: { ...headless.browser, tracing: { active: true } } }

async function harOf(id: string) {
  const response = await fetch(`${service.baseUrl}/v1/sessions/${id}/har`, {
    headers: { 'service-api-key': service.key },
  })
  const text = await response.text()
  return { response, text, log: archive.parse(JSON.parse(text)).log }
}
type Log = Awaited<ReturnType<typeof harOf>>['log']

const of = ({ entries }: Log, path: string) =>
  entries.filter(({ request }) => new URL(request.url).pathname === path)
const go = (id: string) => rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: `${site}/` })
/** The archive, once the page has asked for everything so many times. */
const whenAsked = (id: string, times: number) =>
  until(`everything was asked for ${times} times`, async () => {
    const har = await harOf(id)
    return of(har.log, '/broken').length >= times && har
  })

t.test('each request, with what became of it, and no secret', async (t) => {
  const { id } = await createSession(rest, traced)
  await go(id)
  const { response, text, log } = await whenAsked(id, 1)
  t.match(response.headers.get('content-disposition'), `${id}.har`)
  t.match(log.pages, [{ title: `${site}/` }])
  t.ok(log.entries.every(({ pageref }) => pageref === log.pages[0]!.id))
  const [document] = of(log, '/')
  t.match(document, {
    request: { method: 'GET', httpVersion: 'http/1.1' },
    response: { status: 200, content: { mimeType: 'text/html' } },
    _resourceType: 'document',
  })
  t.ok(document!.response._transferSize > page.length, 'what came over the network')
  const { blocked = 0, dns = 0, connect = 0, send, wait, receive } = document!.timings
  const sum = [blocked, dns, connect, send, wait, receive].reduce((a, b) => a + Math.max(0, b), 0)
  t.ok(Math.abs(document!.time - sum) < 0.01, 'its time is the sum of its parts')
  t.match(of(log, '/items')[0], { request: { method: 'POST' }, response: { status: 200 } })
  t.match(of(log, '/moved'), [{ response: { status: 302, redirectURL: /^http.*\/items\?id=/ } }])
  t.equal(of(log, '/items').length, 2, 'where the redirect led')
  t.match(of(log, '/missing'), [{ response: { status: 404 } }])
  t.match(of(log, '/kept'), [{ response: { bodySize: -1 } }, { response: { bodySize: 0 } }])
  t.match(of(log, '/broken'), [{ response: { status: 0, _error: 'net::ERR_EMPTY_RESPONSE' } }])
  t.notMatch(text, secret)
  const times = log.entries.map(({ startedDateTime }) => Date.parse(startedDateTime))
  t.ok(times.every((atMs) => Math.abs(atMs - Date.now()) < 120_000))

  await service.strike('node-agent')
  await until('it serves', () => isReady(rest))
  await until('the session goes on', async () => (await go(id)).status === 200)
  const after = await whenAsked(id, 2)
  t.ok(of(after.log, '/').length >= 2, 'before the kill and after it')

  await rest('DELETE', `/v1/sessions/${id}`)
  await until('it has ended', async () => {
    const { body } = await rest<{ data: { status: string } }>('GET', `/v1/sessions/${id}`)
    return body.data.status === 'completed'
  })
  t.ok(of((await harOf(id)).log, '/broken').length >= 2, 'after its end')
})

t.test('a session that is not watched has none', async (t) => {
  const { id } = await createSession(rest, headless)
  const answer = await rest<{ error: { message: string } }>('GET', `/v1/sessions/${id}/har`)
  t.match(answer, { status: 404, body: { error: { message: /tracing.*recording/ } } })
  await rest('DELETE', `/v1/sessions/${id}`)
})
