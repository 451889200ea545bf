/**
 * The browsers of one agent. A browser is booted, kept warm, claimed once and drained; it never goes back. Claimants
 * stand in one line, first come first served; what happens next is decided in `pool-plan.ts`.
 */
import type { Logger } from 'pino'
import { ServiceError } from '../proto/errors.ts'
import type { BrowserLoad } from '../proto/host.ts'
import { newId, type BrowserId } from '../proto/ids.ts'
import { limits } from '../proto/limits.ts'
import { backoffMs, type Clock, type Timer } from '../runtime/clock.ts'
import type { BrowserExit } from './browser/browser.ts'
import { plainShape, shapeKey, type Shape } from './browser/shape.ts'
import { planPool, within } from './pool-plan.ts'

/** What a pool needs of a browser; the rest is between the browser and the session. */
export interface Pooled {
  readonly id: BrowserId
  readonly exited: Promise<BrowserExit>
  check(): Promise<void>
  end(): Promise<void>
}

type Slot<B extends Pooled> =
  | { readonly state: 'booting'; readonly shapeKey: string }
  | {
      readonly state: 'warm'
      readonly shapeKey: string
      readonly browser: B
      readonly sinceMs: number
    }
  | { readonly state: 'claimed'; readonly shapeKey: string; readonly browser: B }
  /** Being killed and swept away, because we said so. */
  | { readonly state: 'draining'; readonly why: string }
  /** Ended by itself; its folder is on its way out. */
  | { readonly state: 'dead'; readonly exit: BrowserExit }

interface Claimant<B extends Pooled> {
  readonly shape: Shape
  readonly shapeKey: string
  readonly resolve: (browser: B) => void
  readonly reject: (error: ServiceError) => void
  timer: Timer | undefined
}

export interface PoolOptions<B extends Pooled> {
  readonly boot: (id: BrowserId, shape: Shape) => Promise<B>
  readonly warmCount: number
  readonly sessionsMax: number
  readonly queueSize: number
  readonly bootsMax: number
  readonly clock: Clock
  readonly log: Logger
  /** The pool's level changed: what others know of it is out of date. */
  readonly onChange: () => void
  /** A claimed browser ended without being released. */
  readonly onGone: (browser: B, exit: BrowserExit) => void
}

export class Pool<B extends Pooled> {
  readonly #options: PoolOptions<B>
  readonly #slots = new Map<BrowserId, Slot<B>>()
  readonly #line: Claimant<B>[] = []
  readonly #kept: { readonly shapeKey: string; readonly count: number }
  readonly #endings = new Set<Promise<void>>()
  #calmAtMs = 0
  #failedBoots = 0
  #calmTimer: Timer | undefined
  #checkTimer: Timer | undefined
  #closed = false

  constructor(options: PoolOptions<B>) {
    this.#options = options
    this.#kept = {
      shapeKey: shapeKey(plainShape),
      count: Math.min(options.warmCount, options.sessionsMax),
    }
    this.#armCheck()
    this.#act()
  }

  /**
   * Resolves at once when a browser of that shape is warm. Otherwise the caller stands in line for at most `waitMs`, or is
   * refused when the line is full. An aborted caller leaves the line and is never handed a browser.
   */
  take(shape: Shape, options: { waitMs: number; signal: AbortSignal }): Promise<B> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closing())
      const claimant: Claimant<B> = {
        shape,
        shapeKey: shapeKey(shape),
        resolve,
        reject,
        timer: undefined,
      }
      const beyond = this.#line.length + 1 - within(this.#room())
      if (beyond > (options.waitMs > 0 ? this.#options.queueSize : 0)) {
        return reject(this.#refusal('queue_full', beyond))
      }
      this.#line.push(claimant)
      claimant.timer = this.#options.clock.timer(options.waitMs, () => this.#waitedEnough(claimant))
      options.signal.addEventListener('abort', () => this.#refuse(claimant, gaveUp()), {
        once: true,
      })
      this.#act()
    })
  }

  /** Returns at once; the browser is torn down after. */
  drain(browser: B, why: string): void {
    this.#drain(browser, why)
    this.#act()
  }

  load(): BrowserLoad {
    const claimed = this.#count('claimed')
    const warm = this.#count('warm')
    const booting = this.#count('booting')
    const { sessionsMax } = this.#options
    return {
      capacity: sessionsMax,
      warm,
      booting,
      claimed,
      queued: Math.max(0, this.#line.length - within(this.#room())),
      ready: !this.#closed && claimed < sessionsMax && (warm > 0 || this.#failedBoots === 0),
    }
  }

  /** From now on nobody is handed a browser, and none is booted. */
  shut(): void {
    this.#closed = true
    this.#calmTimer?.cancel()
    this.#checkTimer?.cancel()
    for (const claimant of [...this.#line]) this.#refuse(claimant, closing())
    this.#options.onChange()
  }

  /** Ends every browser and resolves when the last folder is gone. */
  async close(): Promise<void> {
    this.shut()
    for (const slot of [...this.#slots.values()]) {
      if (slot.state === 'warm' || slot.state === 'claimed') this.#drain(slot.browser, 'closing')
    }
    while (this.#endings.size > 0) await Promise.all(this.#endings)
  }

  #act(): void {
    if (this.#closed) return
    const warm: { id: BrowserId; shapeKey: string }[] = []
    const booting: string[] = []
    for (const [id, slot] of this.#slots) {
      if (slot.state === 'warm') warm.push({ id, shapeKey: slot.shapeKey })
      if (slot.state === 'booting') booting.push(slot.shapeKey)
    }
    const calm = this.#options.clock.monotonic() >= this.#calmAtMs
    const plan = planPool({
      line: this.#line,
      warm,
      booting,
      ...this.#room(),
      bootsMax: this.#options.bootsMax,
      kept: this.#kept,
      calm,
    })
    for (const { waiter, id } of plan.hand) this.#hand(waiter, id)
    for (const { shape } of plan.bootFor) this.#boot(shape)
    if (plan.refill) this.#boot(plainShape)
    if (!calm || plan.hand.length > 0) this.#armCalm()
    this.#options.onChange()
  }

  #hand(claimant: Claimant<B>, id: BrowserId): void {
    const slot = this.#slots.get(id)
    if (slot?.state !== 'warm') throw new Error(`browser ${id} is ${slot?.state ?? 'gone'}`)
    this.#leave(claimant)
    this.#slots.set(id, { state: 'claimed', shapeKey: slot.shapeKey, browser: slot.browser })
    this.#calmAtMs = this.#options.clock.monotonic() + limits.refillCalmMs
    claimant.resolve(slot.browser)
  }

  #boot(shape: Shape): void {
    const id = newId('brw')
    const key = shapeKey(shape)
    this.#slots.set(id, { state: 'booting', shapeKey: key })
    const begunMs = this.#options.clock.monotonic()
    const ending = this.#options.boot(id, shape).then(
      (browser) => this.#booted(browser, key, begunMs),
      (error: unknown) => this.#bootFailed(id, key, error),
    )
    this.#track(ending)
  }

  #booted(browser: B, key: string, begunMs: number): void {
    const nowMs = this.#options.clock.monotonic()
    const bootMs = Math.round(nowMs - begunMs)
    this.#options.log.debug({ browser: browser.id, shape: key, bootMs }, 'browser is warm')
    this.#failedBoots = 0
    this.#slots.set(browser.id, { state: 'warm', shapeKey: key, browser, sinceMs: nowMs })
    void browser.exited.then((exit) => this.#exited(browser, exit))
    if (this.#closed) this.#drain(browser, 'closing')
    this.#act()
    const slot = this.#slots.get(browser.id)
    // Whoever this one was booted for has left, and nobody else is likely to ask for its like.
    if (slot?.state === 'warm' && key !== this.#kept.shapeKey) this.#drain(browser, 'unwanted')
  }

  #bootFailed(id: BrowserId, key: string, error: unknown): void {
    this.#slots.delete(id)
    this.#failedBoots++
    const { clock } = this.#options
    const pauseMs = backoffMs(
      this.#failedBoots,
      limits.browserBootBackoffMs,
      limits.browserBootBackoffMaxMs,
    )
    this.#calmAtMs = clock.monotonic() + pauseMs
    const waiting = this.#line.find((claimant) => claimant.shapeKey === key)
    if (waiting) {
      const failed = new ServiceError('browser_start_failed', 'Chromium did not start.', {}, error)
      this.#refuse(waiting, error instanceof ServiceError ? error : failed)
    } else this.#act()
  }

  #exited(browser: B, exit: BrowserExit): void {
    const slot = this.#slots.get(browser.id)
    if (slot?.state !== 'warm' && slot?.state !== 'claimed') return
    const { code, signal } = exit
    this.#options.log.warn({ browser: browser.id, was: slot.state, code, signal }, 'browser ended')
    this.#end(browser, { state: 'dead', exit })
    if (slot.state === 'claimed') this.#options.onGone(browser, exit)
    this.#act()
  }

  #drain(browser: B, why: string): void {
    const slot = this.#slots.get(browser.id)
    if (slot?.state !== 'warm' && slot?.state !== 'claimed') return
    this.#end(browser, { state: 'draining', why })
  }

  #end(browser: B, slot: Slot<B>): void {
    this.#slots.set(browser.id, slot)
    const ending = browser.end().catch((error: unknown) => {
      // What could not be removed now is removed by the sweep of the next start.
      this.#options.log.error({ browser: browser.id, err: error }, 'browser left files behind')
    })
    this.#track(ending.then(() => void this.#slots.delete(browser.id)))
  }

  #track(ending: Promise<void>): void {
    this.#endings.add(ending)
    void ending.finally(() => this.#endings.delete(ending))
  }

  /** A claimant there is room for has a browser on its way and waits for that; others have waited in vain. */
  #waitedEnough(claimant: Claimant<B>): void {
    const place = this.#line.indexOf(claimant) + 1
    const beyond = place - within(this.#room())
    if (place === 0 || beyond <= 0) return
    this.#refuse(claimant, this.#refusal('queue_timeout', beyond))
  }

  /** Those behind may be within the limit now. */
  #refuse(claimant: Claimant<B>, error: ServiceError): void {
    this.#leave(claimant)
    claimant.reject(error)
    this.#act()
  }

  #leave(claimant: Claimant<B>): void {
    claimant.timer?.cancel()
    const at = this.#line.indexOf(claimant)
    if (at !== -1) this.#line.splice(at, 1)
  }

  #refusal(type: 'queue_full' | 'queue_timeout', position: number): ServiceError {
    const { claimed, sessionsMax } = this.#room()
    const message =
      type === 'queue_full'
        ? 'Every browser is taken and the line is full; try again later.'
        : 'No browser came free in time; try again later.'
    return new ServiceError(type, message, {
      current: claimed,
      limit: sessionsMax,
      position,
      retry_after_seconds: limits.claimRetryAfterSeconds,
    })
  }

  #room() {
    return { claimed: this.#count('claimed'), sessionsMax: this.#options.sessionsMax }
  }

  #count(state: Slot<B>['state']): number {
    let count = 0
    for (const slot of this.#slots.values()) if (slot.state === state) count++
    return count
  }

  #armCalm(): void {
    const { clock } = this.#options
    this.#calmTimer?.cancel()
    this.#calmTimer = clock.timer(this.#calmAtMs - clock.monotonic(), () => this.#act())
  }

  #armCheck(): void {
    this.#checkTimer = this.#options.clock.timer(limits.browserCheckMs, () => {
      void this.#checkWarm().finally(() => this.#closed || this.#armCheck())
    })
  }

  /** Replaces warm browsers that do not answer, and the oldest when it is stale: one a round, so the pool stays full. */
  async #checkWarm(): Promise<void> {
    const nowMs = this.#options.clock.monotonic()
    const warm = [...this.#slots.values()].filter((slot) => slot.state === 'warm')
    const stale = warm.find(({ sinceMs }) => nowMs - sinceMs > limits.browserStaleMs)
    if (stale) this.drain(stale.browser, 'stale')
    await Promise.all(
      warm.map(async ({ browser }) => {
        try {
          await browser.check()
        } catch (error) {
          if (this.#slots.get(browser.id)?.state !== 'warm') return
          this.#options.log.warn(
            { browser: browser.id, err: error },
            'warm browser does not answer',
          )
          this.drain(browser, 'silent')
        }
      }),
    )
  }
}

const closing = () => new ServiceError('draining', 'This host is shutting down.')
const gaveUp = () => new ServiceError('session_ended', 'The session ended before it had a browser.')
