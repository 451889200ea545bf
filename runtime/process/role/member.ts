/**
 * The base of every process of the service: its connection, its lease, its view of the others, and
 * a graceful end. A process that must not continue exits with code 3, and its supervisor starts a
 * new incarnation.
 */
import { pino, type Logger } from 'pino'
import type { HostRecord } from '../../../proto/host.ts'
import { newIncarnation, type Incarnation, type Role } from '../../../proto/ids.ts'
import type { MessageSubscriber, Bus } from '../../store/bus.ts'
import { systemClock, type Clock } from '../../lib/clock.ts'
import { setNameServers } from '../../lib/network/guard/lookup.ts'
import { ownAddresses } from '../../lib/network/own-addresses.ts'
import type { Config } from '../../config/config.ts'
import { Lease, leaseTimes, type LeaseTimes } from '../../cluster/lease.ts'
import { machineId } from '../machine-id.ts'
import { readMachineLoad } from '../machine-load.ts'
import { certifyPredecessors, Membership } from '../../cluster/membership.ts'
import { openHosts } from '../../store/nats/buckets.ts'
import { connectNats, isClustered, type NatsConnection } from '../../store/nats/connection.ts'
import { NatsBus } from '../../store/nats/nats-bus.ts'
import { version } from '../../lib/package.ts'
import type { Bucket } from '../../store/store.ts'
import { openTracing } from '../../tracing/open.ts'
import { openProcessLog } from './process-log.ts'
import { ServiceManager } from '../service-manager.ts'
import { ProcessShutdown } from './shutdown.ts'

export interface MemberRuntime {
  readonly config: Config
  readonly role: Role
  readonly incarnation: Incarnation
  readonly machine: string
  readonly log: Logger
  readonly clock: Clock
  readonly bus: Bus & MessageSubscriber
  readonly lease: Lease
  readonly membership: Membership
  /** Runs on SIGTERM, the last registered first, before the lease is released. */
  onDrain(work: () => Promise<void>): void
  /** Runs when this incarnation must stop acting at once. */
  onFence(work: () => void): void
  /**
   * Declares earlier processes of this role and NODE_ID dead, once this one has taken over what they
   * held.
   */
  replacePredecessors(): Promise<void>
  /** Ends the process with a line that says why. */
  fatal(reason: string): never
  /** Tells the supervisor, or systemd, that this process is ready. */
  ready(info: Record<string, unknown>): void
}

/** The fields of the host record that depend on the role. */
export type DescribeRole = () => Pick<
  HostRecord,
  | 'dataUrl'
  | 'browsers'
  | 'isolation'
  | 'isolationLacks'
  | 'bounds'
  | 'recordingLack'
  | 'actors'
  | 'tasks'
  | 'url'
  | 'publicUrl'
  | 'agents'
  | 'sealKeys'
>

export interface MemberOptions {
  readonly config: Config
  readonly describe?: DescribeRole
}

/** A process that has no lease yet, so others do not know it. */
export interface ConnectedRole {
  readonly role: Role
  readonly config: Config
  readonly log: Logger
  readonly manager: ServiceManager
  readonly ending: ProcessShutdown
  readonly nc: NatsConnection
  readonly times: LeaseTimes
}

/** A process with a lease and no other access to the store. */
export async function openMember(role: Role, options: MemberOptions): Promise<MemberRuntime> {
  const connected = await connectRole(role, options.config)
  const { nc, times, log } = connected
  return join(connected, await openHosts(nc, { timeoutMs: times.tryMs, log }), options.describe)
}

export async function connectRole(role: Role, config: Config): Promise<ConnectedRole> {
  const log = openProcessLog(config, role, pino.destination(2))
  const manager = new ServiceManager((err) => log.warn({ err }, 'systemd was not told'))
  const ending = new ProcessShutdown(log, manager)
  const nc = await connectNats(config, role, log)
  const times = leaseTimes(isClustered(nc), config.LEASE_SECONDS)
  ownAddresses.setInFront(config.OWN_ADDRESSES)
  setNameServers(config.DNS_SERVERS)
  return { role, config, log, manager, ending, nc, times }
}

export async function join(
  { role, config, log, manager, ending, nc, times }: ConnectedRole,
  hosts: Bucket,
  describe: DescribeRole = () => ({}),
): Promise<MemberRuntime> {
  const bus = new NatsBus(nc, log)
  const incarnation = newIncarnation(config.NODE_ID, role)
  const machine = machineId()
  const { NODE_ID: nodeId, HOST_LABELS: labels } = config
  const placement = role === 'actors' && { mixesHashes: true as const }
  const identity = { incarnation, nodeId, role, machine, version, labels, ...placement }
  const lease = await Lease.acquire({
    hosts,
    clock: systemClock,
    times,
    describe: () => ({ ...identity, machineLoad: readMachineLoad(), ...describe() }),
    onLapsed: () => onLeaseLapsed(role, log, ending),
    onDead: (by) => ending.fence(`declared dead by ${by}`),
  })
  const membership = await Membership.open({
    hosts,
    clock: systemClock,
    log,
    ...(role === 'actors' && { failureDetector: failureDetectorOf(lease, config) }),
  })
  const closeTracing = await openTracing({
    ...{ role, incarnation, nodeId: config.NODE_ID, log },
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  })
  ending.last(async () => {
    await lease.release()
    membership.stop()
    await closeTracing()
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
    replacePredecessors: () => certifyPredecessors(hosts, membership, identity),
    fatal: (reason) => ending.fatal(reason),
    ready(info) {
      log.info({ incarnation, ...info }, 'ready')
      process.send?.({ type: 'ready', incarnation, info })
      manager.ready(`${role} is up`)
    },
  }
}

/**
 * Only actor hosts end when their lease has expired, because an actor must have one writer; other
 * roles keep what they hold and wait.
 */
function onLeaseLapsed(role: Role, log: Logger, ending: ProcessShutdown): void {
  if (role === 'actors') ending.fence('the lease lapsed unrenewed')
  else log.warn('the lease has expired; nothing new is accepted until it is renewed')
}

function failureDetectorOf(lease: Lease, { HOST_GRACE_SECONDS }: Config) {
  return {
    by: lease.incarnation,
    safetyMs: lease.times.safetyMs,
    graceMs: HOST_GRACE_SECONDS * 1_000,
    mayDeclareDead: () => lease.isValid(),
  }
}
