/**
 * Sends what is due, on every actor host: rendezvous hashing assigns each endpoint to a host. If
 * two hosts think that an endpoint is theirs, no harm is done, because each attempt is claimed.
 * Only the deliveries' records are stored; the state in memory is rebuilt from them at each start.
 */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { isDeliveryOpen, isSentOnce } from '../../../proto/access/webhooks/delivery.ts'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { settleWithin, type Clock, type Timer } from '../../lib/clock.ts'
import type { Lease } from '../../cluster/lease.ts'
import type { Membership } from '../../cluster/membership.ts'
import { rendezvousHost } from '../../cluster/placement.ts'
import type { BusService } from '../../store/bus.ts'
import { StoreConflict } from '../../store/store.ts'
import { interruptAttempt } from '../delivery/fold.ts'
import type { DeliveryStore, HeldDelivery } from '../delivery/store.ts'
import type { WebhookViews } from '../views.ts'
import {
  attemptDelivery,
  endpointMessageFor,
  reportToEndpoint,
  type AttemptDeps,
  type AttemptResult,
} from './attempt.ts'
import { DueQueue, type DueDelivery } from './queue.ts'

export interface WorkerOptions extends Omit<AttemptDeps, 'incarnation'> {
  readonly views: WebhookViews
  readonly deliveries: DeliveryStore
  readonly clock: Clock
  readonly lease: Pick<Lease, 'incarnation' | 'isValid'>
  readonly membership: Pick<Membership, 'available' | 'onChange' | 'isDead'>
  readonly log: Logger
}

/** Responses of a receiver that cannot keep up. */
const overloaded: readonly (number | undefined)[] = [429, 502, 504]

const pingSuffix = '.ping'
const pingLane = (endpointId: string) => endpointId + pingSuffix
const isPingLane = (lane: string) => lane.endsWith(pingSuffix)

export class DeliveryWorker {
  readonly #options: WorkerOptions
  readonly #queue: DueQueue
  /** Open deliveries of every endpoint, including those of other hosts. */
  readonly #open = new Map<string, HeldDelivery>()
  /** Revisions of the last finished deliveries. */
  readonly #done = new LRUCache<string, number>({ max: limits.doneRemembered })
  readonly #openOf = new Map<string, number>()
  readonly #sending = new Set<string>()
  readonly #reportedAtMs = new Map<string, number>()
  #owners = new Map<string, boolean>()
  #watch: BusService | undefined
  #timer: Timer | undefined
  #checkTimer: Timer | undefined
  #onIdle: (() => void) | undefined
  #stopped = false

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#queue = new DueQueue({ rateOf: (id) => this.#rateOf(id) })
    const { views, membership } = options
    views.onEndpoint((endpoint) => this.#onEndpoint(endpoint))
    membership.onChange(() => this.#rebuild())
  }

  /** Resolves when it knows everything that waits. */
  async start(): Promise<void> {
    const { deliveries } = this.#options
    this.#watch = await deliveries.watch(
      (id, revision) => this.#isNewer(id, revision),
      (held) => this.#see(held),
    )
    this.#check()
  }

  stop(): void {
    this.#stopped = true
    this.#watch?.stop()
    this.#timer?.cancel()
    this.#checkTimer?.cancel()
  }

  /** Starts no more requests, and waits a while for those in progress. */
  async close(): Promise<void> {
    this.stop()
    if (this.#sending.size === 0) return
    const rested = new Promise<void>((resolve) => (this.#onIdle = resolve))
    await settleWithin(this.#options.clock, limits.workerDrainMs, rested)
  }

  /** Open deliveries of an endpoint, on any host. */
  backlogOf(endpointId: string): number {
    return this.#openOf.get(endpointId) ?? 0
  }

  /** False for this host's own writes, which need not be read again. */
  #isNewer(id: string, revision: number): boolean {
    return revision > (this.#open.get(id)?.revision ?? this.#done.get(id) ?? 0)
  }

  #see(held: HeldDelivery): void {
    const { delivery, revision } = held
    if (!this.#isNewer(delivery.id, revision)) return
    this.#keep(held, this.#open.get(delivery.id))
    if (this.#sending.has(delivery.id)) return
    this.#enqueue(held)
    this.#wake()
  }

  #keep(held: HeldDelivery, known: HeldDelivery | undefined): void {
    const { id, endpointId } = held.delivery
    const isNow = isDeliveryOpen(held.delivery)
    if (isNow) this.#open.set(id, held)
    else {
      this.#open.delete(id)
      this.#done.set(id, held.revision)
    }
    const change = Number(isNow) - Number(known !== undefined)
    const count = (this.#openOf.get(endpointId) ?? 0) + change
    if (count > 0) this.#openOf.set(endpointId, count)
    else this.#openOf.delete(endpointId)
  }

  #enqueue({ delivery }: HeldDelivery): void {
    const { id, endpointId, tenant, nextAttemptAtMs } = delivery
    // A delivery that is being sent has no next attempt.
    if (nextAttemptAtMs === undefined || !this.#isOurs(endpointId)) return
    // Deliveries that will not be sent are finished at once.
    const status = this.#options.views.get('endpoint', endpointId)?.status
    const isHopeless = status === 'disabled' || status === 'removed'
    const lane = isSentOnce(delivery) ? pingLane(endpointId) : endpointId
    this.#queue.add({ id, lane, tenant, dueMs: isHopeless ? 0 : nextAttemptAtMs })
  }

  /** Only pings are sent to a pending endpoint, and its actor limits their number. */
  #rateOf(lane: string): number {
    const isPing = isPingLane(lane)
    const endpointId = isPing ? lane.slice(0, -pingSuffix.length) : lane
    const endpoint = this.#options.views.get('endpoint', endpointId)
    if (!endpoint) return 0
    if (isPing) return Infinity
    if (endpoint.status === 'pending') return 0
    return endpoint.status === 'active' ? endpoint.ratePerSecond : Infinity
  }

  #isOurs(endpointId: string): boolean {
    const known = this.#owners.get(endpointId)
    if (known !== undefined) return known
    const { membership, lease } = this.#options
    const owner = rendezvousHost(`webhooks.${endpointId}`, membership.available('actors'))
    const isOurs = owner?.incarnation === lease.incarnation
    this.#owners.set(endpointId, isOurs)
    return isOurs
  }

  #onEndpoint({ id, status }: EndpointView): void {
    if (status === 'removed') this.#queue.forget(id)
    if ((this.#openOf.get(id) ?? 0) > 0) this.#rebuild()
  }

  /** Called when the owner of an endpoint, or what may be sent to it, has changed. */
  #rebuild(): void {
    this.#owners = new Map()
    this.#queue.clear()
    for (const held of this.#open.values()) {
      if (!this.#sending.has(held.delivery.id)) this.#enqueue(held)
    }
    this.#wake()
  }

  #wake(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const { clock, lease } = this.#options
    if (this.#stopped || !lease.isValid()) return
    for (const due of this.#queue.take(clock.now())) void this.#run(due)
    const nextMs = this.#queue.nextMs(clock.now())
    if (nextMs === undefined) return
    this.#timer = clock.timer(Math.max(1, nextMs - clock.now()), () => this.#wake())
  }

  async #run(due: DueDelivery): Promise<void> {
    const held = this.#open.get(due.id)
    const nextMs = held?.delivery.nextAttemptAtMs
    const isDue = nextMs !== undefined && (due.dueMs === 0 || nextMs <= this.#options.clock.now())
    if (held && isDue && !this.#sending.has(due.id)) {
      this.#sending.add(due.id)
      try {
        const attempted = await attemptDelivery(this.#deps(), held)
        if (attempted && attempted !== 'early') this.#onAttempted(attempted)
        this.#sending.delete(due.id)
        if (attempted === 'early') this.#later(due.id)
        else this.#enqueueAgain(due.id)
      } catch (error) {
        this.#sending.delete(due.id)
        this.#options.log.warn(
          { err: error, delivery: due.id },
          'webhooks: an attempt failed unexpectedly',
        )
        this.#retry(due.id)
      }
    }
    this.#queue.done(due)
    this.#wake()
    if (this.#sending.size === 0) this.#onIdle?.()
  }

  /** Reads it again, because another host may have been quicker. */
  #enqueueAgain(id: string): void {
    const now = this.#open.get(id)
    if (now && !this.#sending.has(id)) this.#enqueue(now)
  }

  /** Retried soon, because the endpoint's view is about to arrive. */
  #later(id: string): void {
    this.#options.clock.timer(limits.workerEarlyMs, () => {
      if (this.#stopped) return
      this.#enqueueAgain(id)
      this.#wake()
    })
  }

  #deps(): AttemptDeps {
    return { ...this.#options, incarnation: this.#options.lease.incarnation }
  }

  /** The store is unavailable and the outcome unknown, so the delivery is read once more. */
  #retry(id: string): void {
    const { clock, deliveries, log } = this.#options
    clock.timer(limits.workerRetryMs, () => {
      const held = this.#open.get(id)
      if (this.#stopped || !held) return
      deliveries.get(held.delivery).then(
        (now) => now && this.#seeAgain(now),
        (error: unknown) => {
          log.debug({ err: error }, 'webhooks: the store is unavailable')
          this.#retry(id)
        },
      )
    })
  }

  #seeAgain(held: HeldDelivery): void {
    const known = this.#open.get(held.delivery.id)
    if (!known || held.revision > known.revision) return this.#see(held)
    this.#enqueue(held)
    this.#wake()
  }

  #onAttempted({ held, outcome }: AttemptResult): void {
    const { views, clock } = this.#options
    const { delivery } = held
    if (this.#isNewer(delivery.id, held.revision)) this.#keep(held, this.#open.get(delivery.id))
    const endpoint = views.get('endpoint', delivery.endpointId)
    if (!outcome || !endpoint) return
    if (overloaded.includes(outcome.statusCode)) this.#queue.slow(endpoint.id, clock.now())
    const news = endpointMessageFor(endpoint, delivery, outcome, clock.now())
    if (news && this.#isWorthReporting(endpoint, news.type))
      reportToEndpoint(this.#options, endpoint, news)
  }

  /**
   * Reports an endpoint's health only now and then: its view soon shows that the report arrived.
   */
  #isWorthReporting(endpoint: EndpointView, type: string): boolean {
    if (type !== 'delivery_succeeded' && type !== 'delivery_failed') return true
    const nowMs = this.#options.clock.now()
    const { failingSinceMs, lastSuccessAtMs = 0 } = endpoint
    const isRecent = nowMs < lastSuccessAtMs + limits.successReportMs
    if (type === 'delivery_succeeded' && failingSinceMs === undefined && isRecent) return false
    if (type === 'delivery_failed' && failingSinceMs !== undefined) return false
    const key = `${endpoint.id} ${type}`
    if (nowMs < (this.#reportedAtMs.get(key) ?? 0) + limits.workerCheckMs) return false
    this.#reportedAtMs.set(key, nowMs)
    return true
  }

  /** Finds attempts whose host has died, and lanes whose change was missed. */
  #check(): void {
    const { clock, log } = this.#options
    this.#reclaim().catch((error: unknown) => {
      log.warn({ err: error }, 'webhooks: interrupted deliveries could not be checked')
    })
    const oldestMs = clock.now() - limits.workerCheckMs
    for (const [key, atMs] of this.#reportedAtMs)
      if (atMs < oldestMs) this.#reportedAtMs.delete(key)
    this.#wake()
    if (this.#stopped) return
    this.#checkTimer = clock.timer(limits.workerCheckMs, () => this.#check())
  }

  async #reclaim(): Promise<void> {
    for (const held of this.#open.values()) {
      const { delivery, revision } = held
      if (this.#stopped || delivery.status !== 'sending') continue
      if (!(await this.#isLost(held))) continue
      try {
        const next = interruptAttempt(delivery, this.#options.clock.now())
        this.#see(await this.#options.deliveries.replace(next, revision))
      } catch (error) {
        // Its host is alive after all, or another one has handled it: the watch will deliver the change.
        if (!(error instanceof StoreConflict)) throw error
      }
    }
  }

  /**
   * True if the claim has expired, its host is dead, or it is a claim of this host that is not in
   * progress.
   */
  async #isLost({ delivery: { id, endpointId, claim } }: HeldDelivery): Promise<boolean> {
    if (!claim || this.#sending.has(id) || !this.#isOurs(endpointId)) return false
    const { membership, clock, lease } = this.#options
    if (clock.now() > claim.untilMs || claim.by === lease.incarnation) return true
    return membership.isDead(claim.by)
  }
}
