/**
 * Goal: through the sample configurations of reverse proxies, everything works that clients do:
 * sockets of all kinds, large messages, large uploads and their limit; the service knows the client's
 * address, /metrics is hidden, and no key is logged. Method: nginx and Caddy, as Debian has them, in
 * front of one service.
 */
import t, { type Test } from 'tap'
import type { ServiceAuditEntry } from '../../../proto/service-audit.ts'
import { MiB } from '../../../proto/units.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { freePorts } from '../../helpers/lib/free-ports.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { until } from '../../helpers/lib/until.ts'
import { newKey } from '../../helpers/service/keys.ts'
import {
  findProxy,
  proxyPrograms,
  startProxy,
  type ProxyName,
  type ReverseProxy,
} from '../../helpers/service/proxies/reverse-proxies.ts'
import {
  headless,
  restClient,
  startService,
  type SessionAnswer,
} from '../../helpers/service/service.ts'

const names = Object.keys(proxyPrograms) as ProxyName[]
const installed = names.filter((name) => findProxy(name))
for (const name of names) {
  const skip = installed.includes(name) ? false : `no ${name} here: apt-get install ${name}`
  if (skip) t.test(name, { skip }, async () => {})
}
if (installed.length > 0) await behindProxies()

async function behindProxies(): Promise<void> {
  // Certificates of the tests are trusted by no client.
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  const ports = await freePorts(installed.length)
  const service = await startService({
    env: { PUBLIC_URL: `https://localhost:${ports[0]}`, POOL_HEADLESS: '1' },
  })
  t.teardown(() => service.stop())
  const admin = await newKey(service, 'operator', '--scopes', 'admin')
  const mine = await newKey(service, 'mine')
  t.test('behind a proxy the figures need a key', async (t) => {
    t.equal((await fetch(`${service.baseUrl}/metrics`)).status, 401)
    t.equal((await admin.rest('GET', '/metrics')).status, 200)
  })

  for (const [at, name] of installed.entries()) {
    const port = ports[at]!
    const addressOf = async (session: string) => {
      const query = `session_id=${session}&action=session.create`
      type Page = { readonly data: { readonly entries: readonly ServiceAuditEntry[] } }
      const { body } = await admin.rest<Page>('GET', `/v1/audit?${query}`)
      return body.data.entries[0]?.address
    }
    t.test(name, async (t) => {
      const proxy = await startProxy(t, name, { port, servicePort: service.port })
      await usedThrough(t, proxy, { key: mine.text, addressOf })
    })
  }
}

interface Used {
  readonly key: string
  /** As the audit has it, once it is written. */
  addressOf(session: string): Promise<string | undefined>
}

async function usedThrough(t: Test, proxy: ReverseProxy, { key, addressOf }: Used): Promise<void> {
  const { url } = proxy
  const rest = restClient(url, key)
  const created = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: {
      'service-api-key': key,
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.9',
    },
    body: JSON.stringify(headless),
  })
  const { data: session } = (await created.json()) as SessionAnswer
  t.match(session.cdp_url, /^wss:\/\/localhost:\d+\//)
  t.match(session.live_view_url, /^https:\/\/localhost:\d+\//)
  const here = (address: string) => address.replace(/localhost:\d+/, new URL(url).host)

  await t.test('sockets, and large messages on them', async (t) => {
    const browser = await connectPlaywright(here(session.cdp_url))
    const [page] = browser.contexts()[0]!.pages()
    const text = 'x'.repeat(5 * MiB)
    t.equal(await page!.evaluate((given) => given.length, text), text.length)
    t.equal(
      await page!.evaluate((length) => 'y'.repeat(length), text.length).then(lengthOf),
      text.length,
    )
    await browser.close()
    const page2 = await fetch(here(session.live_view_url))
    t.equal(page2.status, 200)
    const viewer = await LiveSocket.open(here(session.live_view_url))
    await until('a picture arrives', () => viewer.shown.length > 0 || viewer.told.length > 0)
    viewer.close()
    const steps = await openSocket(`${url.replace('http', 'ws')}/ws?apiKey=${key}`)
    t.equal(steps.status, 101)
    steps.close()
  })

  await t.test('uploads up to their limit, whose refusal is the service’s', async (t) => {
    const upload = async (bytes: number) => {
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(bytes)]), 'large.bin')
      const answer = await fetch(`${url}/v1/sessions/${session.id}/uploads`, {
        method: 'POST',
        headers: { 'service-api-key': key },
        body: form,
      })
      return { status: answer.status, body: (await answer.json()) as object }
    }
    t.match(await upload(60 * MiB), { status: 200 })
    t.match(await upload(101 * MiB), { status: 413, body: { error: { code: 413 } } })
  })

  await t.test('the client’s address, /metrics and keys stay where they belong', async (t) => {
    const address = await until('the audit has it', () => addressOf(session.id))
    t.equal(address, '127.0.0.1', 'not what the client claims')
    for (const path of ['/metrics', '//metrics', '/%6detrics', '/metrics?x']) {
      t.not((await fetch(url + path)).status, 200, path)
    }
    t.equal((await rest('DELETE', `/v1/sessions/${session.id}`)).status, 200)
    const secrets = [key, new URL(session.cdp_url).searchParams.get('apiKey')!]
    secrets.push(new URL(session.live_view_url).searchParams.get('token')!)
    await until('requests are logged', () => proxy.logs().includes('/uploads'))
    const logs = proxy.logs()
    t.notOk(
      secrets.some((secret) => logs.includes(secret)),
      'no key in the log',
    )
  })
}

const lengthOf = (text: string) => text.length
