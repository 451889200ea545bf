/**
 * Turns stored changes into deliveries, on one actor host at a time, which is chosen by rendezvous
 * hashing. If two hosts think they are chosen, they create the same deliveries, which exist once.
 * Positions say where to continue: starting too early only costs time.
 */
import type { Logger } from 'pino'
import type { Delivery } from '../../../proto/access/webhooks/delivery.ts'
import { endpointActor } from '../../../proto/access/webhooks/endpoint.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { decode, encode } from '../../../proto/codec.ts'
import type { MessageSubscriber, BusService } from '../../store/bus.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import type { Directory } from '../../actor/directory.ts'
import type { Lease } from '../../cluster/lease.ts'
import type { Membership } from '../../cluster/membership.ts'
import { rendezvousHost } from '../../cluster/placement.ts'
import { StoreUnavailable, type Bucket, type LogRecord } from '../../store/store.ts'
import type { DeliveryStore } from '../delivery/store.ts'
import type { WebhookViews } from '../views.ts'
import type { DueTasks } from './due-tasks.ts'
import type { OccurrenceBatch } from './occurrences.ts'
import { RecentOccurrences } from './recent.ts'
import { deliveriesForOccurrence, type ShareDeps } from './share.ts'
import type { WebhookSource } from './sources.ts'

export interface FanOutOptions {
  readonly sources: readonly WebhookSource[]
  readonly dueTasks: DueTasks
  readonly bucket: Bucket
  readonly lastSeq: (stream: string) => Promise<number>
  readonly deliveries: DeliveryStore
  readonly views: WebhookViews
  readonly backlogOf: (endpointId: string) => number
  readonly bus: MessageSubscriber
  readonly directory: Pick<Directory, 'ask'>
  readonly clock: Clock
  readonly lease: Pick<Lease, 'incarnation' | 'isValid'>
  readonly membership: Pick<Membership, 'available'>
  readonly log: Logger
}

interface FanOutState {
  readonly atMs: number
  readonly by: string
  readonly positions: Readonly<Record<string, number>>
}

const stateKey = 'fan-out'
/** Its position is a time: everything due until then is handled. */
const duePosition = 'tasks-due'

export class FanOut {
  readonly #options: FanOutOptions
  readonly #subscriptions: readonly BusService[]
  /**
   * Undefined while another host is chosen. For each source, everything up to its position is
   * handled.
   */
  #positions: Map<string, number> | undefined
  /** For sources without subscribers: their end at the last look. */
  readonly #ends = new Map<string, number>()
  readonly #recent = new RecentOccurrences()
  /** See {@link handledUntilMs}. */
  #handledUntilMs: number | undefined
  #savedAtMs = -Infinity
  #isSaved = true
  #turning = false
  #isWanted = false
  /** Sources announced since their last read, and one more read after that. */
  #signalled = new Set<WebhookSource>()
  #unsettled = new Set<WebhookSource>()
  #isAll = false
  #stopped = false
  #timer: Timer | undefined

  constructor(options: FanOutOptions) {
    this.#options = options
    const { sources, bus } = options
    this.#subscriptions = sources.map((source) =>
      bus.subscribe(source.subject, () => this.#onMessage(source)),
    )
    options.views.onEndpoint((endpoint) => {
      if (this.#recent.see(endpoint) && this.#positions) void this.#turn()
    })
    void this.#turn(true)
  }

  /**
   * Wall-clock ms: the events of what was stored before it have become deliveries. Undefined while
   * another host is chosen.
   */
  get handledUntilMs(): number | undefined {
    return this.#stopped ? undefined : this.#handledUntilMs
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#options.dueTasks.stop()
    for (const service of this.#subscriptions) service.stop()
  }

  #onMessage(source: WebhookSource): void {
    if (!this.#positions || !this.#options.views.has(source.surface)) return
    this.#signalled.add(source)
    void this.#turn()
  }

  /** Works until nothing waits, one run at a time; an announcement during a run starts another. */
  async #turn(isAll = false): Promise<void> {
    this.#isWanted = true
    this.#isAll ||= isAll
    if (this.#turning) return
    this.#turning = true
    this.#timer?.cancel()
    let waitMs: number | undefined
    try {
      while (this.#isWanted && !this.#stopped) {
        this.#isWanted = false
        await this.#work(this.#takeAnnounced())
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'webhooks: fan-out failed and will be retried')
      this.#isAll = true
      waitMs = limits.fanOutRetryMs
    }
    this.#turning = false
    const isSettled = this.#unsettled.size === 0
    waitMs ??= isSettled ? limits.fanOutPollMs : limits.fanOutSettleMs
    if (!this.#stopped) {
      this.#timer = this.#options.clock.timer(waitMs, () => void this.#turn(isSettled))
    }
  }

  /** An announced message may be stored a moment later, so its source is read once more. */
  #takeAnnounced(): readonly WebhookSource[] {
    const some = this.#isAll
      ? this.#options.sources
      : [...new Set([...this.#signalled, ...this.#unsettled])]
    this.#unsettled = this.#signalled
    this.#signalled = new Set()
    this.#isAll = false
    return some
  }

  async #work(some: readonly WebhookSource[]): Promise<void> {
    const { lease, membership, sources, views, clock } = this.#options
    const chosen = rendezvousHost('webhooks', membership.available('actors'))
    if (!lease.isValid() || chosen?.incarnation !== lease.incarnation) {
      this.#positions = undefined
      this.#handledUntilMs = undefined
      this.#options.dueTasks.stop()
      return
    }
    const read = this.#positions ? some : sources
    const beganAtMs = clock.now()
    const positions = (this.#positions ??= await this.#begin())
    await this.#shareMissed()
    await this.#shareDue(positions)
    for (let isDrained = false; !isDrained && !this.#stopped;) {
      const drained = await Promise.all(
        read.map((source) =>
          views.has(source.surface)
            ? this.#readSome(source, positions)
            : this.#skip(source, positions),
        ),
      )
      isDrained = drained.every(Boolean)
      await this.#save(positions)
    }
    if (read === sources && !this.#stopped) this.#handledUntilMs = beganAtMs
  }

  /** Starts at the positions of the previous host; a new source starts at its end. */
  async #begin(): Promise<Map<string, number>> {
    const { bucket, sources, lastSeq, log, clock, dueTasks } = this.#options
    const entry = await bucket.get(stateKey)
    const kept = entry && decode<FanOutState>(entry.value).positions
    const positions = new Map<string, number>()
    for (const { name, stream } of sources) {
      positions.set(name, kept?.[name] ?? (await lastSeq(stream)))
    }
    const handledUntilMs = kept?.[duePosition] ?? clock.now()
    positions.set(duePosition, handledUntilMs)
    dueTasks.begin(handledUntilMs)
    this.#isSaved = kept !== undefined
    log.info('webhooks: this host runs the fan-out now')
    return positions
  }

  /** True if it was read to its end. */
  async #readSome(source: WebhookSource, positions: Map<string, number>): Promise<boolean> {
    this.#ends.delete(source.name)
    const messages: LogRecord[] = []
    const from = (positions.get(source.name) ?? 0) + 1
    for await (const message of source.log.read(source.subject, from)) {
      messages.push(message)
      if (messages.length >= limits.fanOutBatch) break
    }
    const last = messages.at(-1)
    if (!last) return true
    const happened: OccurrenceBatch[] = []
    for (const message of messages) happened.push(await this.#occurrencesOf(source, message))
    await this.#share(source, happened)
    positions.set(source.name, last.seq)
    this.#isSaved = false
    return messages.length < limits.fanOutBatch
  }

  /** A message that cannot be read is logged and does not block the following ones. */
  async #occurrencesOf(source: WebhookSource, message: LogRecord): Promise<OccurrenceBatch> {
    try {
      return await source.occurrences(message)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      const { subject, seq } = message
      this.#options.log.error({ err: error, subject, seq }, 'webhooks: a message cannot be read')
      return { happenings: [] }
    }
  }

  /** Passing dates are not announced, so they are checked in each run. */
  async #shareDue(positions: Map<string, number>): Promise<void> {
    const { dueTasks, clock } = this.#options
    for (let isFull = true; isFull && !this.#stopped;) {
      const passed = await dueTasks.passed(clock.now())
      isFull = passed.isFull
      const { happenings } = passed
      if (happenings.length > 0) await this.#share({ surface: 'access' }, [{ happenings }])
      passed.settle()
    }
    const { handledUntilMs, isWatching } = dueTasks
    const since = handledUntilMs - (positions.get(duePosition) ?? 0)
    if (since < limits.dueMarginMs) return
    positions.set(duePosition, handledUntilMs)
    if (isWatching) this.#isSaved = false
  }

  async #share(
    { surface }: Pick<WebhookSource, 'surface'>,
    happened: readonly OccurrenceBatch[],
  ): Promise<void> {
    const happenings = happened.flatMap((one) => one.happenings)
    this.#recent.add(surface, happenings)
    const deps = this.#shareDeps()
    await this.#make(happenings.flatMap((one) => deliveriesForOccurrence(deps, surface, one)))
    for (const { endedGrant } of happened) {
      if (endedGrant) await this.#endGrant(endedGrant)
    }
  }

  #shareDeps(): ShareDeps {
    const { views, backlogOf, clock } = this.#options
    return { views, backlogOf, nowMs: clock.now() }
  }

  async #shareMissed(): Promise<void> {
    const deps = this.#shareDeps()
    for (const { endpoint, missed } of this.#recent.takeLate()) {
      const made = missed.flatMap(({ surface, happening }) =>
        deliveriesForOccurrence(deps, surface, happening, [endpoint]),
      )
      await this.#make(made)
    }
  }

  async #make(deliveries: readonly Delivery[]): Promise<void> {
    for (let i = 0; i < deliveries.length; i += limits.fanOutAtOnce) {
      const some = deliveries.slice(i, i + limits.fanOutAtOnce)
      await Promise.all(some.map((delivery) => this.#options.deliveries.create(delivery)))
    }
  }

  /** Workers check the grant before each attempt anyway; this updates the endpoint's record. */
  async #endGrant({ tenant, id }: NonNullable<OccurrenceBatch['endedGrant']>): Promise<void> {
    const { views, directory, log } = this.#options
    for (const endpoint of views.endpointsOfGrant(tenant, id)) {
      if (endpoint.statusReason === 'grant_ended') continue
      try {
        await directory.ask(endpointActor, endpoint.id, { type: 'grant_ended' })
      } catch (error) {
        log.warn({ err: error, endpoint: endpoint.id }, 'webhooks: an endpoint outlasts its grant')
      }
    }
  }

  /**
   * Skips a source without subscribers to its end at the previous look, so that events shortly
   * before a subscription becomes visible are not lost.
   */
  async #skip({ name, stream }: WebhookSource, positions: Map<string, number>): Promise<true> {
    const passed = this.#ends.get(name)
    if (passed !== undefined && passed > (positions.get(name) ?? 0)) {
      positions.set(name, passed)
      this.#isSaved = false
    }
    this.#ends.set(name, await this.#options.lastSeq(stream))
    return true
  }

  async #save(positions: ReadonlyMap<string, number>): Promise<void> {
    const { bucket, clock, lease } = this.#options
    const nowMs = clock.monotonic()
    const isOld = nowMs - this.#savedAtMs > limits.deliveryKeptMs / 2
    if (nowMs - this.#savedAtMs < limits.fanOutStateMs || (this.#isSaved && !isOld)) return
    const state: FanOutState = {
      atMs: clock.now(),
      by: lease.incarnation,
      positions: Object.fromEntries(positions),
    }
    await bucket.put(stateKey, encode(state))
    this.#savedAtMs = nowMs
    this.#isSaved = true
  }
}
