// Goal: programs that can send no key work on a session through `troupe cdp-port`, and web pages do
// not. Method: the whole service, the command in a process of its own, Puppeteer by `browserURL`,
// plain HTTP and plain sockets.
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import puppeteer from 'puppeteer-core'
import t from 'tap'
import { WebSocket } from 'ws'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { createSession, spawnTroupe, startService } from '../../helpers/service/service.ts'

const site = await serveWebPage()
t.teardown(() => site.close())
const service = await startService()
t.teardown(() => service.stop())
const env = { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key, DATA_DIR: service.dataDir }

async function openPort(session: string, ...options: readonly string[]) {
  const command = spawnTroupe(['cdp-port', session, ...options], env)
  t.teardown(() => void command.kill('SIGKILL'))
  const ended = once(command, 'exit') as Promise<[number | null]>
  const said = text(command.stderr!)
  const [line] = (await once(command.stdout!.setEncoding('utf8'), 'data')) as [string]
  const url = line.trim()
  return {
    url,
    port: Number(new URL(url).port),
    /** Its exit code, and what it said on stderr. */
    over: async () => ({ code: (await ended)[0], said: await said }),
    stop() {
      command.kill('SIGINT')
      return this.over()
    },
  }
}

interface Target {
  readonly type: string
  readonly webSocketDebuggerUrl: string
}

/** A request with headers that fetch does not let one set. */
async function statusOf(url: string, headers: Record<string, string>, method = 'GET') {
  const sent = request(url, { method, headers }).end()
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  return [answer.statusCode, await text(answer)] as const
}

t.test('Puppeteer connects by browserURL, and leaves the session running', async (t) => {
  const { id } = await createSession(service.rest)
  const local = await openPort(id)
  t.match(local.url, /^http:\/\/127\.0\.0\.1:\d+$/)
  const browser = await puppeteer.connect({ browserURL: local.url, defaultViewport: null })
  const [page] = await browser.pages()
  await page!.goto(site.url)
  t.equal(await page!.title(), 'Troupe test page')
  const large = 'x'.repeat(2_000_000)
  t.equal(await page!.evaluate((sent) => sent.length, large), large.length)
  t.equal((await page!.evaluate(() => 'y'.repeat(2_000_000))).length, 2_000_000)

  const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()))
  const { code, said } = await local.stop()
  await gone
  t.same([code, said.includes(service.key)], [0, false])
  t.match(said, /without a key, for this machine only; Ctrl-C ends it/)
  await t.rejects(fetch(`${local.url}/json/version`), 'the port is closed with the command')
  t.equal((await service.rest('GET', `/v1/sessions/${id}`)).body.data.status, 'running')
})

t.test('its HTTP routes are those of Chromium, and their sockets are local', async (t) => {
  const { id } = await createSession(service.rest)
  const local = await openPort(id)
  const json = async <T>(path: string) => (await (await fetch(local.url + path)).json()) as T
  const version = await json<Target & { Browser: string }>('/json/version')
  t.match(version.Browser, /Chrome\/\d+/)
  const at = (host: string) => new RegExp(`^ws://${host}:${local.port}/devtools/browser/[\\w-]+$`)
  t.match(version.webSocketDebuggerUrl, at('127\\.0\\.0\\.1'), 'without a key')
  // Not every machine resolves the name.
  const named = { host: `localhost:${local.port}` }
  const [, byName] = await statusOf(`${local.url}/json/version`, named)
  t.match(JSON.parse(byName), { webSocketDebuggerUrl: at('localhost') })

  for (const path of ['/json', '/json/list']) {
    const [page] = (await json<Target[]>(path)).filter(({ type }) => type === 'page')
    t.match(page!.webSocketDebuggerUrl, new RegExp(`^ws://127.0.0.1:${local.port}/devtools/page/`))
    const socket = new WebSocket(page!.webSocketDebuggerUrl, { origin: local.url })
    await once(socket, 'open')
    socket.send(
      JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: '6*7' } }),
    )
    const [answer] = (await once(socket, 'message')) as [Buffer]
    t.match(JSON.parse(String(answer)), { id: 1, result: { result: { value: 42 } } })
    socket.close()
  }
  t.match(await json('/json/protocol'), { version: {}, domains: [] })
  t.match(await statusOf(`${local.url}/json/activate/nothing`, {}, 'PUT'), [404, /No such target/])
  t.match(await statusOf(`${local.url}/v1/sessions`, {}), [
    404,
    /There is nothing at \/v1\/sessions/,
  ])
  t.match(await statusOf(`${local.url}/json/version`, {}, 'POST'), [405, /GET or PUT/])
  const nowhere = new WebSocket(`ws://127.0.0.1:${local.port}/ws`)
  t.match(await once(nowhere, 'error'), [/404/])
  await local.stop()
})

t.test('web pages are refused, by name, by origin and by site', async (t) => {
  const { id } = await createSession(service.rest)
  const local = await openPort(id)
  const version = `${local.url}/json/version`
  const refused = async (headers: Record<string, string>, words: RegExp) => {
    t.match(await statusOf(version, headers), [403, words], JSON.stringify(headers))
    const socket = new WebSocket(`ws://127.0.0.1:${local.port}/`, { headers })
    t.match(await once(socket, 'error'), [/403/], JSON.stringify(headers))
  }
  await refused({ host: `rebound.example:${local.port}` }, /Host must be 127\.0\.0\.1:\d+/)
  await refused({ host: '127.0.0.1:1' }, /Host must be/)
  await refused({ origin: 'https://evil.example' }, /Origin is foreign/)
  await refused({ origin: 'null' }, /Origin is foreign/)
  await refused({ 'sec-fetch-site': 'cross-site' }, /another site/)
  t.match(await statusOf(version, { origin: local.url, 'sec-fetch-site': 'none' }), [200])
  await local.stop()
})

t.test('what is wrong is said', async (t) => {
  const { id, cdp_url: cdpUrl } = await createSession(service.rest)
  const run = (...args: readonly string[]) => runTroupe(['cdp-port', ...args], env)
  t.match(await run('ses_unknown'), { code: 1, stderr: /answered 404: / })
  t.match(await run(id, '--port', '70000'), { code: 2, stderr: /70000 is not a number from 0/ })
  t.match(await run(), { code: 2, stderr: /usage: .*cdp-port SESSION/ })
  t.match(await run('--help'), { code: 0, stdout: /debuggerAddress[^]*browserURL/ })
  const local = await openPort(id)
  t.match(await run(id, '--port', String(local.port)), { code: 1, stderr: /is in use: choose/ })

  await service.rest('DELETE', `/v1/sessions/${id}`)
  await until('the session is over', async () => (await fetch(httpOf(cdpUrl))).status === 410)
  const [status, said] = await statusOf(`${local.url}/json/version`, {})
  t.match([status, said], [410, /session_ended/], 'the answer of the service is passed on')
  t.match(await local.over(), { code: 1, said: /ended/ }, 'and the command ends with the session')
  t.match(await run(id), { code: 1, stderr: /has no browser|ended/ })
})

const httpOf = (cdpUrl: string) => cdpUrl.replace(/^ws(:\/\/[^/]*)\//, 'http$1/json/version')

t.test('a service that does not answer is told, and the port stays', async (t) => {
  const { id } = await createSession(service.rest)
  const local = await openPort(id)
  process.kill(service.pidOf('gateway'), 'SIGKILL')
  const seen = await Promise.all(
    Array.from({ length: 8 }, () => statusOf(`${local.url}/json/version`, {})),
  )
  for (const [status, body] of seen) t.ok(status === 200 || /does not answer/.test(body), body)
  await until('the next gateway is reached', async () => {
    return (await statusOf(`${local.url}/json/version`, {}))[0] === 200
  })
  t.equal((await local.stop()).code, 0)
})
