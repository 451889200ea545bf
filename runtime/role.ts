/**
 * What every process of the service starts with: its connection, its lease, its view of the
 * others, and an orderly end. A process that must not go on exits with code 3; whoever
 * started it starts a fresh incarnation.
 */
import { pino, type Logger } from 'pino'
import type { HostRecord } from '../proto/host.ts'
import { newIncarnation, type Incarnation, type Role } from '../proto/ids.ts'
import { limits } from '../proto/limits.ts'
import { buckets } from '../proto/subjects.ts'
import { openStore, type NatsStore } from './nats/buckets.ts'
import type { Announcements, Bus } from './bus.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config.ts'
import { connectNats, isClustered, NatsBus } from './nats/connection.ts'
import { Directory } from './directory.ts'
import { exitCodes } from './exit-codes.ts'
import { Lease, leaseTimes, type LeaseTimes } from './lease.ts'
import { machineId } from './machine-id.ts'
import { Membership } from './membership.ts'
import { version } from './package.ts'
import { openSealer, type Sealer } from './seal/seal.ts'
import { keepersOf, keyTroubles, opensSecrets } from './seal/shared-keys.ts'

export interface RoleRuntime {
  readonly config: Config
  readonly role: Role
  readonly incarnation: Incarnation
  readonly machine: string
  readonly log: Logger
  readonly clock: Clock
  readonly bus: Bus & Announcements
  readonly store: NatsStore
  readonly lease: Lease
  readonly membership: Membership
  readonly directory: Directory
  readonly sealer: Sealer
  /** Run on SIGTERM, the last registered first, before the lease is given back. */
  onDrain(work: () => Promise<void>): void
  /** Run when this incarnation must stop acting at once. */
  onFence(work: () => void): void
  /** Ends the process with a line that says why. */
  fatal(reason: string): never
  /** Tells whoever started this process that it is at work. */
  ready(info: Record<string, unknown>): void
}

/** What a role says of itself in its host record, besides what every process says. */
export type Describe = () => Pick<
  HostRecord,
  'dataUrl' | 'browsers' | 'url' | 'publicUrl' | 'agents'
>

export async function openRole(
  role: Role,
  options: { readonly config: Config; readonly describe?: Describe },
): Promise<RoleRuntime> {
  const { config, describe = () => ({}) } = options
  const log = pino({ level: config.LOG_LEVEL, base: { role } }, pino.destination(2))
  const ending = new Ending(log)
  const sealer = openSealer(config)
  const nc = await connectNats(config, role, log)
  const times = leaseTimes(isClustered(nc), config.LEASE_SECONDS)
  const store = await openStore(nc, {
    timeoutMs: times.tryMs,
    log,
    storeMib: config.STORE_MAX_MIB,
  })
  const bus = new NatsBus(nc, log)
  const incarnation = newIncarnation(config.NODE_ID, role)
  const machine = machineId()
  const identity = { incarnation, nodeId: config.NODE_ID, role, machine, version }
  const keys = () => (opensSecrets(role) ? { sealKeys: sealer.keyIds() } : {})
  const hosts = store.bucket(buckets.hosts)
  const lease = await Lease.acquire({
    hosts,
    clock: systemClock,
    times,
    describe: () => ({ ...identity, ...keys(), ...describe() }),
    onLapsed: () => lapsed(role, log, ending),
    onDead: (by) => ending.fence(`declared dead by ${by}`),
  })
  const membership = await Membership.open({
    hosts,
    clock: systemClock,
    log,
    ...(role === 'actors' && { judge: judgeOf(lease, times) }),
  })
  if (opensSecrets(role)) {
    const keepers = keepersOf(membership.hosts())
    for (const text of keyTroubles(config, sealer.keyIds(), keepers)) log.warn(text)
  }
  ending.last(async () => {
    await lease.release()
    membership.stop()
    await nc.drain()
  })
  return {
    config,
    role,
    incarnation,
    machine,
    log,
    clock: systemClock,
    bus,
    store,
    lease,
    membership,
    directory: new Directory(bus, systemClock, membership),
    sealer,
    onDrain: (work) => ending.onDrain(work, () => lease.drain()),
    onFence: (work) => ending.onFence(work),
    fatal: (reason) => ending.fatal(reason),
    ready(info) {
      log.info({ incarnation, ...info }, 'ready')
      process.send?.({ type: 'ready', incarnation, info })
    },
  }
}

/**
 * Only an actor host's lease protects what must have one writer; the
 * others keep what they hold and wait.
 */
function lapsed(role: Role, log: Logger, ending: Ending): void {
  if (role === 'actors') ending.fence('the lease lapsed unrenewed')
  else log.warn('the lease lapsed; nothing new is accepted until it is renewed')
}

function judgeOf(lease: Lease, { safetyMs }: LeaseTimes) {
  return { by: lease.incarnation, safetyMs, mayJudge: () => lease.isValid() }
}

/** The ways a process ends: drained, fenced, orphaned or for good reason at once. */
class Ending {
  readonly #log: Logger
  readonly #drains: (() => Promise<void>)[] = []
  readonly #fences: (() => void)[] = []
  #announce: (() => Promise<void>) | undefined
  #last: (() => Promise<void>) | undefined
  #begun = false

  constructor(log: Logger) {
    this.#log = log
    process.on('SIGTERM', () => void this.#drain())
    process.on('SIGINT', () => void this.#drain())
    // Only a supervisor that is gone closes this channel; what it started must not outlive it.
    process.on('disconnect', () => this.fence('the supervisor is gone'))
  }

  onDrain(work: () => Promise<void>, announce: () => Promise<void>): void {
    this.#drains.unshift(work)
    this.#announce = announce
  }

  onFence(work: () => void): void {
    this.#fences.push(work)
  }

  last(work: () => Promise<void>): void {
    this.#last = work
  }

  fence(reason: string): void {
    for (const work of this.#fences) work()
    this.#log.error({ reason }, 'fenced')
    process.exit(exitCodes.fenced)
  }

  fatal(reason: string): never {
    this.#log.fatal(reason)
    process.exit(exitCodes.failed)
  }

  async #drain(): Promise<void> {
    if (this.#begun) return
    this.#begun = true
    this.#log.info('draining')
    const late = setTimeout(() => this.fatal('draining took too long'), limits.drainMs)
    late.unref()
    try {
      await this.#announce?.()
      for (const work of this.#drains) await work()
      await this.#last?.()
    } catch (error) {
      this.#log.warn({ err: error }, 'draining did not go well')
    }
    process.exit(exitCodes.ok)
  }
}
