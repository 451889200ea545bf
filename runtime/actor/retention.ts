/**
 * Ended actors stay readable for a time, and up to a number per tenant; then their log, view and
 * ownership record are removed together. One actor host does this, chosen by rendezvous hashing.
 */
import type { Logger } from 'pino'
import { decode } from '../../proto/codec.ts'
import { limits } from '../../proto/limits.ts'
import { buckets } from '../../proto/subjects.ts'
import type { AnyActorKind } from './actor-kind.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import type { Lease } from '../cluster/lease.ts'
import type { Membership } from '../cluster/membership.ts'
import { rendezvousHost } from '../cluster/placement.ts'
import { StoreUnavailable, type Store } from '../store/store.ts'
import { endedActorOf, removeActor, unansweredOf, type EndedActor } from './removal.ts'
import type { ViewRecord } from './views.ts'
import { actorLimits } from './limits.ts'

export interface RetentionOptions {
  readonly store: Store
  readonly clock: Clock
  readonly lease: Lease
  readonly membership: Membership
  readonly log: Logger
  readonly keptMs: number
  readonly keptPerTenant: number
  /** Kinds with their `forget`, because they may have stored something in other streams. */
  readonly kinds: readonly Pick<AnyActorKind, 'protocol' | 'forget'>[]
  /** Further removals at each sweep. */
  readonly alsoSweep?: (nowMs: number) => Promise<unknown>
  /** Removes delete markers older than `olderThanMs` from a bucket. */
  readonly purgeMarkers: (bucket: string, olderThanMs: number) => Promise<unknown>
}

export class Retention {
  readonly #options: RetentionOptions
  #timer: Timer | undefined
  #stopped = false

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  /**
   * Removes expired actors, some at a time, and returns their number. After each slice, `mayGoOn`
   * can end the sweep: the next one removes the rest. An actor whose removal the store does not
   * answer in time is left to the next sweep too, and the others are removed; only if the store
   * answers nothing at all, the sweep ends with its error.
   */
  async sweep(mayGoOn: () => boolean = () => true): Promise<number> {
    const { retentionSlice, retentionSilentSlices } = actorLimits
    const surplus = await this.#surplus()
    let removed = 0
    let silent = 0
    const late: StoreUnavailable[] = []
    for (let at = 0; at < surplus.length && mayGoOn(); at += retentionSlice) {
      const slice = surplus.slice(at, at + retentionSlice)
      const unanswered = await unansweredOf(slice.map((ended) => this.#remove(ended)))
      late.push(...unanswered)
      removed += slice.length - unanswered.length
      silent = unanswered.length < slice.length ? 0 : silent + 1
      if (silent === retentionSilentSlices) throw late.at(-1)!
    }
    if (late.length > 0) this.#tellLate(late)
    return removed
  }

  #tellLate(late: readonly StoreUnavailable[]): void {
    const text =
      'retention: some ended actors were not removed in time and are left to the next sweep'
    this.#options.log.warn({ actors: late.length, err: late.at(-1) }, text)
  }

  async #surplus(): Promise<readonly EndedActor[]> {
    const { clock, keptMs, keptPerTenant } = this.#options
    const ended = await this.#ended()
    const oldestMs = clock.now() - keptMs
    const kept = new Map<string, number>()
    return ended
      .sort((a, b) => b.endedAtMs - a.endedAtMs)
      .filter(({ kind, tenant, endedAtMs }) => {
        const group = `${kind}.${tenant}`
        const rank = (kept.get(group) ?? 0) + 1
        kept.set(group, rank)
        return endedAtMs < oldestMs || rank > keptPerTenant
      })
  }

  async #remove(ended: EndedActor): Promise<void> {
    const { store, kinds } = this.#options
    await kinds.find(({ protocol }) => protocol.kind === ended.kind)?.forget?.(ended.id)
    await removeActor(store, ended)
  }

  async #ended(): Promise<EndedActor[]> {
    // An actor that changed meanwhile comes twice.
    const ended = new Map<string, EndedActor>()
    for await (const { key, value } of this.#options.store.bucket(buckets.views).scan()) {
      const actor = endedActorOf(key, decode<ViewRecord>(value).view)
      if (actor) ended.set(key, actor)
      else ended.delete(key)
    }
    return [...ended.values()]
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = this.#options.clock.timer(actorLimits.retentionSweepMs, () => void this.#turn())
  }

  async #turn(): Promise<void> {
    const { lease, membership, clock, log, alsoSweep, purgeMarkers } = this.#options
    try {
      const isChosen = () => {
        const chosen = rendezvousHost('retention', membership.available('actors'))
        return !this.#stopped && lease.isValid() && chosen?.incarnation === lease.incarnation
      }
      if (isChosen()) {
        const removed = await this.sweep(isChosen)
        await alsoSweep?.(clock.now())
        if (removed > 0) log.info({ removed }, 'retention: ended actors removed')
        for (const bucket of [buckets.owners, buckets.views, buckets.hosts]) {
          await purgeMarkers(bucket, limits.markersKeptMs)
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'retention: the sweep failed and will be repeated later')
    }
    this.#schedule()
  }
}
