/**
 * An attacker with a session wants what listens on the host and beside it: the service's own ports,
 * the browsers of others, whatever a private network has. Their browser would ask for it. Method: one
 * service as others reach it, a site on loopback that counts what arrives, and a client and pages that
 * try every way that there is.
 */
import { request } from 'node:http'
import t, { type Test } from 'tap'
import { devKey } from '../../proto/key.ts'
import { freePort } from '../../runtime/free-port.ts'
import { connectPlaywright, isBrowser } from '../helpers/browsers.ts'
import { doing, listenForDatagrams, serveSite, silentWays, ways } from '../helpers/hostile-page.ts'
import { isolationOf } from '../helpers/isolation-here.ts'
import { newKey, type TestKey } from '../helpers/keys.ts'
import { descendantsOf, linkOf, listeningPorts } from '../helpers/processes.ts'
import { createSession, headless, startService } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

const port = await freePort('127.0.0.1')
const [service, site, datagrams] = await Promise.all([
  startService({
    env: { PORT: String(port), PUBLIC_URL: 'https://browsers.example', ALLOW_DEV_KEY: '1' },
  }),
  serveSite('localhost'),
  listenForDatagrams(),
])
t.teardown(async () => {
  datagrams.close()
  await Promise.all([service.stop(), site.close()])
})
const skip = (await isolationOf(service)) !== 'full' && 'this machine lets nobody make networks'

async function attacker(t: Test, key: TestKey, session: object = {}) {
  const { id, cdp_url: url } = await createSession(key.rest, { ...headless, session })
  // PUBLIC_URL leads nowhere here.
  const { search } = new URL(url)
  const browser = await connectPlaywright(`ws://127.0.0.1:${port}/${search}`)
  t.teardown(async () => {
    await browser.close()
    await key.rest('DELETE', `/v1/sessions/${id}`)
  })
  return { id, browser, page: browser.contexts()[0]!.pages()[0]! }
}

t.test(
  'each browser is alone in its network, and listens on no port of the host',
  { skip },
  async (t) => {
    const own = linkOf('/proc/self/ns/net')
    // One of them may be starting: on its way into its network, or as two processes for a moment.
    const pids = await until('each is in its own', () => {
      const found = descendantsOf(service.pidOf('node-agent')).filter(isBrowser)
      const networks = found.map(({ pid }) => linkOf(`/proc/${pid}/ns/net`))
      const known = new Set([own, '', ...networks])
      return (
        networks.length > 1 && known.size === networks.length + 2 && found.map(({ pid }) => pid)
      )
    })
    t.ok(pids.length > 1)
    for (const pid of pids) {
      await until('it listens in its own', () => String(listeningPorts(pid)) === '9222')
    }
  },
)

t.test('a page asks in every way', { skip }, async (t) => {
  const { page } = await attacker(t, await newKey(service, 'pages'))
  await page.goto('about:blank')
  for (const source of [...Object.values(ways), ...Object.values(silentWays)]) {
    // Some lead the page away; it comes back.
    await page.evaluate(doing(source, site, site, datagrams.port)).catch(() => undefined)
    if (page.url() !== 'about:blank') await page.goto('about:blank').catch(() => undefined)
  }
  const read = async (url: string) => {
    const reply = await page.goto(url).catch(() => null)
    return reply === null ? 'nothing' : `${reply.status()} ${await reply.text()}`
  }
  for (const url of [
    `${site.origin}/`,
    `http://127.0.0.1:${port}/health/ready`,
    'http://127.0.0.1:9222/json/list',
    'http://192.0.2.1:9222/json/list',
    'http://[::1]:9222/json/list',
    'http://169.254.169.254/latest/meta-data/',
    'http://2130706433:9222/',
  ]) {
    t.match(await read(url), /^(403 Blocked by the network policy|nothing)/, url)
  }
  t.equal(site.connections, 0)
  t.equal(datagrams.count, 0)
})

t.test(
  'a site that is not there is told apart from one that is not allowed',
  { skip },
  async (t) => {
    const key = await newKey(service, 'names')
    const { id } = await attacker(t, key)
    const go = (url: string) => key.rest('POST', `/v1/sessions/${id}/goto`, { url })
    const error = (reason: string) => ({ status: 422, body: { error: { reason } } })
    t.match(await go('https://name.that-is-nowhere.example/'), error('net::ERR_NAME_NOT_RESOLVED'))
    t.match(await go('https://127.0.0.1/'), error('blocked_by_policy'))
  },
)

t.test('a client makes a context with a proxy of its own', { skip }, async (t) => {
  const { browser } = await attacker(t, await newKey(service, 'contexts'))
  const context = await browser.newContext({ proxy: { server: new URL(site.origin).host } })
  const page = await context.newPage()
  await t.rejects(page.goto('http://example.com/'), /ERR_PROXY_CONNECTION_FAILED/)
  t.equal(site.connections, 0)
  await context.close()
})

t.test('a session asks for a proxy on the host', { skip }, async (t) => {
  const { host } = new URL(site.origin)
  const proxy = { active: true, type: 'custom', server: `http://${host}` }
  const { page } = await attacker(t, await newKey(service, 'proxies'), { proxy })
  const reply = await page.goto('http://example.com/').catch(() => null)
  t.not(reply?.status(), 200)
  t.equal(site.connections, 0)
})

t.test('a tool of the service reads a page for them', { skip }, async (t) => {
  const { rest } = await newKey(service, 'tools')
  for (const url of [`${site.origin}/`, `http://127.0.0.1:${port}/metrics`]) {
    const { status, body } = await rest('POST', '/v1/tools/fetch-webpage', { url })
    t.ok(status >= 400, JSON.stringify(body))
  }
  t.equal(site.connections, 0)
})

t.test(
  'private networks are for keys that may, and never the service itself',
  { skip },
  async (t) => {
    const network = { allow_private: true }
    const plain = await newKey(service, 'plain')
    const refused = await plain.rest('POST', '/v1/sessions', { session: { network } })
    t.match(refused, { status: 403, body: { error: { message: /--allow-private/ } } })
    const task = { prompt: 'Go', session_options: { session: { network } } }
    t.equal((await plain.rest('POST', '/v1/tools/perform-web-task', task)).status, 403)
    const trusted = await newKey(service, 'trusted', '--allow-private')
    const { page } = await attacker(t, trusted, { network })
    t.equal((await page.goto(`${site.origin}/inside`))?.status(), 200)
    t.equal((await page.goto(`http://127.0.0.1:${port}/v1/sessions`))?.status(), 403)
    // The development key, with which a page there would be let in.
    t.equal(await withDevKey(), 200)
    const { page: other } = await attacker(t, trusted)
    t.equal(
      (await other.goto(`${site.origin}/inside`))?.status(),
      403,
      'only where it is asked for',
    )
  },
)

function withDevKey(): Promise<number | undefined> {
  const headers = { 'service-api-key': devKey, host: `127.0.0.1:${port}` }
  return new Promise((resolve, reject) => {
    const asked = request(`http://127.0.0.1:${port}/v1/sessions`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.once('error', reject).end()
  })
}
