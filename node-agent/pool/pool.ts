/**
 * The browsers of one agent. A browser is booted, kept warm, claimed once and drained; it is never
 * reused. Claimants wait in one queue, served round robin by tenant; `pool-plan.ts` decides what
 * happens next.
 */
import type { Logger } from 'pino'
import type { ClaimRefusal } from '../../proto/host-counts.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { BrowserLoad } from '../../proto/host.ts'
import { newId, type BrowserId } from '../../proto/ids.ts'
import { backoffMs, sleep, type Clock, type Timer } from '../../runtime/lib/clock.ts'
import { exitCause } from '../browser/exit-cause.ts'
import type { BrowserExit } from '../browser/running.ts'
import { shapeKey, type BrowserShape } from '../browser/shape.ts'
import { WaitQueue, type QueuedClaim } from './wait-queue.ts'
import { planPool, freeCapacity, type PoolView } from './pool-plan.ts'
import { PoolCounts } from './pool-counts.ts'
import { poolLimits } from './limits.ts'

/** The interface of a browser for the pool. */
export interface PooledBrowser {
  readonly id: BrowserId
  readonly exited: Promise<BrowserExit>
  check(): Promise<void>
  end(): Promise<void>
}

type Slot<B extends PooledBrowser> =
  | { readonly state: 'booting'; readonly shapeKey: string }
  | {
      readonly state: 'warm'
      readonly shapeKey: string
      readonly browser: B
      readonly sinceMs: number
    }
  | { readonly state: 'claimed'; readonly browser: B }
  /** The pool is killing and removing it. */
  | { readonly state: 'draining'; readonly why: string }
  /** It ended by itself; its folder is being removed. */
  | { readonly state: 'dead'; readonly exit: BrowserExit }

export interface PoolOptions<B extends PooledBrowser> {
  readonly boot: (id: BrowserId, shape: BrowserShape) => Promise<B>
  /**
   * The shapes kept warm. The first is refilled first, so a shape that cannot start on this host
   * should come last.
   */
  readonly kept: readonly { readonly shape: BrowserShape; readonly count: number }[]
  readonly sessionsMax: number
  readonly queueSize: number
  readonly bootsMax: number
  readonly clock: Clock
  readonly log: Logger
  /** The pool's load has changed. */
  readonly onChange: () => void
  /** A claimed browser ended without being released. */
  readonly onGone: (browser: B, exit: BrowserExit) => void
}

export interface TakeOptions {
  /** Absent in claims of an older actor host. */
  readonly tenant?: string | undefined
  readonly waitMs: number
  readonly signal: AbortSignal
  /** How long no browser is booted in place of the one that is handed out. */
  readonly calmMs?: number | undefined
}

export class BrowserPool<B extends PooledBrowser> {
  readonly #options: PoolOptions<B>
  readonly #queue: WaitQueue<B>
  readonly #slots = new Map<BrowserId, Slot<B>>()
  readonly #counts = new PoolCounts()
  /** Boots and tear-downs in progress. */
  readonly #works = new Set<Promise<void>>()
  #calmAtMs = 0
  #failedBoots = 0
  #calmTimer: Timer | undefined
  #checkTimer: Timer | undefined
  #isStopped = false

  constructor(options: PoolOptions<B>) {
    this.#options = options
    this.#queue = new WaitQueue(options.clock)
    this.#armCheck()
    this.#act()
  }

  /**
   * Resolves at once if a browser of that shape is warm. Otherwise the caller waits in the queue
   * for at most `waitMs`. If the queue is full, the caller is refused, or else the last claimant of
   * a tenant that has more. An aborted caller leaves the queue and never gets a browser.
   */
  take(shape: BrowserShape, options: TakeOptions): Promise<B> {
    const { tenant = '', waitMs, signal, calmMs = poolLimits.refillCalmMs } = options
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(shuttingDownError())
      if (signal.aborted) return reject(gaveUpError())
      const room = this.#room()
      const beyond = this.#queue.length + 1 - room
      if (beyond > (waitMs > 0 ? this.#options.queueSize : 0)) {
        const other = waitMs > 0 ? this.#queue.displacedBy(tenant) : undefined
        const full = this.#refusal('queue_full', beyond)
        // A claimant within the limit has a browser booting for it, so it is not displaced.
        if (!other || this.#queue.place(other) <= room) return reject(full)
        this.#queue.refuse(other, full)
      }
      const { clock } = this.#options
      const askedMs = clock.monotonic()
      const serve = (browser: B) => {
        this.#counts.served(clock.monotonic() - askedMs)
        resolve(browser)
      }
      const claimant = {
        ...{ shape, shapeKey: shapeKey(shape), tenant, calmMs },
        ...{ resolve: serve, reject },
      }
      this.#queue.join(claimant, waitMs, () => this.#overdue(claimant))
      signal.addEventListener('abort', () => this.#refuse(claimant, gaveUpError()), { once: true })
      this.#act()
    })
  }

  /** Counts a browser that an earlier agent has claimed, whatever the limit is now. */
  adopt(browser: B): void {
    this.#slots.set(browser.id, { state: 'claimed', browser })
    void browser.exited.then((exit) => this.#exited(browser, exit))
    this.#options.onChange()
  }

  /** Returns at once; the browser is torn down afterwards. */
  drain(browser: B, why: string): void {
    this.#end(browser, { state: 'draining', why })
    this.#act()
  }

  load(): BrowserLoad {
    const warm = this.#count('warm')
    const room = this.#room()
    return {
      capacity: this.#options.sessionsMax,
      warm,
      booting: this.#count('booting'),
      claimed: this.#count('claimed'),
      queued: Math.max(0, this.#queue.length - room),
      ready: !this.#isStopped && room > 0 && (warm > 0 || this.#failedBoots === 0),
      counts: this.#counts.report(),
    }
  }

  /** Stops handing out and booting browsers. */
  stopClaims(): void {
    this.#isStopped = true
    this.#calmTimer?.cancel()
    this.#checkTimer?.cancel()
    for (const claimant of this.#queue.inOrder()) this.#queue.refuse(claimant, shuttingDownError())
    this.#options.onChange()
  }

  /** The opposite of `stopClaims`. */
  resumeClaims(): void {
    if (!this.#isStopped) return
    this.#isStopped = false
    this.#armCheck()
    this.#act()
  }

  /** Ends all browsers and resolves when their folders are removed. */
  async close(): Promise<void> {
    this.stopClaims()
    for (const slot of [...this.#slots.values()]) {
      if ('browser' in slot) this.#end(slot.browser, { state: 'draining', why: 'closing' })
    }
    while (this.#works.size > 0) await Promise.all(this.#works)
  }

  #act(): void {
    if (this.#isStopped) return
    const view = this.#view()
    const plan = planPool(view)
    for (const { waiter, id } of plan.hand) this.#hand(waiter, id)
    for (const { shape } of plan.bootFor) this.#boot(shape)
    const short = this.#options.kept.find(({ shape }) => shapeKey(shape) === plan.refill)
    if (short) this.#boot(short.shape)
    if (!view.calm || plan.hand.length > 0) this.#actWhenCalm()
    this.#options.onChange()
  }

  #view(): PoolView<QueuedClaim<B>> {
    const { sessionsMax, kept, bootsMax, clock } = this.#options
    const slots = [...this.#slots]
    return {
      line: this.#queue.inOrder(),
      warm: slots.flatMap(([id, s]) => (s.state === 'warm' ? [{ id, shapeKey: s.shapeKey }] : [])),
      booting: slots.flatMap(([, s]) => (s.state === 'booting' ? [s.shapeKey] : [])),
      claimed: this.#count('claimed'),
      sessionsMax,
      bootsMax,
      kept: kept.map(({ shape, count }) => ({
        shapeKey: shapeKey(shape),
        count: Math.min(count, sessionsMax),
      })),
      calm: clock.monotonic() >= this.#calmAtMs,
    }
  }

  #hand(claimant: QueuedClaim<B>, id: BrowserId): void {
    const slot = this.#slots.get(id)
    if (slot?.state !== 'warm') throw new Error(`browser ${id} is ${slot?.state ?? 'gone'}`)
    this.#slots.set(id, { state: 'claimed', browser: slot.browser })
    this.#calmAtMs = this.#options.clock.monotonic() + claimant.calmMs
    this.#queue.serve(claimant, slot.browser)
  }

  #boot(shape: BrowserShape): void {
    const id = newId('brw')
    const key = shapeKey(shape)
    const begunMs = this.#options.clock.monotonic()
    this.#slots.set(id, { state: 'booting', shapeKey: key })
    const booted = this.#options.boot(id, shape).then(
      (browser) => this.#booted(browser, key, begunMs),
      (error: unknown) => this.#bootFailed(id, key, error),
    )
    this.#work(booted)
  }

  #booted(browser: B, key: string, begunMs: number): void {
    const nowMs = this.#options.clock.monotonic()
    const bootMs = Math.round(nowMs - begunMs)
    this.#counts.booted(bootMs)
    this.#options.log.debug({ browser: browser.id, shape: key, bootMs }, 'browser is warm')
    this.#failedBoots = 0
    this.#slots.set(browser.id, { state: 'warm', shapeKey: key, browser, sinceMs: nowMs })
    void browser.exited.then((exit) => this.#exited(browser, exit))
    this.#act()
    // Its claimant may have left, and another one for an unusual shape is unlikely.
    const unwanted =
      this.#isStopped || !this.#options.kept.some(({ shape }) => shapeKey(shape) === key)
    if (unwanted && this.#slots.get(browser.id)?.state === 'warm') this.drain(browser, 'unwanted')
  }

  #bootFailed(id: BrowserId, key: string, error: unknown): void {
    const { clock } = this.#options
    const { browserBootBackoffMs, browserBootBackoffMaxMs } = poolLimits
    this.#slots.delete(id)
    // A profile that cannot be read says nothing about other browsers.
    if (!(error instanceof ServiceError) || error.type === 'browser_start_failed') {
      this.#failedBoots++
      this.#counts.bootFailed()
      const pauseMs = backoffMs(this.#failedBoots, browserBootBackoffMs, browserBootBackoffMaxMs)
      this.#calmAtMs = clock.monotonic() + pauseMs
    }
    const waiting = this.#queue.inOrder().find((claimant) => claimant.shapeKey === key)
    if (waiting) this.#queue.refuse(waiting, startFailureError(error))
    this.#act()
  }

  #exited(browser: B, exit: BrowserExit): void {
    const state = this.#slots.get(browser.id)?.state
    if (state !== 'warm' && state !== 'claimed') return
    const { code, signal } = exit
    this.#counts.exited(exitCause(exit))
    this.#options.log.warn({ browser: browser.id, was: state, code, signal }, 'browser ended')
    this.#end(browser, { state: 'dead', exit })
    if (state === 'claimed') this.#options.onGone(browser, exit)
    this.#act()
  }

  /** Has no effect on a browser that is ending already. */
  #end(browser: B, next: Slot<B>): void {
    const state = this.#slots.get(browser.id)?.state
    if (state !== 'warm' && state !== 'claimed') return
    this.#slots.set(browser.id, next)
    this.#work(this.#tearDown(browser))
  }

  async #tearDown(browser: B): Promise<void> {
    // The caller's answer is sent first, because a dying browser uses the CPU for a moment.
    await sleep(this.#options.clock, 0)
    try {
      await browser.end()
    } catch (error) {
      // The sweep at the next start removes files that could not be removed now.
      this.#options.log.error({ browser: browser.id, err: error }, 'browser left files behind')
    }
    this.#slots.delete(browser.id)
  }

  #work(work: Promise<void>): void {
    this.#works.add(work)
    void work.finally(() => this.#works.delete(work))
  }

  /** A claimant within the limit has a browser booting and keeps waiting; others time out. */
  #overdue(claimant: QueuedClaim<B>): void {
    const beyond = this.#queue.place(claimant) - this.#room()
    if (beyond > 0) this.#refuse(claimant, this.#refusal('queue_timeout', beyond))
  }

  /** Claimants behind it may be within the limit now. */
  #refuse(claimant: QueuedClaim<B>, why: ServiceError): void {
    this.#queue.refuse(claimant, why)
    this.#act()
  }

  /** Each refusal is counted, and given to one claimant. */
  #refusal(type: ClaimRefusal, position: number): ServiceError {
    this.#counts.refused(type)
    const why = type === 'queue_full' ? 'the queue is full' : 'none became free in time'
    return new ServiceError(type, `All browsers are in use and ${why}; try again later.`, {
      current: this.#count('claimed'),
      limit: this.#options.sessionsMax,
      position,
      retry_after_seconds: poolLimits.claimRetryAfterSeconds,
    })
  }

  #room(): number {
    const { sessionsMax } = this.#options
    return freeCapacity({ sessionsMax, claimed: this.#count('claimed') })
  }

  #count(state: Slot<B>['state']): number {
    let count = 0
    for (const slot of this.#slots.values()) if (slot.state === state) count++
    return count
  }

  #actWhenCalm(): void {
    const { clock } = this.#options
    this.#calmTimer?.cancel()
    const waitMs = Math.max(1, this.#calmAtMs - clock.monotonic())
    this.#calmTimer = clock.timer(waitMs, () => this.#act())
  }

  #armCheck(): void {
    this.#checkTimer = this.#options.clock.timer(poolLimits.browserCheckMs, () => {
      void this.#checkWarm().finally(() => this.#isStopped || this.#armCheck())
    })
  }

  /**
   * Replaces warm browsers that do not answer, and browsers that are too old, the latter one per
   * round so that the pool stays full.
   */
  async #checkWarm(): Promise<void> {
    const nowMs = this.#options.clock.monotonic()
    const warm = [...this.#slots.values()].filter((slot) => slot.state === 'warm')
    const stale = warm.find(({ sinceMs }) => nowMs - sinceMs > poolLimits.browserStaleMs)
    if (stale) this.drain(stale.browser, 'stale')
    await Promise.all(
      warm.map(async ({ browser }) => {
        try {
          await browser.check()
        } catch (error) {
          if (this.#slots.get(browser.id)?.state !== 'warm') return
          this.#options.log.warn({ browser: browser.id, err: error }, 'browser does not answer')
          this.drain(browser, 'silent')
        }
      }),
    )
  }
}

function startFailureError(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  return new ServiceError('browser_start_failed', 'The browser did not start.', {}, cause)
}

const shuttingDownError = () => new ServiceError('draining', 'This host is shutting down.')
const gaveUpError = () =>
  new ServiceError('session_ended', 'The session ended before it got a browser.')
