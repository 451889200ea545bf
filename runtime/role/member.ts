/**
 * What every process of the service starts with: its connection, its lease, its view of the
 * others, and an orderly end. A process that must not go on exits with code 3; whoever
 * started it starts a fresh incarnation.
 */
import { pino, type Logger } from 'pino'
import type { HostRecord } from '../../proto/host.ts'
import { newIncarnation, type Incarnation, type Role } from '../../proto/ids.ts'
import type { Announcements, Bus } from '../bus.ts'
import { systemClock, type Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { Lease, leaseTimes, type LeaseTimes } from '../lease.ts'
import { machineId } from '../machine-id.ts'
import { Membership } from '../membership.ts'
import { openHosts } from '../nats/buckets.ts'
import { connectNats, isClustered, NatsBus, type NatsConnection } from '../nats/connection.ts'
import { version } from '../package.ts'
import type { Bucket } from '../store.ts'
import { Ending } from './ending.ts'

export interface MemberRuntime {
  readonly config: Config
  readonly role: Role
  readonly incarnation: Incarnation
  readonly machine: string
  readonly log: Logger
  readonly clock: Clock
  readonly bus: Bus & Announcements
  readonly lease: Lease
  readonly membership: Membership
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
  'dataUrl' | 'browsers' | 'isolation' | 'url' | 'publicUrl' | 'agents' | 'sealKeys'
>

export interface MemberOptions {
  readonly config: Config
  readonly describe?: Describe
}

/** Before it has a lease: nobody knows of it yet. */
export interface Connected {
  readonly role: Role
  readonly config: Config
  readonly log: Logger
  readonly ending: Ending
  readonly nc: NatsConnection
  readonly times: LeaseTimes
}

/** A process that has a lease, and nothing else of the store. */
export async function openMember(role: Role, options: MemberOptions): Promise<MemberRuntime> {
  const connected = await connectRole(role, options.config)
  const { nc, times, log } = connected
  return join(connected, await openHosts(nc, { timeoutMs: times.tryMs, log }), options.describe)
}

export async function connectRole(role: Role, config: Config): Promise<Connected> {
  const log = pino({ level: config.LOG_LEVEL, base: { role } }, pino.destination(2))
  const ending = new Ending(log)
  const nc = await connectNats(config, role, log)
  const times = leaseTimes(isClustered(nc), config.LEASE_SECONDS)
  return { role, config, log, ending, nc, times }
}

export async function join(
  { role, config, log, ending, nc, times }: Connected,
  hosts: Bucket,
  describe: Describe = () => ({}),
): Promise<MemberRuntime> {
  const bus = new NatsBus(nc, log)
  const incarnation = newIncarnation(config.NODE_ID, role)
  const machine = machineId()
  const identity = { incarnation, nodeId: config.NODE_ID, role, machine, version }
  const lease = await Lease.acquire({
    hosts,
    clock: systemClock,
    times,
    describe: () => ({ ...identity, ...describe() }),
    onLapsed: () => lapsed(role, log, ending),
    onDead: (by) => ending.fence(`declared dead by ${by}`),
  })
  const membership = await Membership.open({
    hosts,
    clock: systemClock,
    log,
    ...(role === 'actors' && { judge: judgeOf(lease, times) }),
  })
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
    lease,
    membership,
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
