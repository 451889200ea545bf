/**
 * Goal: a browser host or a gateway that stands still or loses contact with the store loses nothing
 * that could be kept: its sessions are unreachable meanwhile, go on when it is back, and are lost
 * only after the grace period. Method: SIGSTOP, or a proxy to NATS that is cut; leases of 2 s.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { decode } from '../../../../proto/codec.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { browserPid, connectPlaywright, connectRaw } from '../../../helpers/browser/browsers.ts'
import { isRunning } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { startProxy } from '../../../helpers/nats/nats-proxy.ts'
import { startNats } from '../../../helpers/nats/nats.ts'
import { startMember, type Member } from '../../../helpers/service/member.ts'
import {
  createSession,
  headless,
  restClient,
  type SessionJson,
} from '../../../helpers/service/service.ts'

const whole = t
const nats = await startNats(t)
const link = await startProxy(t, nats.port)
const on = (node: string, more = {}) => ({ env: { ...nats.env, NODE_ID: node, ...more } })
const actors = await startMember(t, 'actors', on('core'))
const gateway = await startMember(t, 'gateway', on('core'))
const agent = await startMember(
  t,
  'node-agent',
  on('browsers', { NATS_URL: `nats://127.0.0.1:${link.port}` }),
)
const rest = restClient(String(gateway.info['url']), devKey)
await until('a browser is ready', async () => (await rest('GET', '/health/ready')).status === 200)

const read = async (id: string) =>
  (await rest<{ data: SessionJson & { unreachable_since?: string } }>('GET', `/v1/sessions/${id}`))
    .body.data
const becomes = (id: string, status: string) =>
  until(`it is ${status}`, async () => {
    const session = await read(id)
    if (session?.status === status) return session
    // What it is then would be lost in a wait that is never over.
    if (session?.status === 'lost') throw new Error(`it is lost: ${JSON.stringify(session)}`)
    return undefined
  })

/** Stops it until the test goes on. */
function freeze(t: { teardown(work: () => void): void }, { pid }: Member): () => void {
  const thaw = () => void (isRunning(pid) && process.kill(pid, 'SIGCONT'))
  process.kill(pid, 'SIGSTOP')
  t.teardown(thaw)
  return thaw
}

await t.test(
  'a browser host that is frozen: its session is unreachable, and goes on',
  async (t) => {
    const { id, cdp_url } = await createSession(rest)
    const browser = await connectPlaywright(cdp_url)
    const page = browser.contexts()[0]!.pages()[0]!
    await page.evaluate('globalThis.mark = 42')
    const thaw = freeze(t, agent)

    const { unreachable_since } = await becomes(id, 'unreachable')
    t.ok(Date.parse(unreachable_since ?? '') <= Date.now())
    // A gateway whose view is a moment behind has sent the command, and answers 504.
    const refused = await rest('POST', `/v1/sessions/${id}/commands/snapshot`, {})
    t.ok([503, 504].includes(refused.status))
    t.match(refused.body, { error: { reason: 'unreachable' } })
    t.equal(
      await page.evaluate('globalThis.mark'),
      42,
      'CDP does not pass through the host’s agent',
    )
    const listed = await rest<{ data: { sessions: SessionJson[] } }>(
      'GET',
      '/v1/sessions?status=unreachable',
    )
    t.same(
      listed.body.data.sessions.map((one) => one.id),
      [id],
    )

    thaw()
    t.notOk((await becomes(id, 'running')).unreachable_since)
    t.ok(isRunning(agent.pid), 'the agent has not ended')
    t.equal(await page.evaluate('globalThis.mark'), 42)
    t.match(await rest('POST', `/v1/sessions/${id}/commands/snapshot`, {}), { status: 200 })
    await browser.close()
    t.equal((await rest('DELETE', `/v1/sessions/${id}`)).status, 200)
  },
)

await t.test('a browser host that is cut off from the store: the same', async (t) => {
  const { id, cdp_url } = await createSession(rest)
  const client = await connectRaw(cdp_url)
  link.cut()
  t.teardown(() => link.mend())
  await becomes(id, 'unreachable')
  t.ok(await client.send('Browser.getVersion'))
  link.mend()
  await becomes(id, 'running')
  t.ok(await client.send('Browser.getVersion'), 'on the same connection')
  client.close()
  t.equal((await rest('DELETE', `/v1/sessions/${id}`)).status, 200)
})

await t.test(
  'an unreachable session can be ended; its browser ends when the host is back',
  async (t) => {
    const { id, cdp_url } = await createSession(rest)
    const client = await connectRaw(cdp_url)
    const pid = await browserPid(client)
    const thaw = freeze(t, agent)
    await becomes(id, 'unreachable')
    t.equal((await rest('DELETE', `/v1/sessions/${id}`)).status, 200)
    t.match(await read(id), { status: 'completed', reason: 'deleted' })
    t.equal((await client.closed).code, 4003)
    t.ok(isRunning(pid))
    thaw()
    await until('its browser has ended', () => !isRunning(pid))
    t.ok(isRunning(agent.pid))
  },
)

await t.test('a gateway that is frozen keeps its sockets', async (t) => {
  const { id, cdp_url } = await createSession(rest)
  const client = await connectRaw(cdp_url)
  await client.send('Browser.getVersion')
  const hosts = (await nats.store()).bucket(buckets.hosts)
  const state = async () => {
    const record = await hosts.get(gateway.incarnation)
    return record && decode<HostRecord>(record.value).state
  }
  const thaw = freeze(t, gateway)
  await until('it is silent', async () => (await state()) === 'silent')
  thaw()
  await until('it is alive', async () => (await state()) === 'alive')
  t.ok(await client.send('Browser.getVersion'))
  t.equal((await read(id)).status, 'running')
  client.close()
  t.equal((await rest('DELETE', `/v1/sessions/${id}`)).status, 200)
})

await t.test(
  'a host that is not back within the grace period: its session is lost, whoever tells it',
  async (t) => {
    const { id, cdp_url } = await createSession(rest)
    const client = await connectRaw(cdp_url)
    const thaw = freeze(t, agent)
    await becomes(id, 'unreachable')
    await actors.kill()
    await startMember(t, 'actors', on('heir', { HOST_GRACE_SECONDS: '1' }))
    t.match(await becomes(id, 'lost'), { reason: 'node_lost' })
    t.equal((await client.closed).code, 4011)
    thaw()
    await until('the host has learned that it is dead', () => !isRunning(agent.pid))
    t.match(agent.output(), 'fenced')
  },
)

await t.test('an agent that starts goes on with the browsers of the one before', async (t) => {
  // The actors of the test before waited a second, in which no agent starts on a busy machine.
  await startMember(whole, 'actors', on('patient'))
  const dataDir = mkdtempSync(join(tmpdir(), 'troupe-again-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startMember(t, 'node-agent', { ...on('again'), dataDir })
  const { id, cdp_url } = await until('it has a browser', async () => {
    const { status, body } = await rest('POST', '/v1/sessions', headless)
    return status === 200 && body.data
  })
  const pid = await browserPid(await connectRaw(cdp_url))
  await first.kill()
  await becomes(id, 'unreachable')
  await startMember(t, 'node-agent', { ...on('again'), dataDir })
  t.notOk((await becomes(id, 'running')).unreachable_since)
  t.ok(isRunning(pid))
  t.equal((await rest('DELETE', `/v1/sessions/${id}`)).status, 200)
  await until('its browser is gone', () => !isRunning(pid))
})

await t.test('an agent that starts without them: its sessions have no grace', async (t) => {
  const once = on('elsewhere', { HOST_GRACE_SECONDS: '1' })
  const first = await startMember(t, 'node-agent', once)
  const { id } = await until('it has a browser', async () => {
    const { status, body } = await rest('POST', '/v1/sessions', headless)
    return status === 200 && body.data
  })
  await first.kill()
  await startMember(t, 'node-agent', once)
  t.match(await becomes(id, 'lost'), { reason: 'node_lost' })
})
