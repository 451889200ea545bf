/** Ends a script that takes too long or too much memory, or whose page or socket is lost. */
import type { ServiceError } from '../../proto/errors.ts'
import { MiB } from '../../proto/units.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { failure } from './script-error.ts'
import type { ScriptLog } from './script-log.ts'
import type { ScriptPage } from './script-page.ts'
import { scriptLimits } from './limits.ts'

export class ScriptBounds {
  /** Rejects when the script has to end. */
  readonly broken: Promise<never>
  readonly #clock: Clock
  readonly #page: ScriptPage
  readonly #log: ScriptLog
  #timer: Timer
  #heapTimer: Timer | undefined
  #isOver = false
  #hasBegun = false
  #reject: (error: ServiceError) => void = () => undefined

  constructor(page: ScriptPage, log: ScriptLog, clock: Clock) {
    this.#clock = clock
    this.#page = page
    this.#log = log
    this.broken = new Promise((_, reject) => (this.#reject = reject))
    // It may reject before anything awaits it.
    this.broken.catch(() => undefined)
    this.#timer = this.#limitTo(scriptLimits.scriptOpenMs)
    page.on('Inspector.targetCrashed', () => this.end('its page has crashed'))
    this.#scheduleHeapCheck()
  }

  /** Starts the script's own time limit; later calls have no effect. */
  startTimeLimit(timeoutMs: number): void {
    if (this.#hasBegun || this.#isOver) return
    this.#hasBegun = true
    this.#timer.cancel()
    this.#timer = this.#limitTo(timeoutMs)
  }

  end(why: string): void {
    this.#reject(failure(`The script was stopped: ${why}.`, this.#log.lines))
  }

  stop(): void {
    this.#isOver = true
    this.#timer.cancel()
    this.#heapTimer?.cancel()
  }

  #limitTo(ms: number): Timer {
    return this.#clock.timer(ms, () => this.end(`it took more than ${ms} ms`))
  }

  #scheduleHeapCheck(): void {
    if (this.#isOver) return
    this.#heapTimer = this.#clock.timer(scriptLimits.heapLookMs, () => void this.#checkHeap())
  }

  /**
   * While the script is busy, only the first call is answered, which does not count buffers. Both
   * fail when the page is gone, which is detected elsewhere.
   */
  async #checkHeap(): Promise<void> {
    const timeoutMs = scriptLimits.heapLookMs
    const metrics = this.#page.call('Performance.getMetrics', {}, timeoutMs).then(({ metrics }) => {
      this.#used(metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0)
    })
    const usage = this.#page.call('Runtime.getHeapUsage', {}, timeoutMs).then((heap) => {
      this.#used(heap.usedSize + heap.backingStorageSize)
    })
    await Promise.allSettled([metrics, usage])
    this.#scheduleHeapCheck()
  }

  #used(bytes: number): void {
    const { heapBytes } = scriptLimits
    if (bytes > heapBytes) this.end(`it used more than ${heapBytes / MiB} MiB of memory`)
  }
}
