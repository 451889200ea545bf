/**
 * Goal: a restricted browser reaches what its policy allows and nothing else, whatever a page tries
 * and whichever client is attached. Method: real Chromium, a page that tries every way out, and a
 * second site that counts requests; each way is first shown to work. Each case runs with the
 * extension and with the browser's own network.
 */
import { Server } from 'proxy-chain'
import t from 'tap'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import {
  doing,
  listenForDatagrams,
  serveSite,
  silentWays,
  ways,
  type Site,
} from '../../helpers/pages/hostile-page.ts'
import { isOwnNetwork } from '../../helpers/service/isolation-here.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { until } from '../../helpers/lib/until.ts'

const [home, other] = await Promise.all([serveSite('localhost'), serveSite('other.localhost')])
const datagrams = await listenForDatagrams()
const host = openBrowserHost({ kept: [] })
t.teardown(async () => {
  datagrams.close()
  await Promise.all([home.close(), other.close(), host.close()])
})
/** Without this, a browser with its own network cannot reach our sites on loopback. */
const network = { allow_private: true }
const session = await openPageSession(host, {
  session: { network },
  browser: { evaluate: { active: true }, popup_blocker: { active: false } },
})
const { run, refusal, restrict } = session
const onlyHome = { allowedDomains: ['localhost'], allowsPrivateNetwork: true }

/** Opens a page of the first site in the only tab. */
async function goHome(): Promise<void> {
  const { tabs } = await run('tab_list')
  const { id } = await run('tab_new', { url: `${home.origin}/start` })
  for (const tab of tabs) await run('tab_close', { tab: tab.id })
  await run('tab_select', { tab: id })
}
/** Opens a page of no site. */
const goAnywhere = () => run('tab_new', {})
const evaluate = (expression: string) => run('evaluate', { expression })

/** Ways that open pages get a page each, because one that opens late may replace ours. */
async function tryAll(to: Site): Promise<void> {
  for (const [name, source] of Object.entries({ ...ways, ...silentWays })) {
    if (/popup|form|download|ping/.test(name)) await goHome()
    const way = doing(source, home, to, datagrams.port)
    await evaluate(way).catch(async () => {
      await goHome()
      await evaluate(way)
    })
  }
}
const paths = (site: Site) => new Set(site.asked.map((path) => path.split('?')[0]))
/** The request of each way, derived from its source. */
const expected = Object.values(ways).flatMap((source) =>
  [...source.matchAll(/\$\{(?:to|ws)\}(\/[a-z-]+)/g)].map(([, path]) => path!),
)
const alsoExpected = ['worker', 'nested', 'shared', 'service']
  .flatMap((name) => [`/${name}`, `/${name}-socket`, `/${name}-import`])
  .concat('/beside', '/beside-socket', '/report')
const all = [...new Set([...expected, ...alsoExpected])]

const missing = (site: Site) => all.filter((path) => !paths(site).has(path))

/** A busy machine may leave a page before its frames have loaded; then all ways are tried again. */
async function allArrive(site: Site): Promise<void> {
  for (let round = 1; ; round++) {
    await tryAll(site)
    const arrived = until('every way has led there', () => missing(site).length === 0, 20_000)
    const error = await arrived.then(() => undefined).catch((cause: unknown) => cause)
    if (error === undefined) return
    if (round === 3) throw new Error(`${missing(site).join(' ')} did not arrive`, { cause: error })
  }
}

t.test('without a policy every way reaches the other site', async () => {
  await goHome()
  await allArrive(other)
  // A browser with its own network has no way for them.
  if (!isOwnNetwork) await until('datagrams have arrived', () => datagrams.count > 0)
})

t.test('with a policy none does, and all reach the sites that it allows', async (t) => {
  await goHome()
  t.same(await restrict(onlyHome), { restricted: true })
  other.reset()
  const before = datagrams.count
  await tryAll(other)
  home.reset()
  await allArrive(home)
  t.same([...paths(other)], [], 'nothing was asked for')
  t.equal(other.connections, 0, 'nobody even connected')
  t.equal(datagrams.count, before, 'no datagram came')
})

t.test('a page that a client opens in a new context is no way out', async (t) => {
  const client = await session.client()
  t.teardown(() => client.close())
  // Chromium 150 crashes when the context is closed, with any extension: see node-agent/README.md.
  if (/^150\./.test(client.version())) return t.plan(0, 'Chromium 150 does not survive it')
  const page = await (await client.newContext()).newPage()
  await page.goto(`${home.origin}/context`)
  home.reset()
  const gone = page.evaluate(doing(ways['image']!, home, other))
  await page.evaluate(doing(ways['WebSocket']!, home, other))
  await page.evaluate(doing(ways['image']!, home, home))
  await gone
  await until('the allowed one has arrived', () => paths(home).has('/image'))
  await page.goto(`${other.origin}/direct`).catch(() => undefined)
  t.equal(other.connections, 0)
})

t.test('a refused navigation is answered with the reason', async (t) => {
  await goHome()
  const blocked = { type: 'navigation_failed', details: { reason: 'blocked_by_policy' } }
  for (const command of ['goto', 'navigate', 'tab_new'] as const) {
    const error = await refusal(command, { url: `${other.origin}/direct` })
    t.match(error, {
      ...blocked,
      message: /other\.localhost:\d+ is not in the allowed domains: localhost/,
    })
  }
  const redirected = await refusal('navigate', {
    url: `${home.origin}/redirect?to=${other.origin}/a`,
  })
  t.match(redirected, blocked)
  t.match(await refusal('navigate', { url: 'https://other.localhost/' }), blocked)
  const secure = `${home.origin}/redirect?to=https://other.localhost/`
  t.match(await refusal('navigate', { url: secure }), blocked)
  await goHome()
  await evaluate(
    `document.body.innerHTML = '<a href="${other.origin}/link">Away</a><a href="/here">Stay</a>'`,
  )
  const { changes } = await run('click', { target: 'link "Away"' })
  t.match(
    changes,
    /Blocked by the network policy of this session: other\.localhost/,
    'the page says',
  )
  t.match(changes, /! blocked by the network policy: .*other\.localhost:\d+$/)
  t.equal(other.connections, 0)
  t.match(await run('navigate', { url: `${home.origin}/again` }), { title: 'A page' })
})

t.test('pages cannot read files of the machine', async (t) => {
  const client = await session.client()
  t.teardown(() => client.close())
  const page = await client.contexts()[0]!.newPage()
  await t.rejects(page.goto('file:///etc/hostname'), /ERR_BLOCKED_BY_(CLIENT|ADMINISTRATOR)/)
  await page.close()
})

t.test('private addresses are unreachable in every notation', async (t) => {
  await restrict({ allowsPrivateNetwork: false })
  await goAnywhere()
  home.reset()
  const { port } = new URL(home.origin)
  for (const name of [
    'localhost',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ]) {
    const error = await refusal('navigate', { url: `http://${name}:${port}/` })
    t.match(error, { type: 'navigation_failed', message: /private address/ }, name)
    await evaluate(doing(ways['image']!, home, { ...home, origin: `http://${name}:${port}` }))
    await evaluate(doing(ways['WebSocket']!, home, { ...home, origin: `http://${name}:${port}` }))
  }
  t.equal(home.connections, 0)
})

t.test('a lifted policy has no effect left', async () => {
  await restrict(null)
  other.reset()
  await goHome()
  await allArrive(other)
})

t.test('one policy replaces another without a gap', async (t) => {
  await restrict(onlyHome)
  await goHome()
  other.reset()
  await restrict({ allowedDomains: ['*.localhost'], allowsPrivateNetwork: true })
  t.match(await refusal('navigate', { url: `${home.origin}/a` }), { type: 'navigation_failed' })
  await run('navigate', { url: `${other.origin}/now` })
  t.ok(paths(other).has('/now'), [...paths(other)].join(' '))
  await restrict(null)
})

t.test('a session’s own proxy is still used, and an attached client stays', async (t) => {
  const asked: string[] = []
  const proxy = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction({ hostname, username }) {
      asked.push(`${username}@${hostname}`)
      return { requestAuthentication: username !== 'me' }
    },
  })
  await proxy.listen()
  t.teardown(() => proxy.close(true))
  const server = `http://127.0.0.1:${proxy.port}`
  const own = await openPageSession(host, {
    session: {
      network,
      proxy: { active: true, type: 'custom', server, username: 'me', password: 'x' },
    },
  })
  const client = await own.client()
  t.teardown(() => client.close())
  await own.restrict(onlyHome)
  asked.length = 0
  other.reset()
  await own.run('navigate', { url: `${home.origin}/own` })
  t.ok(asked.includes('me@localhost'), asked.join(' '))
  const page = client.contexts()[0]!.pages()[0]!
  // The client learns of that navigation later than the command's caller.
  await page.waitForURL(`${home.origin}/own`)
  t.equal((await page.goto(`${other.origin}/own`))?.status(), 403)
  t.equal(other.connections, 0)
  t.notOk(asked.includes('me@other.localhost'))
})
