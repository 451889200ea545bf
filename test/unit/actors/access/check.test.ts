// Goal: a checker writes its findings into its record, no more often than necessary, contacts
// nothing private, and keeps its schedule over a restart. Method: its real cell over the in-memory
// store; real servers on loopback, or a virtual clock where time has to pass.
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import t from 'tap'
import { foldDomain } from '../../../../actors/access/check/fold-domain.ts'
import { foldMonitor } from '../../../../actors/access/check/fold-monitor.ts'
import { checkKind } from '../../../../actors/access/check/kind.ts'
import { probeMonitor } from '../../../../actors/access/check/probes/probe.ts'
import { allowedHosts } from '../../../../runtime/lib/network/guard/allowance.ts'
import { guardConnection } from '../../../../runtime/lib/network/guard/connection-guard.ts'
import { probeTls } from '../../../../actors/access/check/probes/tls.ts'
import { Semaphore } from '../../../../actors/access/check/semaphore.ts'
import { checkIdOf, type CheckArea, type CheckView } from '../../../../proto/access/jobs/check.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { dayMs } from '../../../../proto/units.ts'
import { fromWireError } from '../../../../proto/errors.ts'
import * as change from '../../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { Cell } from '../../../../runtime/actor/cell/cell.ts'
import { systemClock, type Clock } from '../../../../runtime/lib/clock.ts'
import { readLastEntry } from '../../../../runtime/actor/log.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { publicLookup } from '../../../../runtime/lib/network/guard/lookup.ts'
import { ViewPublisher } from '../../../../runtime/actor/views.ts'
import { ann, minuteMs, startMs } from '../../../helpers/access/actors/actor.ts'
import { typeOf } from '../../../helpers/access/actors/stage.ts'
import { readHistory } from '../../../helpers/runtime/log-checker.ts'
import { serve } from '../../../helpers/lib/loopback.ts'
import { silent } from '../../../helpers/nats/nats.ts'
import type { Said } from '../../../helpers/runtime/said.ts'
import { certificate, certificateEndsAt, key } from '../../../helpers/lib/self-signed.ts'
import { ampleRoom } from '../../../../runtime/actor/log-room.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const by = { by: systemAuthor('test') }

/** A record and its checker, which runs in a real cell. */
class Stage {
  readonly #store = new MemoryStore()
  readonly records = new RecordStore(this.#store.bucket('records'))
  readonly client = newAccessId('client')
  readonly recordId: string
  readonly #area: CheckArea
  readonly #clock: Clock
  readonly #privateHosts: readonly string[]
  #epoch = 0
  #cell: Cell | undefined

  constructor(area: CheckArea, privateHosts: readonly string[], clock: Clock = systemClock) {
    this.recordId = newRecordId(area)
    this.#area = area
    this.#clock = clock
    this.#privateHosts = privateHosts
  }

  async begin(fields: RecordFields): Promise<void> {
    const { client, recordId: id } = this
    const order = { client, area: this.#area, id, fields, action: 'import' } as const
    await this.records.create(change.createdRecord(order, by, this.#clock.now()))
    const more = { createdAtMs: this.#clock.now(), by: ann, area: this.#area, recordId: id }
    this.#cell = await Cell.create(this.#options(), { id: this.id, tenant: client, ...more })
  }

  get id(): string {
    return checkIdOf(this.client, this.recordId)
  }

  /** Its host dies, and another one takes it over. */
  async restart(): Promise<void> {
    this.stop()
    const last = await readLastEntry(this.#store.log, 'check', this.id)
    this.#cell = await Cell.recover(this.#options(), last!)
  }

  stop(): void {
    void this.#cell?.stop()
  }

  /** Answers once the check that follows is over. */
  async ask(type: string, more: object = {}): Promise<CheckView> {
    const command: Said = { type, by: ann, recordId: this.recordId, ...more }
    const reply = await this.#cell!.handle({
      requestId: `q${Math.random()}`,
      deadlineMs: this.#clock.now() + 30_000,
      command,
      untilSettled: true,
    })
    if ('elsewhere' in reply) throw new Error('it has moved')
    if (!reply.ok) throw fromWireError(reply.error)
    return (reply.value as { readonly view: CheckView }).view
  }

  on = (intervalSeconds = 60) => this.ask('switch_on', { intervalSeconds })
  off = () => this.ask('switch_off')

  async record() {
    return (await this.records.get(this.client, this.#area, this.recordId))!.record
  }

  async fields(): Promise<RecordFields> {
    return (await this.record()).fields
  }

  async change(fields: RecordFields): Promise<void> {
    const held = await this.records.get(this.client, this.#area, this.recordId)
    const next = change.changedRecord(held!.record, { ...held!.record.fields, ...fields }, by, 1)
    await this.records.replace(next, held!.revision)
  }

  async remove(): Promise<void> {
    const held = await this.records.get(this.client, this.#area, this.recordId)
    await this.records.replace(change.tombstoneOf(held!.record, by, 1), held!.revision)
  }

  /** The number of requests so far. */
  async checks(): Promise<number> {
    const log = await readHistory(this.#store.log, 'check', this.id)
    return log.filter(({ event }) => event.type === 'checked').length
  }

  #options() {
    const { log, bucket } = { log: this.#store.log, bucket: this.#store.bucket('views') }
    const [clock, random] = [this.#clock, () => 0.5]
    this.#epoch++
    return {
      kind: checkKind({ records: this.records, privateHosts: this.#privateHosts, clock }),
      ownership: { kind: 'check', id: this.id, epoch: this.#epoch, revision: this.#epoch },
      incarnation: `stage.actors.${this.#epoch}` as const,
      writer: { log, clock, random, mayWrite: () => true, room: ampleRoom },
      clock,
      views: new ViewPublisher({ views: bucket, kind: 'check', clock, random, log: silent }),
      log: silent,
      onFenced: () => undefined,
    }
  }
}

const monitor = (target: string, kind = 'http') => ({ name: 'Shop', kind, target })

t.test('an answer means up, a failure means down, and an answer later ends it', async (t) => {
  let status = 200
  const url = await serve(t, (_, response) => void response.writeHead(status).end('hello'))
  const stage = new Stage('monitoring', [new URL(url).host])
  t.teardown(() => stage.stop())
  await stage.begin(monitor(url))
  t.match(await stage.on(), { status: 'on', version: 2, intervalSeconds: 60 })
  const up = await stage.fields()
  t.match(up, { status: 'up', latency: { p50: Number, p95: Number }, last_check_at: String })
  t.same(up['incidents'], [])
  t.equal((await stage.record()).updatedBy, 'system:checks')
  status = 503
  await stage.off()
  await stage.on()
  const down = { status: 'down', incidents: [{ cause: 'HTTP 503', started_at: String }] }
  t.match(await stage.fields(), down)
  status = 302
  await stage.off()
  await stage.on()
  t.match(await stage.fields(), { status: 'up', incidents: [{ ended_at: String }] })
})

t.test('an endless answer is read up to its limit, and a closed port is down', async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200)
    const more = () => void (response.writable && response.write('x'.repeat(16_384), more))
    more()
  })
  const ask = (target: string) =>
    probeMonitor(monitor(target), {
      ...{ privateHosts: ['127.0.0.1'], clock: systemClock, signal: AbortSignal.timeout(30_000) },
    })
  t.match(await ask(url), { status: 'up' })
  t.match(await ask('http://127.0.0.1:1/'), { status: 'down', cause: 'ECONNREFUSED' })
})

t.test('a server that stays silent is down when the check times out', async (t) => {
  const url = await serve(t, () => undefined)
  const deps = { privateHosts: ['127.0.0.1'], clock: systemClock, signal: AbortSignal.timeout(50) }
  const found = await probeMonitor(monitor(url), deps)
  t.match(found, { status: 'down', cause: 'no answer in time' })
})

t.test('no private address is contacted, however it is named', async (t) => {
  let visits = 0
  const url = await serve(t, (_, response) => void response.end(`${++visits}`))
  const { port } = new URL(url)
  for (const host of ['127.0.0.1', 'localhost', 'a.localhost', '[::ffff:7f00:1]', '2130706433']) {
    for (const [kind, target] of [
      ['http', `http://${host}:${port}/`],
      ['tls', `${host}:${port}`],
      ['dns', host],
    ] as const) {
      const signal = AbortSignal.timeout(30_000)
      const found = await probeMonitor(monitor(target, kind), {
        ...{ privateHosts: ['shop.example'], clock: systemClock, signal },
      })
      t.match(found, { status: 'unknown', cause: 'NotPublic' }, `${kind} ${host}`)
    }
  }
  t.equal(visits, 0)
})

t.test('a name that resolves to a private address is refused, also on connecting', async (t) => {
  const looked = new Promise((resolve, reject) => {
    publicLookup('localhost', { all: true }, (error, found) =>
      error ? reject(error) : resolve(found),
    )
  })
  await t.rejects(looked, { name: 'NotPublic' })
  const url = await serve(t, (_, response) => void response.end())
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  const there = guardConnection(new URL('https://shop.example/'), allowedHosts([]))
  t.throws(() => there.admit(socket), { name: 'NotPublic' })
  const lookedThere = new Promise((resolve, reject) => {
    there.lookup('localhost', { all: true }, (error, found) =>
      error ? reject(error) : resolve(found),
    )
  })
  await t.rejects(lookedThere, { name: 'NotPublic' })
})

t.test('only a limited number run at once, the others take turns', async (t) => {
  const slots = new Semaphore(2)
  const running = new Set<number>()
  const seen: number[] = []
  const work = async (i: number) => {
    running.add(i)
    seen.push(running.size)
    await new Promise(setImmediate)
    running.delete(i)
    if (i === 1) throw new Error('a failure gives its place back')
    return i
  }
  const ends = await Promise.allSettled([0, 1, 2, 3, 4].map((i) => slots.use(() => work(i))))
  t.same(ends.map(({ status }) => status).filter((status) => status === 'fulfilled').length, 4)
  t.equal(Math.max(...seen), 2)
})

t.test('a certificate is read, trusted or not', async (t) => {
  const server = createTlsServer({ key, cert: certificate }, (socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const host = 'checked.localhost'
  const signal = AbortSignal.timeout(30_000)
  const there = guardConnection(new URL(`https://${host}:${port}`), allowedHosts([host]))
  t.match(await probeTls(port, there, signal), {
    ...{
      issuer: 'Troupe Test',
      notAfterMs: certificateEndsAt,
      fault: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    },
  })
  const deps = { privateHosts: [host], clock: systemClock, signal }
  t.match(await probeMonitor(monitor(`${host}:${port}`, 'tls'), deps), {
    ...{ status: 'down', cause: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  })
  t.match(await probeMonitor(monitor(host, 'dns'), deps), { status: 'up' })
})

t.test('a domain gets its addresses written beside its other values', async (t) => {
  const stage = new Stage('domains', ['checked.localhost'])
  t.teardown(() => stage.stop())
  const mail = { type: 'MX', name: 'checked.localhost', value: '10 mail.example' }
  const stale = { type: 'A', name: 'checked.localhost', value: '192.0.2.1' }
  await stage.begin({ hostname: 'checked.localhost', status: 'active', dns_records: [mail, stale] })
  for (let i = 1; i < limits.checksPerWrite; i++) {
    await stage.on()
    await stage.off()
  }
  t.equal((await stage.record()).version, 1, 'addresses alone wait')
  await stage.on()
  t.match(await stage.fields(), {
    ...{
      status: 'active',
      dns_records: [mail, { type: 'A', value: '127.0.0.1' }, { type: 'AAAA' }],
    },
  })
})

t.test(
  'a checker keeps its schedule over a restart, and makes up for a pause with a single check',
  async (t) => {
    const timeline = new Timeline()
    const { clock } = new SimProcess(timeline, 'host')
    const stage = new Stage('monitoring', [], clock)
    const until = <T>(work: Promise<T>) => timeline.until(work, minuteMs)
    await until(stage.begin(monitor('http://127.0.0.1/')))
    const { nextCheckAtMs } = await until(stage.on(300))
    t.equal(nextCheckAtMs, clock.now() + 300_000)
    t.equal(await stage.checks(), 1)
    await timeline.run(200_000)
    await until(stage.restart())
    await timeline.run(99_000)
    t.equal(await stage.checks(), 1, 'not before its time')
    await timeline.run(2_000)
    t.equal(await stage.checks(), 2)
    stage.stop()
    await timeline.run(10 * 300_000)
    await until(stage.restart())
    await timeline.run(1_000)
    t.equal(await stage.checks(), 3)
    await until(stage.off())
    await timeline.run(10 * 300_000)
    t.equal(await stage.checks(), 3, 'nothing is asked while it is off')
    stage.stop()
  },
)

t.test('an unchanged result is written once in ten checks', async (t) => {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'host')
  const stage = new Stage('monitoring', [], clock)
  const until = <T>(work: Promise<T>) => timeline.until(work, minuteMs)
  await until(stage.begin({ ...monitor('http://127.0.0.1/'), status: 'up' }))
  await until(stage.on())
  const { version } = await stage.record()
  t.equal(version, 2, 'the status is news')
  await timeline.run((limits.checksPerWrite - 1) * minuteMs + 1_000)
  t.equal((await stage.record()).version, version)
  await timeline.run(minuteMs)
  t.equal((await stage.record()).version, version + 1)
  await until(stage.change({ status: 'paused' }))
  await timeline.run(30 * minuteMs)
  t.match(await stage.fields(), { status: 'paused' }, 'a paused monitor is left alone')
  stage.stop()
})

t.test('switching it to its current state changes nothing; it ends with its record', async (t) => {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'host')
  const stage = new Stage('monitoring', [], clock)
  const until = <T>(work: Promise<T>) => timeline.until(work, minuteMs)
  await until(stage.begin(monitor('http://127.0.0.1/')))
  t.match(await until(stage.off()), { status: 'off', version: 1, nextCheckAtMs: null })
  t.match(await until(stage.on(60)), { version: 2 })
  t.match(await until(stage.on(60)), { version: 2 })
  const longer = await until(stage.on(120))
  t.match(longer, { version: 3, intervalSeconds: 120, nextCheckAtMs: clock.now() + 120_000 })
  await until(stage.remove())
  await timeline.run(121_000)
  t.match(await until(stage.ask('get')), { status: 'gone', endedAtMs: Number })
  t.equal(await until(typeOf(stage.on())), 'invalid_transition')
  stage.stop()
})

t.test('an incident is one until it ends', async (t) => {
  const down = { status: 'down', cause: 'ECONNREFUSED' } as const
  const at = (atMs: number) => ({ atMs, latencies: [10, 20, 400] })
  const first = foldMonitor({ status: 'up' }, down, at(startMs))
  t.equal(first.isSignificant, true)
  const second = foldMonitor(first.after, down, at(startMs + 1))
  t.equal(second.isSignificant, false)
  const incidents = [{ started_at: new Date(startMs).toISOString(), cause: 'ECONNREFUSED' }]
  t.match(second.after, { incidents, latency: { p50: 20, p95: 400 } })
  const again = foldMonitor(second.after, { status: 'up', latencyMs: 30 }, at(startMs + 2))
  const ended = [{ ...incidents[0], ended_at: new Date(startMs + 2).toISOString() }]
  t.match(again.after, { incidents: ended, latency: { p50: 20, p95: 400 } })
})

t.test('a domain expires with its certificate, and recovers from nothing else', async (t) => {
  const tls = (inDays: number) => ({
    ...{ issuer: 'Some CA', not_after: new Date(startMs + inDays * dayMs).toISOString() },
  })
  const found = (inDays: number) => ({
    tls: { issuer: 'Some CA', notAfterMs: startMs + inDays * dayMs },
  })
  const fold = (before: RecordFields, inDays?: number) =>
    foldDomain(
      { hostname: 'a.example', ...before },
      inDays === undefined ? {} : found(inDays),
      startMs,
    )
  t.match(fold({ status: 'active' }, 90), {
    after: { status: 'active', tls: tls(90) },
    isSignificant: true,
  })
  t.match(fold({ status: 'active', tls: tls(90) }, 90), { isSignificant: false })
  t.match(fold({ status: 'active' }, 13), { after: { status: 'expiring' } })
  t.match(fold({ status: 'active' }, -1), { after: { status: 'expired' } })
  t.match(fold({ status: 'active', tls: tls(1) }), { after: { status: 'expiring', tls: tls(1) } })
  t.match(fold({ status: 'expiring', tls: tls(13) }, 90), { after: { status: 'active' } })
  t.match(fold({ status: 'expired', tls: tls(90) }, 90), { after: { status: 'expired' } })
  t.match(fold({ status: 'active', expires_on: '2029-12-30' }, 90), {
    after: { status: 'expired' },
  })
  const unverified = fold({ status: 'pending_verification' }, -1)
  t.match(unverified, { after: { status: 'pending_verification' } })
})
