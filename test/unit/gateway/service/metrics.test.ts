/**
 * Goal: `/metrics` says what hurts, in Prometheus' format and by its rules. Method: a real gateway
 * whose hosts, store and actors are played.
 */
import t, { type Test } from 'tap'
import type { BrowserCounts } from '../../../../proto/host-counts.ts'
import { encode } from '../../../../proto/codec.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { newIncarnation, type Role } from '../../../../proto/ids.ts'
import type { TaskCounts } from '../../../../proto/host-counts.ts'
import { modelFailureKinds } from '../../../../proto/task/model-failure.ts'
import { taskEnds } from '../../../../proto/task/task.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { gatewayLimits } from '../../../../gateway/limits.ts'
import { playedView, playService, type PlayedOptions } from '../../../helpers/gateway/gateway.ts'
import { metricProblems, parseExposition } from '../../../helpers/monitoring/exposition.ts'

const hostOf = (nodeId: string, role: Role): HostRecord => ({
  ...{ state: 'alive', nodeId, role, leaseMs: 6_000, machine: 'm', version: '0.1.0' },
  incarnation: newIncarnation(nodeId, role),
})

const counts: BrowserCounts = {
  boots: { counts: [0, 0, 1, 2, 0, 0, 0, 0, 0, 1], sumSeconds: 42.5 },
  bootFailures: 3,
  waits: { counts: [7, 0, 0, 0, 0, 0, 0, 0, 0, 0], sumSeconds: 0.001 },
  refusals: { queue_full: 1, queue_timeout: 2 },
  exits: { crashed: 4, closed: 5, out_of_resources: 6 },
}
const connections = { open: 12, refused: 5, restarts: 2 }
const load = { capacity: 8, warm: 2, booting: 0, claimed: 1, queued: 0, ready: true }
const browsers = { ...load, counts, connections }
const tasks: TaskCounts = {
  steps: 9,
  ends: { done: 2 },
  modelRequests: 11,
  modelFailures: { stalled: 1 },
  tokens: { input: 1_000, cached: 400, output: 50 },
  costUsd: 0.25,
}

const agent: HostRecord = { ...hostOf('b1', 'node-agent'), browsers }
const olderLoad = load
const hosts: readonly HostRecord[] = [
  agent,
  { ...hostOf('older', 'node-agent'), browsers: olderLoad },
  { ...agent, nodeId: 'died', state: 'dead' },
  // The one that `agent` replaces.
  { ...agent, incarnation: 'b1.node-agent.0', state: 'draining' },
  { ...hostOf('core', 'actors'), actors: { residents: 3, takeovers: 1 }, tasks },
  { ...hostOf('core', 'actors'), actors: { residents: 4, takeovers: 0 }, tasks },
]

async function scrapeOf(t: Test, options: PlayedOptions) {
  const service = await playService(options)
  t.teardown(() => service.close())
  const { url } = service.gateway
  const read = async () => {
    const response = await fetch(`${url}/metrics`)
    const text = await response.text()
    return { status: response.status, text, families: parseExposition(text) }
  }
  /** Throws if there is no such series. */
  const value = async (name: string, labels: Record<string, string> = {}) => {
    const { families } = await read()
    const samples = families.flatMap((family) => family.samples)
    const found = samples.find(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
    )
    if (!found) throw new Error(`no series ${name} ${JSON.stringify(labels)}`)
    return found.value
  }
  const create = async () => {
    const headers = { 'service-api-key': 'dev-local-key', 'content-type': 'application/json' }
    return (await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: '{}' })).status
  }
  return { ...service, read, value, create }
}

const usage = async () => [{ stream: 'LOG', bytes: 10, maxBytes: 100, refuses: true }]

const { read, value, create } = await scrapeOf(t, { hosts, usage })

t.test('every name and every type is as Prometheus wants it, with bounded labels', async (t) => {
  await create()
  const { status, families } = await read()
  t.equal(status, 200)
  t.same(metricProblems(families), [])
  const labels = new Set(
    families
      .filter(({ name }) => !/^troupe_(nodejs|process)_/.test(name))
      .flatMap(({ samples }) => samples.flatMap((sample) => Object.keys(sample.labels))),
  )
  const closed = ['le', 'method', 'route', 'status', 'outcome', 'node', 'role', 'state', 'reason']
  const words = ['cause', 'end', 'kind', 'direction', 'stream']
  t.same([...labels].sort(), [...closed, ...words].sort())
  for (const { samples } of families) {
    for (const sample of samples)
      t.notMatch(Object.values(sample.labels).join(' '), /_[0-9a-z]{26}/)
  }
})

t.test('browser hosts report waits, boots, refusals and crashes by cause', async (t) => {
  const node = 'b1'
  t.equal(await value('troupe_browser_boot_seconds_bucket', { node, le: '0.25' }), 1)
  t.equal(await value('troupe_browser_boot_seconds_bucket', { node, le: '30' }), 3)
  t.equal(await value('troupe_browser_boot_seconds_bucket', { node, le: '+Inf' }), 4)
  t.equal(await value('troupe_browser_boot_seconds_sum', { node }), 42.5)
  t.equal(await value('troupe_browser_wait_seconds_count', { node }), 7)
  t.equal(await value('troupe_browser_boot_failures_total', { node }), 3)
  t.equal(await value('troupe_browser_refusals_total', { node, reason: 'queue_timeout' }), 2)
  t.equal(await value('troupe_browser_exits_total', { node, cause: 'out_of_resources' }), 6)
  t.equal(await value('troupe_browser_connections', { node }), 12)
  t.equal(await value('troupe_browser_connections_refused_total', { node }), 5)
  t.equal(await value('troupe_egress_restarts_total', { node }), 2)
  t.equal(await value('troupe_browsers', { node: 'older', state: 'capacity' }), 8)
  const { text } = await read()
  t.notMatch(text, /_total\{node="older"/, 'an older agent counts nothing')
  t.notMatch(text, /node="died"/)
})

t.test('actor hosts report fail-overs, and what tasks do and cost', async (t) => {
  const node = 'core'
  t.equal(await value('troupe_actors', { node }), 7, 'of two processes on one host')
  t.equal(await value('troupe_actor_takeovers_total', { node }), 1)
  t.equal(await value('troupe_task_steps_total', { node }), 18)
  t.equal(await value('troupe_task_ends_total', { node, end: 'done' }), 4)
  t.equal(await value('troupe_task_ends_total', { node, end: 'loop' }), 0)
  t.equal(await value('troupe_model_requests_total', { node }), 22)
  t.equal(await value('troupe_model_failures_total', { node, kind: 'stalled' }), 2)
  t.equal(await value('troupe_model_tokens_total', { node, kind: 'input' }), 1_200)
  t.equal(await value('troupe_model_tokens_total', { node, kind: 'cached_input' }), 800)
  t.equal(await value('troupe_model_cost_usd_total', { node }), 0.5)
  t.equal(await value('troupe_processes', { role: 'actors', state: 'alive' }), 2)
  t.equal(await value('troupe_processes', { role: 'gateway', state: 'alive' }), 0)
})

t.test('the creation of a session is timed, by how it went', async (t) => {
  let refusal: ServiceError | undefined
  const { value, create } = await scrapeOf(t, {
    hosts,
    create: async ({ id }) => {
      if (refusal) throw refusal
      return { view: playedView(id) }
    },
  })
  const count = (outcome: string) => value('troupe_session_create_seconds_count', { outcome })
  t.equal(await count('created'), 0, 'there before the first session')
  t.equal(await create(), 200)
  refusal = new ServiceError('queue_timeout', 'None came free.')
  t.equal(await create(), 429)
  refusal = new ServiceError('unavailable', 'Not now.')
  t.equal(await create(), 503)
  t.same(await Promise.all(['created', 'refused', 'failed'].map(count)), [1, 1, 1])
})

t.test('the store is shown beside its bounds, and missed in no other figure', async (t) => {
  let answers = true
  let laterMs = 0
  const { read, value } = await scrapeOf(t, {
    usage: () => (answers ? usage() : Promise.reject(new Error('NATS is away'))),
    clock: { ...systemClock, monotonic: () => systemClock.monotonic() + laterMs },
  })
  t.equal(await value('troupe_store_bytes', { stream: 'LOG' }), 10)
  t.equal(await value('troupe_store_limit_bytes', { stream: 'LOG' }), 100)
  answers = false
  laterMs = gatewayLimits.storeReadingKeptMs + 1
  const { status, text } = await read()
  t.equal(status, 200)
  t.notMatch(text, /^troupe_store_bytes\{/m)
  t.match(text, /^troupe_sessions\{/m)
})

t.test('open sockets are counted by kind', async (t) => {
  for (const kind of ['cdp', 'live_view', 'steps']) {
    t.equal(await value('troupe_open_sockets', { kind }), 0)
  }
})

t.test('the counters keep a host record small', async (t) => {
  const most = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, Number.MAX_SAFE_INTEGER]))
  const full: TaskCounts = {
    ...{ ...tasks, steps: Number.MAX_SAFE_INTEGER, costUsd: Math.PI },
    ends: most(taskEnds),
    modelFailures: most(modelFailureKinds),
  }
  const sizeOf = (host: HostRecord) => encode(host).byteLength
  t.comment(`node agent: ${sizeOf(agent)} bytes, actor host: ${sizeOf(hosts[3]!)} bytes`)
  t.ok(sizeOf(agent) < 1_024)
  t.ok(sizeOf({ ...hosts[3]!, tasks: full }) < 1_536, 'with every word in use')
})
