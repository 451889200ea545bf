/**
 * An attacker has a key of a service that listens on loopback alone, as do other tenants of it, and wants
 * what else is there: the application that the owner of the machine tests, the browsers of the others, the
 * service's own ports. Method: a service as it starts by default, whose ports are chosen when it starts, a
 * site on loopback that counts what arrives, and pages and commands of every kind of key.
 */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { connectPlaywright, isBrowser } from '../../helpers/browser/browsers.ts'
import { descendantsOf, linkOf, listeningPorts } from '../../helpers/lib/processes.ts'
import { doing, serveSite, ways } from '../../helpers/pages/hostile-page.ts'
import { isolationOf } from '../../helpers/service/isolation-here.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { createSession, headless, startService, type Rest } from '../../helpers/service/service.ts'
import { servicePorts } from '../../helpers/network/service-ports.ts'

const [service, site] = await Promise.all([
  startService({ env: { POOL_HEADLESS: '2' } }),
  serveSite('localhost'),
])
t.teardown(() => Promise.all([service.stop(), site.close()]))
const skip = (await isolationOf(service)) !== 'full' && 'this machine lets no user make networks'
const { port } = new URL(site.origin)

async function sessionOf(t: Test, rest: Rest, network?: object) {
  const session = await createSession(rest, {
    ...headless,
    ...(network && { session: { network } }),
  })
  const browser = await connectPlaywright(session.cdp_url)
  t.teardown(async () => {
    await browser.close()
    await rest('DELETE', `/v1/sessions/${session.id}`)
  })
  const page = browser.contexts()[0]!.pages()[0]!
  const go = (url: string) => rest('POST', `/v1/sessions/${session.id}/goto`, { url })
  return { page, go }
}

async function statusOf(page: Page, url: string): Promise<number | undefined> {
  const reply = await page.goto(url).catch(() => null)
  return reply?.status()
}

const blocked = { status: 422, body: { error: { reason: 'blocked_by_policy' } } }

t.test(
  'with a key of another tenant, a page reaches nothing on the machine',
  { skip },
  async (t) => {
    const { rest } = await newKey(service, 'plain')
    const { page, go } = await sessionOf(t, rest)
    await page.goto('about:blank')
    for (const name of ['fetch', 'image', 'WebSocket', 'frame', 'beacon', 'EventSource']) {
      await page.evaluate(doing(ways[name]!, site, site))
    }
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      t.equal(await statusOf(page, `http://${host}:${port}/`), 403, host)
      t.match(await go(`http://${host}:${port}/`), blocked, host)
    }
    const asked = await rest('POST', '/v1/tools/fetch-webpage', { url: `${site.origin}/` })
    t.ok(asked.status >= 400, 'nor does a tool of the service')
    t.equal(site.connections, 0)
  },
)

t.test('nor if the session asks for it', { skip }, async (t) => {
  const { rest } = await newKey(service, 'asks')
  const network = { allow_private: true }
  const refused = await rest('POST', '/v1/sessions', { ...headless, session: { network } })
  t.match(refused, { status: 403, body: { error: { message: /--allow-private/ } } })
})

t.test('no browser has its DevTools on the machine', { skip }, async (t) => {
  await sessionOf(t, service.rest)
  const own = linkOf('/proc/self/ns/net')
  const found = descendantsOf(service.pidOf('node-agent'))
  t.ok(found.some(isBrowser))
  const here = found.filter(({ pid }) => linkOf(`/proc/${pid}/ns/net`) === own)
  t.same(here.filter(isBrowser), [])
  t.same(
    here.flatMap(({ pid }) => listeningPorts(pid)),
    [],
  )
})

t.test('who may reach the machine does, but never the service itself', { skip }, async (t) => {
  const trusted = await newKey(service, 'trusted', '--allow-private')
  for (const rest of [service.rest, trusted.rest]) {
    const { page, go } = await sessionOf(t, rest)
    t.equal(await statusOf(page, `${site.origin}/inside`), 200)
    for (const own of servicePorts(service)) {
      for (const host of ['localhost', '[::ffff:127.0.0.1]']) {
        t.equal(await statusOf(page, `http://${host}:${own}/`), 403, `${host}:${own}`)
      }
    }
    t.match(await go(`${service.baseUrl}/v1/sessions`), {
      status: 422,
      body: { error: { reason: 'blocked_by_policy', message: /a port of this service itself/ } },
    })
    const way = `${site.origin}/redirect?to=${service.baseUrl}/v1/sessions`
    t.equal(await statusOf(page, way), 403, 'nor by a redirect')
    t.equal(await statusOf(page, `${service.baseUrl}/demo`), 200, 'the filter has this page')
  }
})

t.test('a session that gives it up does not get it', { skip }, async (t) => {
  site.reset()
  const { page, go } = await sessionOf(t, service.rest, { allow_private: false })
  t.equal(await statusOf(page, `${site.origin}/`), 403)
  t.match(await go(`${site.origin}/`), blocked)
  t.equal(site.connections, 0)
})
