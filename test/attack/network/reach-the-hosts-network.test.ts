/**
 * An attacker with a session wants what listens on the host and beside it: the service's own ports,
 * the browsers of others, whatever a private network has. Their browser would ask for it. Method: one
 * service as others reach it, a site on loopback that counts what arrives, and a client and pages that
 * try every way that there is.
 */
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { hostname } from 'node:os'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { freePort } from '../../../runtime/lib/network/free-port.ts'
import { sandboxPorts } from '../../../runtime/browser-host/isolation/own-network.ts'
import { connectPlaywright, isBrowser } from '../../helpers/browser/browsers.ts'
import {
  doing,
  listenForDatagrams,
  serveSite,
  silentWays,
  ways,
} from '../../helpers/pages/hostile-page.ts'
import { isolationOf } from '../../helpers/service/isolation-here.ts'
import { servicePorts } from '../../helpers/network/service-ports.ts'
import { newKey, type TestKey } from '../../helpers/service/keys.ts'
import { descendantsOf, linkOf, listeningPorts } from '../../helpers/lib/processes.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { connectSpelt } from '../../helpers/gateway/spelt-cdp.ts'
import { until } from '../../helpers/lib/until.ts'

const port = await freePort('127.0.0.1')
const [service, site, datagrams] = await Promise.all([
  startService({
    env: {
      POOL_HEADLESS: '2',
      PORT: String(port),
      PUBLIC_URL: 'https://browsers.example',
      ALLOW_DEV_KEY: '1',
    },
  }),
  serveSite('localhost'),
  listenForDatagrams(),
])
t.teardown(async () => {
  datagrams.close()
  await Promise.all([service.stop(), site.close()])
})
const skip = (await isolationOf(service)) !== 'full' && 'this machine lets nobody make networks'

/** PUBLIC_URL leads nowhere here. */
const here = (url: string) => `ws://127.0.0.1:${port}/${new URL(url).search}`

async function attacker(t: Test, key: TestKey, session: object = {}) {
  const { id, cdp_url: url } = await createSession(key.rest, { ...headless, session })
  const browser = await connectPlaywright(here(url))
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
      const devtools = String(sandboxPorts.devtoolsPort)
      await until('it listens in its own', () => String(listeningPorts(pid)) === devtools)
      const seen = readdirSync(`/proc/${pid}/root/tmp`)
      t.notOk(seen.includes('devtools'), 'what leads there from outside is not in its hands')
    }
  },
)

async function read(page: Page, url: string): Promise<string> {
  const reply = await page.goto(url).catch(() => null)
  return reply === null ? 'nothing' : `${reply.status()} ${await reply.text()}`
}

/** More spellings are in test/e2e/page/network-policy and test/unit/stranger-urls. */
const privateNames = [
  ...['127.1', '0', '127.0.0.1.', 'a.localhost', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[fe80::1]', '[fd00:ec2::254]', '169.254.169.254', 'metadata.google.internal'],
  ...['100.100.100.200', '192.168.0.1', hostname()],
]

t.test('a page asks in every way', { skip }, async (t) => {
  const { page } = await attacker(t, await newKey(service, 'pages'))
  await page.goto('about:blank')
  for (const source of [...Object.values(ways), ...Object.values(silentWays)]) {
    // Some lead the page away; it comes back.
    await page.evaluate(doing(source, site, site, datagrams.port)).catch(() => undefined)
    if (page.url() !== 'about:blank') await page.goto('about:blank').catch(() => undefined)
  }
  for (const url of [
    `${site.origin}/`,
    `http://127.0.0.1:${port}/health/ready`,
    ...['127.0.0.1', '192.0.2.1', '[::1]', 'localhost'].map(
      (name) => `http://${name}:${sandboxPorts.devtoolsPort}/json/list`,
    ),
  ]) {
    t.match(await read(page, url), /^(403 Blocked by the network policy|nothing)/, url)
  }
  t.equal(site.connections, 0)
  t.equal(datagrams.count, 0)
})

t.test('the demo page leads nowhere else', { skip }, async (t) => {
  const key = await newKey(service, 'demo')
  const { id, page } = await attacker(t, key)
  const own = `http://127.0.0.1:${port}`
  const demo = `${own}/demo`
  t.equal((await page.goto(demo))?.status(), 200)
  t.equal(await page.title(), 'Troupe demo page')
  // The page has the gateway's origin, but the gateway is not there.
  for (const path of ['/', '/v1/sessions', '/openapi.json', '/portal', '/demo/', '/health/ready']) {
    t.match(await read(page, own + path), /^(403 Blocked by the network policy|nothing)/, path)
  }
  await page.goto(demo)
  const tried = await page.evaluate(
    `(async () => {
      const asked = ['/v1/sessions', '/metrics', '/json/version?apiKey=${devKey}'].map((path) =>
        fetch(path, { headers: { 'service-api-key': '${devKey}' } }).then(
          ({ status }) => status,
          () => 'nothing',
        ),
      )
      const socket = new WebSocket('ws://127.0.0.1:${port}/?apiKey=${devKey}')
      const opened = new Promise((resolve) => {
        socket.onopen = () => resolve('open')
        socket.onerror = () => resolve('nothing')
      })
      return Promise.all([...asked, opened])
    })()`,
  )
  t.notOk(
    (tried as unknown[]).some((one) => one === 200 || one === 'open'),
    String(tried),
  )
  // To another site it does not tell that this is a browser of ours.
  const other = `data:text/html,<iframe src="${demo}"></iframe><a href="${demo}">there</a>`
  await page.goto(other)
  const leads = page.waitForResponse(
    (answer) => answer.url() === demo && !answer.frame().parentFrame(),
  )
  await page.click('a')
  t.equal((await leads).status(), 403)
  t.match(await key.rest('POST', `/v1/sessions/${id}/goto`, { url: demo }), { status: 200 })
  const elsewhere = { url: `${own}/v1/sessions` }
  t.equal((await key.rest('POST', `/v1/sessions/${id}/goto`, elsewhere)).status, 422)
})

t.test('private addresses, however they are written', { skip }, async (t) => {
  const { page } = await attacker(t, await newKey(service, 'spellings'))
  for (const name of privateNames) {
    const seen = await read(page, `http://${name}:8000/`)
    t.match(seen, /^403 Blocked by the network policy/, name)
  }
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

t.test(
  'a client makes a context that goes past the proxy, to its own DevTools',
  { skip },
  async (t) => {
    const { rest } = await newKey(service, 'past')
    const session = await createSession(rest)
    const cdp = await connectSpelt(here(session.cdp_url))
    t.teardown(async () => {
      cdp.close()
      await rest('DELETE', `/v1/sessions/${session.id}`)
    })
    const ask = async (method: string, params: object, sessionId?: unknown) =>
      (await cdp.say(JSON.stringify({ id: 1, method, params, sessionId }))).result!
    for (const proxy of [
      { proxyServer: 'direct://' },
      { proxyServer: `http://127.0.0.1:${sandboxPorts.proxyPort}`, proxyBypassList: '*' },
      {
        proxyServer: `http://127.0.0.1:${sandboxPorts.devtoolsPort}`,
        proxyBypassList: '<-loopback>',
      },
    ]) {
      const { browserContextId } = await ask('Target.createBrowserContext', proxy)
      const { targetId } = await ask('Target.createTarget', {
        url: 'about:blank',
        browserContextId,
      })
      const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true })
      for (const name of ['127.0.0.1', 'localhost', '192.0.2.1']) {
        const url = `http://${name}:${sandboxPorts.devtoolsPort}/json/list`
        t.match(await ask('Page.navigate', { url }, sessionId), { errorText: /^net::ERR_/ }, url)
      }
      const { errorText } = await ask('Page.navigate', { url: site.origin }, sessionId)
      t.match(errorText, /^net::ERR_/)
    }
    t.equal(site.connections, 0)
  },
)

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
    const alone = { prompt: 'Go', allow_private_network: true }
    for (const body of [task, alone]) {
      t.equal((await plain.rest('POST', '/v1/tools/perform-web-task', body)).status, 403)
    }
    const trusted = await newKey(service, 'trusted', '--allow-private')
    const { page } = await attacker(t, trusted, { network })
    t.equal((await page.goto(`${site.origin}/inside`))?.status(), 200)
    t.equal((await page.goto(`http://127.0.0.1:${port}/v1/sessions`))?.status(), 403)
    const way = `${site.origin}/redirect?to=http://127.0.0.1:${port}/v1/sessions`
    t.equal((await page.goto(way))?.status(), 403, 'nor by a redirect')
    for (const own of servicePorts(service)) {
      for (const name of ['127.0.0.1', '[::ffff:127.0.0.1]']) {
        t.equal((await page.goto(`http://${name}:${own}/`))?.status(), 403, `${name}:${own}`)
      }
    }
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
