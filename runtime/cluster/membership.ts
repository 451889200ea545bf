/**
 * Which processes are alive, as seen by this one. A watch delivers their records; every second it is
 * confirmed that it has delivered all of them, by one request however many there are. An actor host
 * also declares deaths: a record that has not changed for its lease plus a margin is set to `dead`
 * by compare-and-set, so renewal and death cannot both succeed. A process that may come back is
 * `silent` first, and dead only after a grace period. (Protocol: README.md, ownership.)
 */
import type { Logger } from 'pino'
import { decode, encode } from '../../proto/codec.ts'
import type { HostRecord } from '../../proto/host.ts'
import type { Role } from '../../proto/ids.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import { checkClock, type ClockSkew } from './clock-skew.ts'
import { awaitStore } from '../store/await-store.ts'
import { ConfirmedWatch, type BucketFollower } from '../store/confirmed-watch.ts'
import { StoreConflict, type Bucket, type BucketChange, type BucketEntry } from '../store/store.ts'
import { retryConflicts } from '../store/retry-conflicts.ts'
import { clusterLimits } from './limits.ts'

interface Sighting {
  record: HostRecord
  revision: number
  /** When this process first saw that revision, or last restarted its lease timers. */
  sinceMs: number
  readonly clock: ClockSkew | undefined
}

export interface MembershipOptions {
  readonly hosts: Bucket
  readonly clock: Clock
  readonly log: Logger
  /**
   * Only for processes that may declare others dead: the name to record, and the margin beyond the
   * lease.
   */
  readonly failureDetector?: {
    readonly by: string
    readonly safetyMs: number
    /** How long a process other than an actor host may be silent before it is declared dead. */
    readonly graceMs: number
    readonly mayDeclareDead: () => boolean
  }
}

type FailureDetector = NonNullable<MembershipOptions['failureDetector']>
type Listener = (record: HostRecord) => void

export class Membership {
  readonly #options: MembershipOptions
  readonly #sightings = new Map<string, Sighting>()
  readonly #changed = new Set<Listener>()
  readonly #died = new Set<Listener>()
  readonly #silence = new Set<Listener>()
  #watch: ConfirmedWatch | undefined
  #timer: Timer | undefined
  #storeAnswers = true
  #stopped = false

  private constructor(options: MembershipOptions) {
    this.#options = options
  }

  /** Resolves once all existing records are known. */
  static async open(options: MembershipOptions): Promise<Membership> {
    const membership = new Membership(options)
    const { hosts: bucket, clock, log } = options
    const follower: BucketFollower = {
      apply: (change) => membership.#apply(change),
      keys: () => membership.#sightings.keys(),
      forgetRevisions: () => membership.#forgetRevisions(),
      remove: (key) => membership.#forget(key, Infinity),
    }
    membership.#watch = await awaitStore(options, 'the records of other processes', () =>
      ConfirmedWatch.open({ bucket, follower, clock, log }),
    )
    await membership.#poll()
    return membership
  }

  /** All known records, including dead ones of the last hour. */
  hosts(): readonly HostRecord[] {
    return [...this.#sightings.values()].map((sighting) => sighting.record)
  }

  /** How far the clocks of live processes are ahead of this one's, measured at their renewals. */
  clockSkews(): readonly (Pick<HostRecord, 'nodeId' | 'role'> & ClockSkew)[] {
    return [...this.#sightings.values()].flatMap(({ record: { nodeId, role, state }, clock }) =>
      clock && state !== 'dead' ? [{ nodeId, role, ...clock }] : [],
    )
  }

  /** Processes of a role that accept new work. */
  available(role: Role): readonly HostRecord[] {
    return this.hosts().filter((host) => host.role === role && host.state === 'alive')
  }

  get(incarnation: string): HostRecord | undefined {
    return this.#sightings.get(incarnation)?.record
  }

  /** Reads the store if the record is not known here: a missing record means dead. */
  async isDead(incarnation: string): Promise<boolean> {
    const known = this.get(incarnation)
    if (known) return known.state === 'dead'
    const entry = await this.#options.hosts.get(incarnation)
    if (entry) this.#see(entry)
    return entry === undefined || decode<HostRecord>(entry.value).state === 'dead'
  }

  onChange(listener: Listener): () => void {
    this.#changed.add(listener)
    return () => this.#changed.delete(listener)
  }

  /** Called once for each incarnation that is dead from now on. */
  onDead(listener: Listener): () => void {
    this.#died.add(listener)
    return () => this.#died.delete(listener)
  }

  /** Called when a process becomes silent, and when a silent one has renewed its lease. */
  onSilence(listener: Listener): () => void {
    this.#silence.add(listener)
    return () => this.#silence.delete(listener)
  }

  /** Waits for the work, or until a host dies or becomes silent so that waiting is useless. */
  async unlessGone<T>(
    waited: Promise<T>,
    failure: (gone: HostRecord) => Error | undefined,
  ): Promise<T> {
    const unwatch: (() => void)[] = []
    const gone = new Promise<never>((_, reject) => {
      const fail: Listener = (record) => {
        const error = isGoneHost(record) ? failure(record) : undefined
        if (error) reject(error)
      }
      unwatch.push(this.onDead(fail), this.onSilence(fail))
    })
    try {
      return await Promise.race([waited, gone])
    } finally {
      for (const stop of unwatch) stop()
    }
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#watch?.stop()
  }

  async #poll(): Promise<void> {
    const { clock, log } = this.#options
    try {
      await this.#watch?.confirm()
      // While the store was away no lease could be renewed, so every lease is counted from now.
      if (!this.#storeAnswers) this.#restartLeaseTimers()
      this.#storeAnswers = true
      await this.#detectFailures()
    } catch (error) {
      if (this.#storeAnswers) log.warn({ err: error }, 'membership: the store does not answer')
      this.#storeAnswers = false
    }
    if (!this.#stopped) {
      this.#timer = clock.timer(clusterLimits.membershipPollMs, () => void this.#poll())
    }
  }

  #apply(change: BucketChange): void {
    if (change.type === 'put') this.#see(change)
    else this.#forget(change.key, change.revision)
  }

  #forgetRevisions(): void {
    for (const sighting of this.#sightings.values()) sighting.revision = 0
  }

  #restartLeaseTimers(): void {
    const now = this.#options.clock.monotonic()
    for (const sighting of this.#sightings.values()) sighting.sinceMs = now
  }

  #see(entry: BucketEntry): void {
    const known = this.#sightings.get(entry.key)
    if (known && known.revision >= entry.revision) return
    const record = decode<HostRecord>(entry.value)
    const { clock, log } = this.#options
    this.#sightings.set(entry.key, {
      record,
      revision: entry.revision,
      sinceMs: clock.monotonic(),
      clock: checkClock(record, { known: known?.clock, clock, log }),
    })
    for (const listener of this.#changed) listener(record)
    const before = known?.record.state
    if (record.state === 'dead') {
      if (before !== 'dead') this.#reportDeath(record)
    } else if ((record.state === 'silent') !== (before === 'silent')) this.#reportSilence(record)
  }

  #reportDeath(record: HostRecord): void {
    this.#options.log.info({ incarnation: record.incarnation, by: record.by }, 'host is dead')
    for (const listener of this.#died) listener(record)
  }

  #reportSilence(record: HostRecord): void {
    const { incarnation, by, state } = record
    if (state === 'silent') this.#options.log.warn({ incarnation, by }, 'host is silent')
    else this.#options.log.info({ incarnation }, 'host has renewed its lease again')
    for (const listener of this.#silence) listener(record)
  }

  #forget(key: string, revision: number): void {
    const known = this.#sightings.get(key)
    if (!known || known.revision > revision) return
    this.#sightings.delete(key)
    if (known.record.state !== 'dead') this.#reportDeath({ ...known.record, state: 'dead' })
  }

  async #detectFailures(): Promise<void> {
    const { hosts, clock, failureDetector } = this.#options
    if (!failureDetector) return
    for (const [key, sighting] of this.#sightings) {
      const silentMs = clock.monotonic() - sighting.sinceMs
      if (sighting.record.state === 'dead') {
        if (silentMs > clusterLimits.deadHostKeptMs) await hosts.delete(key)
      } else if (key !== failureDetector.by && failureDetector.mayDeclareDead()) {
        const state = missedState(sighting.record, silentMs, failureDetector)
        if (state) await this.#declare(state, key, sighting, failureDetector.by)
      }
    }
  }

  async #declare(state: MissedState, key: string, { record, revision }: Sighting, by: string) {
    try {
      const value = encode({ ...record, state, by } satisfies HostRecord)
      const next = await this.#options.hosts.update(key, value, revision)
      this.#see({ key, value, revision: next })
    } catch (error) {
      // It has just renewed, or another process declared it: the next read shows which.
      if (!(error instanceof StoreConflict)) throw error
    }
  }
}

type MissedState = 'silent' | 'dead'

/** What a record that has not changed for `unchangedMs` is to become. */
function missedState(
  { role, state, leaseMs }: HostRecord,
  unchangedMs: number,
  { safetyMs, graceMs }: FailureDetector,
): MissedState | undefined {
  const isSilent = state === 'silent'
  if (unchangedMs <= (isSilent ? graceMs : leaseMs + safetyMs)) return undefined
  // The actors of a silent actor host would stand still, and can go on elsewhere.
  return isSilent || role === 'actors' || graceMs === 0 ? 'dead' : 'silent'
}

/** Nothing may be expected of it at the moment. */
export const isGoneHost = ({ state }: Pick<HostRecord, 'state'>): boolean =>
  state === 'silent' || state === 'dead'

/**
 * Called by a supervisor that saw a child exit, so that no process waits for the lease to expire.
 */
export async function certifyDeath(hosts: Bucket, incarnation: string, by: string): Promise<void> {
  await retryConflicts(clusterLimits.certifyAttempts, async () => {
    const entry = await hosts.get(incarnation)
    const record = entry && decode<HostRecord>(entry.value)
    if (!record || record.state === 'dead') return
    await hosts.update(incarnation, encode({ ...record, state: 'dead', by }), entry.revision)
  })
}

/**
 * A node agent takes the place of earlier agents with its NODE_ID: sessions whose browsers it has not
 * taken over are lost without a grace period.
 */
export async function certifyPredecessors(
  hosts: Bucket,
  membership: Pick<Membership, 'hosts'>,
  { incarnation, nodeId, role }: Pick<HostRecord, 'incarnation' | 'nodeId' | 'role'>,
): Promise<void> {
  for (const earlier of membership.hosts()) {
    const isOwn = earlier.nodeId === nodeId && earlier.role === role
    if (isOwn && earlier.state !== 'dead' && earlier.incarnation !== incarnation) {
      await certifyDeath(hosts, earlier.incarnation, incarnation)
    }
  }
}
