/**
 * Goal: the page of hosts shows an operator what each process reports, in words, follows it while it
 * is open, and drains a host after a question; other keys are told which key it needs. Method: a
 * real gateway with records of processes that the test sets, and a played node agent.
 */
import t from 'tap'
import { newId, newIncarnation, type Role } from '../../../../proto/ids.ts'
import { keyScopeNames } from '../../../../proto/accounts/key-scopes.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import type { StreamUsage } from '../../../../runtime/store/store.ts'
import { textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { EventReader } from '../../../helpers/console/event-reader.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const admin = keyOf('house', { scopes: keyScopeNames })
const acme = keyOf('acme')
const GiB = 2 ** 30
const startedAtMs = Date.now() - 125_000
const usage: readonly StreamUsage[] = [
  { stream: 'LOG', bytes: GiB, maxBytes: 4 * GiB, refuses: true },
  { stream: 'KV_keys', bytes: 3 * GiB, maxBytes: 4 * GiB, refuses: true },
]
const asked: string[] = []
const service = await playService({
  keys: [admin.record, acme.record],
  env: { PUBLIC_URL: 'https://browsers.example' },
  usage: async () => usage,
  async node(subject) {
    asked.push(subject)
    return { ok: true, value: { sessions: 3 } }
  },
})
t.teardown(() => service.close())

const signedIn = ({ text }: { readonly text: string }, { url } = service.gateway) =>
  signedInPlainly(url, text)

function processOf(nodeId: string, role: Role, more: Partial<HostRecord> = {}, atMs = startedAtMs) {
  const incarnation = newIncarnation(nodeId, role, atMs)
  const facts = { leaseMs: 10_000, machine: 'm', version: '1.2.3', state: 'alive' as const }
  const record: HostRecord = { nodeId, role, incarnation, ...facts, ...more }
  service.hosts.set(record)
  return record
}

const load = { capacity: 8, warm: 2, booting: 1, claimed: 3, queued: 4, ready: true }

t.test('without hosts, the page says what to do', async (t) => {
  const bare = await playService({
    keys: [admin.record],
    env: { PUBLIC_URL: 'https://browsers.example' },
  })
  t.teardown(() => bare.close())
  const page = await (await signedIn(admin, bare.gateway)).get('/console/hosts')
  t.equal(page.status, 200)
  const text = textOf(page)
  t.match(text, /No browser is available right now/)
  t.match(text, /No browser host is running Sessions need one\. Start it with npm run troupe/)
  t.match(text, /No problems in the last 24 hours/)
  t.match(text, /No process is known/)
  t.match(text, /The store does not answer/)
})

t.test('a key without the scope is told which key it needs', async (t) => {
  const one = await signedIn(acme)
  const page = await one.get('/console/hosts')
  t.equal(page.status, 403)
  t.match(textOf(page), /for operators of the service It requires a key with the scope admin/)
  t.notMatch((await one.get('/console')).html, 'href="/console/hosts"')
  t.equal((await one.get('/console/hosts/feed')).status, 403)
})

t.test('what processes report is in words, and followed while the page is open', async (t) => {
  const machineLoad = { cores: 4, load: 1.25, memoryBytes: 16 * GiB, memoryFreeBytes: 9.5 * GiB }
  const agent = processOf('b-1', 'node-agent', {
    ...{
      isolation: 'full',
      bounds: 'kernel',
      labels: ['zone=a', 'gpu'],
      browsers: load,
      machineLoad: { ...machineLoad, processBytes: GiB / 8 },
    },
  })
  const why = 'browsers share the network of this host, because of NETWORK_ISOLATION'
  processOf('b-2', 'node-agent', { isolation: 'namespaces', isolationLacks: [why] })
  processOf('b-1', 'node-agent', { state: 'dead', by: 'a-1', wallMs: Date.now() }, startedAtMs - 9)
  processOf('a-1', 'gateway', { url: 'http://10.0.0.1:8080' })
  const failed = { ...playedView(newId('ses')), tenant: 'acme', status: 'failed' as const }
  service.views.set({ ...failed, reason: 'browser_crashed', endedAtMs: Date.now() })
  const one = await signedIn(admin)
  const page = await one.get('/console/hosts')
  const text = textOf(page)
  t.match(text, /2 warm browsers 3 in use 8 sessions at most 4 callers waiting/)
  t.match(
    text,
    /b-1 Version 1\.2\.3 · Isolated: files, processes and network; limits kept by the kernel zone=a gpu Ready 2, 1 starting 3 of 8 4/,
  )
  t.match(text, `Isolated: files and processes; ${why}`)
  t.match(text, /1\.25 on 4 cores 9\.5 GiB of 16\.0 GiB/)
  t.match(text, /Browser host b-1 Running 1\.2\.3 2 min 1 in the last hour 128\.0 MiB/)
  t.match(text, /Gateway a-1 Running 1\.2\.3 2 min None – http:\/\/10\.0\.0\.1:8080/)
  t.match(text, /Session of acme .* The browser crashed/)
  t.match(text, /The process ended unexpectedly/)
  t.match(text, /Keys KV_keys 75 % 3\.0 GiB 4\.0 GiB Logs of sessions and tasks LOG 25 %/)

  const reader = new EventReader(await one.exchange('GET', '/console/hosts/feed'))
  t.teardown(() => reader.close())
  t.match((await reader.next<{ processes: string }>('parts')).processes, 'process-a-1')
  service.hosts.set({ ...agent, wallMs: 1 })
  service.hosts.set({ ...agent, browsers: { ...load, warm: 1 } })
  const { into, rows, order } = await reader.next<Rows>('rows')
  t.equal(into, 'browser-hosts', 'a renewal alone changes nothing')
  t.same(Object.keys(rows), [`host-${agent.incarnation}`])
  t.equal(order, undefined)
  service.hosts.set({ ...agent, browsers: { ...load, warm: 0, ready: false } })
  const parts = await reader.next<{ 'host-summary': string }>('parts')
  t.match(parts['host-summary'], /No browser is available/)
  service.hosts.set(agent)
})

t.test('a host is drained after a question, without scripts too', async (t) => {
  const one = await signedIn(admin)
  const page = await one.get('/console/hosts')
  t.match(textOf(page), /Drain b-1 \? It takes no new sessions .* Its running sessions continue/)
  const done = await one.submit(page, '/console/hosts/b-1/drain')
  t.match(done.path, '/console/hosts?told=host-draining')
  t.match(textOf(done), /The host is draining: it takes no new sessions/)
  t.match(asked, [/b-1.*drain$/])
  t.match(service.audited.at(-1), { action: 'host.drain', key_id: admin.record.id })
  processOf('b-1', 'node-agent', { state: 'draining' })
  const draining = await one.get('/console/hosts')
  t.match(textOf(draining), /b-1 Version 1\.2\.3 Draining .* Undrain b-1/)
  const back = await one.submit(draining, '/console/hosts/b-1/undrain')
  t.match(textOf(back), /The host takes new sessions again/)
  t.match(asked.at(-1), /b-1.*undrain$/)
  t.match(service.audited.at(-1), { action: 'host.undrain', key_id: admin.record.id })
})

interface Rows {
  readonly into: string
  readonly order?: readonly string[]
  readonly rows: Readonly<Record<string, string>>
}
