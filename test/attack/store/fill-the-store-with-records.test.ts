/**
 * Tenants create and end sessions and tasks until the store has so many records that the service
 * can no longer start, or stops answering others. Method: a store is filled with ended actors of
 * several tenants; then the service starts on it, and its processes start again while all requests
 * about streams are read along. `TEST_RECORDS` sets another number of records.
 */
import t from 'tap'
import type { TaskView } from '../../../proto/task/task.ts'
import { encode } from '../../../proto/codec.ts'
import { newId } from '../../../proto/ids.ts'
import { buckets, ownerKey, viewKey } from '../../../proto/subjects.ts'
import { Retention } from '../../../runtime/actor/retention.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { playedView } from '../../helpers/gateway/gateway.ts'
import { until } from '../../helpers/lib/until.ts'
import { silent, startNats } from '../../helpers/nats/nats.ts'
import {
  createSession,
  headless,
  isReady,
  restClient,
  startService,
} from '../../helpers/service/service.ts'

const records = Number(process.env['TEST_RECORDS'] ?? 20_000)
const tenants = ['default', 'acme', 'globex']
const kinds = ['session', 'task'] as const
/** Each actor has a view and an owner record. */
const perTenant = Math.floor(records / 2 / tenants.length / kinds.length)
const removed = 10
const sentAtOnce = 2_000

const nats = await startNats(t)
const requestMs = 60_000
const store = await nats.store(requestMs)
const spy = await nats.connect('spy')

const session = (tenant: string, endedAtMs: number) => ({
  ...playedView(newId('ses')),
  ...{ tenant, status: 'ended' as const, createdAtMs: endedAtMs - 1_000, endedAtMs },
})

const task = (tenant: string, endedAtMs: number): TaskView => ({
  ...{ id: newId('tsk'), tenant, keyId: 'dev', keyName: 'development', state: 'completed' },
  ...{ createdAtMs: endedAtMs - 1_000, endedAtMs, prompt: 'Read the page.', provider: 'openai' },
  ...{ ownsSession: false, maxSteps: 10, steps: 3, result: {} },
  usage: { calls: 3, inputTokens: 100, cachedTokens: 0, outputTokens: 10 },
})

async function fill(): Promise<void> {
  const owner = encode({ state: 'resting', incarnation: 'test.actors.gone', epoch: 1 })
  const now = Date.now()
  let sent = 0
  for (let i = 0; i < perTenant; i++) {
    for (const tenant of tenants) {
      for (const kind of kinds) {
        const view = kind === 'session' ? session(tenant, now - i) : task(tenant, now - i)
        const key = viewKey(kind, tenant, view.id)
        spy.publish(`$KV.${buckets.views}.${key}`, encode({ n: 1, view }))
        spy.publish(`$KV.${buckets.owners}.${ownerKey(kind, view.id)}`, owner)
        if (++sent % sentAtOnce === 0) await spy.flush()
      }
    }
  }
  const jsm = await spy.jetstreamManager()
  for (const name of [buckets.views, buckets.owners]) {
    await until(`all records of ${name} are stored`, async () => {
      return (await jsm.streams.info(`KV_${name}`)).state.messages === sent
    })
  }
}

const filling = performance.now()
await fill()
t.comment(`${records} records written in ${Math.round(performance.now() - filling)} ms`)
await nats.kill()
const starting = performance.now()
// On a busy machine, a lease could end while its process still starts.
const service = await startService({ dataDir: nats.dir, env: { LEASE_SECONDS: '60' } })
t.teardown(() => service.stop())
t.comment(`started in ${Math.round(performance.now() - starting)} ms`)

const total = async (rest = service.rest) => {
  const { body } = await rest<{ data: { total: number } }>('GET', '/v1/sessions')
  return body.data.total
}

t.test('the service starts, and lists every record', async (t) => {
  t.equal(await total(), perTenant)
})

t.test('no process asks the server for all keys of a large bucket at once', async (t) => {
  const asked: { stream: string; text: string }[] = []
  const prefix = '$JS.API.STREAM.INFO.'
  const spying = spy.subscribe(`${prefix}>`, {
    callback: (_error, { subject, data }) =>
      asked.push({ stream: subject.slice(prefix.length), text: Buffer.from(data).toString() }),
  })
  await spy.flush()
  await service.strike('actors')
  await service.strike('gateway')
  await until('the gateway is ready again', () => isReady(service.rest))
  await until('each process has read what it follows', () =>
    [buckets.views, buckets.owners].every((name) =>
      asked.some(({ stream }) => stream === `KV_${name}`),
    ),
  )
  spying.unsubscribe()
  const large = asked.filter(({ stream }) => /^KV_(views|owners)$/.test(stream))
  t.same(
    large.filter(({ text }) => text.includes('subjects_filter')),
    [],
  )
  t.equal(await total(), perTenant)
})

t.test('sessions are created, within the limit of their key', async (t) => {
  const order = { tenant: 'acme', name: 'few', scopes: ['sessions'], max_sessions: 1 }
  const made = await service.rest<{ data: { key: string } }>('POST', '/v1/admin/keys', order)
  t.equal(made.status, 201)
  const rest = restClient(service.baseUrl, made.body.data.key)
  await until('the key is known', async () => (await rest('GET', '/v1/sessions')).status === 200)
  t.equal(await total(rest), perTenant)
  const { id } = await createSession(rest)
  t.equal((await rest('POST', '/v1/sessions', headless)).status, 429)
  t.equal((await rest('DELETE', `/v1/sessions/${id}`)).status, 200)
})

t.test('retention removes what is too much of each kind and tenant', async (t) => {
  const retention = new Retention({
    store,
    ...{ clock: systemClock, log: silent, lease: {} as never, membership: {} as never },
    ...{ keptMs: 7 * 24 * 60 * 60_000, keptPerTenant: perTenant - removed, kinds: [] },
    purgeMarkers: async () => 0,
  })
  retention.stop()
  // The session of the last test has ended too.
  const expected = removed * tenants.length * kinds.length
  t.ok([expected, expected + 1].includes(await retention.sweep()))
  await until('the list is shorter', async () => (await total()) === perTenant - removed)
})

t.test('the service says how much memory each process takes', async (t) => {
  const { body } = await service.rest<string>('GET', '/metrics')
  for (const role of ['gateway', 'actors']) {
    const [, bytes = '0'] =
      new RegExp(`^troupe_process_bytes\\{[^}]*role="${role}"[^}]*\\} (\\S+)$`, 'm').exec(body) ??
      []
    t.ok(Number(bytes) > 0, role)
    t.comment(`${role}: ${Math.round(Number(bytes) / 2 ** 20)} MiB`)
  }
})
