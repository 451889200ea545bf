// Goal: on a real store the audit is complete whichever process dies and however many keep it; it
// cannot be shortened; and no decision is taken while it is behind.
import { defined } from '../../../proto/defined.ts'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { auditStateKey, type AuditState } from '../../../proto/access/audit/audit.ts'
import { newAccessId, type ClientId } from '../../../proto/access/ids.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { buckets, streams, subjects } from '../../../proto/subjects.ts'
import { AuditChain } from '../../../runtime/access/audit/chain/chain.ts'
import { readCheckpoints } from '../../../runtime/access/audit/chain/checkpoints.ts'
import { decodeEntry } from '../../../runtime/access/audit/chain/entry.ts'
import { auditSigner, auditSources, openAudit } from '../../../runtime/access/audit/open.ts'
import { NoteWriter } from '../../../runtime/access/audit/sources/notes.ts'
import { AuditSequencer } from '../../../runtime/access/audit/chain/sequencer.ts'
import { verifyChain } from '../../../runtime/access/audit/chain/verify.ts'
import { AuditWatch } from '../../../runtime/access/audit/watch.ts'
import { systemClock, type Clock } from '../../../runtime/lib/clock.ts'
import { Membership } from '../../../runtime/cluster/membership.ts'
import { openStore, type NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { connectNats } from '../../../runtime/store/nats/connection.ts'
import { rendezvousHost } from '../../../runtime/cluster/placement.ts'
import { AccessLogs } from '../../helpers/access/actors/log.ts'
import { run, silent, startNats, type Child, type TestNats } from '../../helpers/nats/nats.ts'
import { troupe } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

t.setTimeout(300_000)

const program = fileURLToPath(new URL('audit-process.js', import.meta.url))
const sealKey = Buffer.alloc(32, 7).toString('base64')
const newClients = (count: number): ClientId[] =>
  Array.from({ length: count }, () => newAccessId('client'))

async function startKeeper(
  t: Test,
  nats: TestNats,
  name: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const env = { ...nats.env, NODE_ID: name, SEAL_KEY: sealKey, LEASE_SECONDS: '4', ...more }
  const child = run(process.execPath, [program], env)
  t.teardown(() => child.kill())
  return child
}

async function stateIn(store: NatsStore): Promise<AuditState | undefined> {
  const entry = await store.bucket(buckets.audit).get(auditStateKey)
  return entry && decode<AuditState>(entry.value)
}

/** The type of the error that a decision is refused with at the moment, if any. */
function refusal(watch: AuditWatch): string | undefined {
  try {
    watch.assertAudited()
    return undefined
  } catch (error) {
    return error instanceof ServiceError ? error.type : `${error}`
  }
}

/** Resolves when every event is in the audit; throws when a chain has a gap. */
async function assertWhole(
  t: Test,
  store: NatsStore,
  clients: readonly ClientId[],
  each: number,
): Promise<void> {
  const signer = auditSigner({ SEAL_KEY: sealKey, DATA_DIR: '' })
  for (const client of clients) {
    const subject = subjects.audit(client)
    const last = async () => {
      const record = await store.audit.last(subject)
      return (record && decodeEntry(record.data)?.n) === each
    }
    await until(`${each} entries of ${client}`, last)
    const checkpoints = []
    for await (const one of readCheckpoints(store.checkpoints, client)) checkpoints.push(one)
    const verdict = await verifyChain({
      client,
      entries: store.audit.read(subject),
      checkpoints,
      signer,
    })
    t.match(verdict, { n: each, entries: each, firstBad: undefined })
    const numbers: unknown[] = []
    for await (const { data } of store.audit.read(subject)) {
      numbers.push(decodeEntry(data)?.src.n)
    }
    t.same(
      numbers,
      Array.from({ length: each }, (_, i) => i + 1),
    )
  }
}

t.test('two racing sequencers write one complete chain per client', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const clients = newClients(5)
  const happened = new AccessLogs(store.log)
  let isOver = false
  const keep = async () => {
    const own = await nats.store()
    const sequencer = new AuditSequencer({
      chain: new AuditChain(own.audit, systemClock),
      sources: auditSources(own),
      log: silent,
      positions: {},
    })
    while (!isOver || !(await sequencer.round()).isDrained) await sequencer.round()
  }
  const keepers = [keep(), keep()]
  for (let i = 0; i < 200; i++) await happened.happen(clients[i % clients.length]!)
  isOver = true
  await Promise.all(keepers)
  await assertWhole(t, store, clients, 40)
})

t.test('a killed keeper is replaced, and no entry is lost or written twice', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const clients = newClients(3)
  const happened = new AccessLogs(store.log)
  const keepers = await Promise.all(['k1', 'k2'].map((name) => startKeeper(t, nats, name)))
  const membership = await Membership.open({
    hosts: store.bucket(buckets.hosts),
    clock: systemClock,
    log: silent,
  })
  t.teardown(() => membership.stop())
  const first = await until('the one that is chosen of both keeps it', async () => {
    const hosts = membership.available('actors')
    const chosen = hosts.length === 2 && rendezvousHost('audit', hosts)?.incarnation
    return chosen && (await stateIn(store))?.by === chosen && chosen
  })
  for (let i = 0; i < 90; i++) {
    await happened.happen(clients[i % 3]!)
    if (i === 30) await keepers[first.startsWith('k1.') ? 0 : 1]!.kill()
  }
  await assertWhole(t, store, clients, 30)
  t.not(
    await until('the other says so', async () => {
      const by = (await stateIn(store))?.by
      return by !== first && by
    }),
    first,
  )
})

t.test('events reach the audit within moments, with checkpoints', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const [client] = newClients(1)
  await startKeeper(t, nats, 'k1')
  await until('it is kept', () => stateIn(store))
  const happened = new AccessLogs(store.log)
  const lasts: number[] = []
  for (let n = 1; n <= 20; n++) {
    await happened.happen(client!)
    const startedAtMs = performance.now()
    await until('it is told', async () => {
      const record = await store.audit.last(subjects.audit(client!))
      return record && decodeEntry(record.data)?.n === n
    })
    lasts.push(performance.now() - startedAtMs)
  }
  t.comment(`longest ${Math.max(...lasts).toFixed(0)} ms`)
})

t.test('a gateway cannot write the audit, and no role can shorten it', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const client = newAccessId('client')
  await new AccessLogs(store.log).happen(client)
  const sequencer = new AuditSequencer({
    chain: new AuditChain(store.audit, systemClock),
    sources: auditSources(store),
    log: silent,
    positions: {},
  })
  await sequencer.round()

  const nc = await connectNats(nats.gatewayConfig, 'gateway', silent)
  t.teardown(() => nc.close())
  const gateway = await openStore(nc, { timeoutMs: 1_000, waits: true })
  const denied = (promise: Promise<unknown>, what: string) =>
    t.rejects(promise, /permission|violation|did not answer|timeout/i, what)
  const bytes = Buffer.from('{}')
  await denied(gateway.audit.add(subjects.audit(client), bytes, '1'), 'an entry')
  await denied(gateway.audit.append(subjects.audit(client), bytes, 1), 'the next entry')
  await denied(gateway.checkpoints.add(subjects.checkpoint(client), bytes, '2'), 'a checkpoint')
  await denied(gateway.bucket(buckets.audit).put(auditStateKey, bytes), 'the state')
  const writer = await (await nats.connect()).jetstreamManager({ timeout: 1_000 })
  const theirs = await nc.jetstreamManager({ timeout: 1_000, checkAPI: false })
  for (const name of [streams.audit, streams.checkpoints, streams.serviceAudit]) {
    for (const jsm of [writer, theirs]) {
      await denied(jsm.streams.delete(name), `deletion of ${name}`)
      await denied(jsm.streams.purge(name), `purge of ${name}`)
      await denied(jsm.streams.deleteMessage(name, 1), `a deletion in ${name}`)
    }
    await denied(theirs.streams.update(name, { max_age: 1_000_000 }), `an age for ${name}`)
  }

  const note = { action: 'authorization_denied', outcome: 'denied', requestId: 'r' } as const
  const notes = new NoteWriter({ stream: gateway.notes, clock: systemClock, log: silent })
  notes.add({ ...note, tenant: client, atMs: 1 })
  await notes.close()
  await sequencer.round()
  const told: unknown[] = []
  for await (const { data } of store.audit.read(subjects.audit(client))) {
    told.push(decodeEntry(data)?.action)
  }
  t.same(told, ['need.opened', 'access.authorization_denied'], 'it is whole, and notes arrive')
})

t.test('the command detects a truncated chain by checkpoints kept elsewhere', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const clients = newClients(2)
  const happened = new AccessLogs(store.log)
  for (let i = 0; i < 20; i++) await happened.happen(clients[i % 2]!)
  const file = join(nats.dir, 'kept.ndjson')
  await startKeeper(t, nats, 'k1', { AUDIT_CHECKPOINT_FILE: file })
  const env = { ...nats.env, PATH: process.env['PATH'] ?? '', SEAL_KEY: sealKey }
  const command = (...args: string[]) =>
    promisify(execFile)(process.execPath, [troupe, 'audit', ...args], { env })
  const checkpoints = await until('every chain has its checkpoint', async () => {
    const { stdout } = await command('export', '--checkpoints')
    return stdout.trim().split('\n').length === clients.length && stdout
  })
  const copies = await until('every copy is in the file', () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return text.trim().split('\n').length === clients.length && text
  })
  t.same(copies.split('\n').toSorted(), checkpoints.split('\n').toSorted())
  const [client] = clients
  t.match((await command('verify')).stdout, `${client}: good, 10 entries, 1 checkpoints match`)
  const { stdout: exported } = await command('export', '--client', client!)
  t.match(decodeEntry(Buffer.from(exported.trim().split('\n')[9]!)), { n: 10, client })

  // Another store with the same events except for the last two.
  const copy = await startNats(t)
  const theirs = await copy.store()
  let seq = 0
  for await (const { subject, data } of store.audit.read(subjects.audit(client!))) {
    if (decodeEntry(data)!.n <= 8) seq = await theirs.audit.append(subject, data, seq)
  }
  const there = { ...env, ...copy.env }
  const verify = promisify(execFile)(
    process.execPath,
    [troupe, 'audit', 'verify', '--checkpoints', file],
    { env: there },
  )
  await t.rejects(verify, { code: 1 })
  const { stdout } = await verify.catch((error: { readonly stdout: string }) => error)
  t.match(stdout, `${client}: BAD at entry 9: the chain ends here`)
  t.match(stdout, `${clients[1]}: BAD at entry 1: the chain ends here`)

  // The copy has no checkpoints, although its audit ran for long after its last entry.
  const atMs = Date.now() + 3 * 3_600_000
  await theirs.bucket(buckets.audit).put(auditStateKey, encode({ atMs }))
  const without = promisify(execFile)(process.execPath, [troupe, 'audit', 'verify'], { env: there })
  const told = await without.catch((error: { readonly stdout: string }) => error)
  t.match(told.stdout, `${client}: BAD at entry 1: a checkpoint that covers it was due`)
})

t.test('decisions are refused while the audit is behind; later nothing is missing', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  let shiftMs = 0
  const clock: Clock = {
    now: () => systemClock.now() + shiftMs,
    monotonic: () => systemClock.monotonic() + shiftMs,
    timer: systemClock.timer,
  }
  const watch = await AuditWatch.open(store, clock)
  t.teardown(() => watch.stop())
  t.equal(refusal(watch), 'audit_unavailable', 'nobody has kept it yet')
  const keeper = await startKeeper(t, nats, 'k1')
  await until('it is kept', () => watch.lagMs < 10_000)
  watch.assertAudited()
  await keeper.kill()
  const [client] = newClients(1)
  const happened = new AccessLogs(store.log)
  for (let i = 0; i < 25; i++) await happened.happen(client!)
  watch.assertAudited()
  shiftMs += accessLimits.auditLagMs
  t.equal(refusal(watch), 'audit_unavailable')
  await startKeeper(t, nats, 'k2')
  await until('it is kept again', () => watch.lagMs < 10_000)
  watch.assertAudited()
  await assertWhole(t, store, [client!], 25)
})

t.test('a backlog beyond its bound refuses decisions too', async (t) => {
  const store = await (await startNats(t)).store()
  const watch = await AuditWatch.open(store, systemClock)
  t.teardown(() => watch.stop())
  const put = (backlogEntries: number, oldestMs?: number) =>
    store.bucket(buckets.audit).put(
      auditStateKey,
      encode({
        atMs: Date.now(),
        by: 'test',
        entries: 0,
        backlogEntries,
        positions: {},
        checkpointedAtMs: 0,
        ...defined({ oldestMs }),
      }),
    )
  const passes = () => refusal(watch) === undefined
  await put(accessLimits.auditLagEntries)
  await until('it passes', passes)
  await put(accessLimits.auditLagEntries + 1)
  await until('it refuses', () => !passes())
  await put(1)
  await until('it passes again', passes)
  await put(1, Date.now() - accessLimits.auditLagMs - 1_000)
  await until('it refuses what is old', () => !passes())
})

t.test('notes and reads wait for the store, and failures are logged once a minute', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const audit = await openAudit({ ...nats, store, clock: systemClock, log: silent })
  const client = newAccessId('client')
  const failed = { action: 'authentication_failed', outcome: 'failed', tenant: client } as const
  await nats.kill()
  for (let i = 0; i < 50; i++) {
    audit.notes.add({ ...failed, requestId: `r${i}`, atMs: i, net: '192.0.2.0/24' })
  }
  audit.notes.add({ ...failed, requestId: 'other', atMs: 60, net: '198.51.100.0/24' })
  const read = { client, at: 1, by: { kind: 'integration', id: 'gr_1' } as const, area: 'contacts' }
  audit.reads.add({ ...read, requestId: 'r', ids: ['con_1'], count: 1 })
  await nats.start()
  await until('the first notes are there', () =>
    store.notes.last(subjects.note(client)).catch(() => undefined),
  )
  await audit.close()
  const told: unknown[] = []
  for await (const { data } of store.notes.read(subjects.note(client))) told.push(decode(data))
  t.match(told, [{ requestId: 'r0' }, { requestId: 'other' }, { net: '192.0.2.0/24', count: 49 }])
  const reads = await store.reads.last(subjects.reads(client))
  t.match(reads && decode(reads.data), [{ area: 'contacts', ids: ['con_1'], count: 1 }])
})
