/**
 * An attacker on the internet has read the README, and wants sessions of a service that stands
 * behind a reverse proxy on its own host: to the service, every caller comes from loopback. Method:
 * a real service, and a proxy in front as people configure one.
 */
import { createServer, request } from 'node:http'
import t from 'tap'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { devKeys } from '../../../runtime/accounts/keys/client-key.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({ env: { POOL_HEADLESS: '0' } })
const proxy = createServer((incoming, response) => {
  const headers = { ...incoming.headers, host: `127.0.0.1:${service.port}` }
  const forwarded = { ...headers, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' }
  const { method, url: path } = incoming
  const options = { host: '127.0.0.1', port: service.port, method, path, headers: forwarded }
  const asked = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  asked.on('error', () => response.destroy())
  incoming.pipe(asked)
})
const proxyUrl = `http://127.0.0.1:${await listenOnLoopback(proxy)}`
t.teardown(async () => {
  await closeServer(proxy)
  await service.stop()
})

async function ask(base: string, path: string, headers: Record<string, string>, method = 'GET') {
  const response = await fetch(base + path, { method, headers })
  return { status: response.status, text: await response.text() }
}
const keyed = { 'service-api-key': devKey }

t.test('through the proxy the key opens nothing, and the answer says what does', async (t) => {
  t.match(await ask(service.baseUrl, '/v1/sessions', keyed), { status: 200 }, 'on this machine')
  const why = /x-forwarded-for .*npm run troupe -- keys create/
  t.match(await ask(proxyUrl, '/v1/sessions', keyed), { status: 401, text: why })
  t.match(await ask(proxyUrl, '/v1/sessions', keyed, 'POST'), { status: 401, text: why })
  const bearer = { authorization: `Bearer ${devKey}` }
  t.match(await ask(proxyUrl, '/v1/sessions', bearer), { status: 401, text: why })
  t.match(await ask(proxyUrl, '/mcp', bearer, 'POST'), { status: 401, text: why })
  for (const query of [`apiKey=${devKey}&sessionId=ses_x`, `apiKey=${devKey}`]) {
    t.match(await ask(proxyUrl, `/json/version?${query}`, {}), { status: 401, text: why })
  }
})

t.test('the answer to a missing key names it only on this machine', async (t) => {
  for (const path of ['/v1/sessions', '/json/version', '/v1/audit']) {
    t.match(await ask(service.baseUrl, path, {}), { status: 401, text: devKey })
    const { status, text } = await ask(proxyUrl, path, {})
    t.equal(status, 401)
    t.notMatch(text, /dev-local-key|keys dev/)
    t.match(text, 'npm run troupe -- keys create')
  }
})

t.test('through the proxy nobody reads the figures of the service', async (t) => {
  t.match(await ask(service.baseUrl, '/metrics', {}), { status: 200 }, 'on this machine')
  const why = /x-forwarded-for .*PUBLIC_URL/
  t.match(await ask(proxyUrl, '/metrics', {}), { status: 401, text: why })
})

t.test('a page of another site in the operator’s browser asks with it', async (t) => {
  const cross = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  for (const method of ['GET', 'POST']) {
    const { status } = await ask(service.baseUrl, '/v1/sessions', { ...keyed, ...cross }, method)
    t.ok([401, 403].includes(status), method)
  }
  const { origin: _, ...without } = cross
  const path = `/json/version?apiKey=${devKey}&sessionId=ses_x`
  t.match(await ask(service.baseUrl, path, without), { status: 401, text: /another site/ })
})

t.test('they try it on a service that was not started for trying it', async (t) => {
  const plain = await startService({ env: { POOL_HEADLESS: '0', DEV_KEY: '' } })
  t.teardown(() => plain.stop())
  t.match(await ask(plain.baseUrl, '/v1/sessions', keyed), { status: 401 })
  t.notMatch((await ask(plain.baseUrl, '/', {})).text, /dev-local-key|dev_/)
  t.notMatch(plain.output(), devKey)
  const [own = ''] = devKeys({ DATA_DIR: plain.dataDir, DEV_KEY: '' })
  await until('its screen has a key of its own', () => plain.output().includes(own))
  const answer = await ask(plain.baseUrl, '/v1/sessions', { 'service-api-key': own })
  t.equal(answer.status, 200)
  const forwarded = { 'service-api-key': own, 'x-forwarded-for': '192.0.2.7' }
  t.equal((await ask(plain.baseUrl, '/v1/sessions', forwarded)).status, 401)
})

t.test('the page that welcomes them does not print it', async (t) => {
  t.match((await ask(service.baseUrl, '/', {})).text, devKey)
  const { status, text } = await ask(proxyUrl, '/', {})
  t.equal(status, 200)
  t.notMatch(text, devKey)
  t.match(text, 'npm run troupe -- keys create')
})
