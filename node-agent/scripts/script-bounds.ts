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
  #look: Timer | undefined
  #isOver = false
  #hasBegun = false
  #reject: (error: ServiceError) => void = () => undefined

  constructor(page: ScriptPage, log: ScriptLog, clock: Clock) {
    this.#clock = clock
    this.#page = page
    this.#log = log
    this.broken = new Promise((_, reject) => (this.#reject = reject))
    // It may come before anybody waits for it.
    this.broken.catch(() => undefined)
    this.#timer = this.#limitTo(scriptLimits.scriptOpenMs)
    page.on('Inspector.targetCrashed', () => this.end('its page has crashed'))
    this.#lookAgain()
  }

  /** From here on the time is the script's own; later calls have no effect. */
  begun(timeoutMs: number): void {
    if (this.#hasBegun || this.#isOver) return
    this.#hasBegun = true
    this.#timer.cancel()
    this.#timer = this.#limitTo(timeoutMs)
  }

  end(why: string): void {
    this.#reject(failure(`The script was ended: ${why}.`, this.#log.lines))
  }

  stop(): void {
    this.#isOver = true
    this.#timer.cancel()
    this.#look?.cancel()
  }

  #limitTo(ms: number): Timer {
    return this.#clock.timer(ms, () => this.end(`it took more than ${ms} ms`))
  }

  #lookAgain(): void {
    if (this.#isOver) return
    this.#look = this.#clock.timer(scriptLimits.heapLookMs, () => void this.#lookAtHeap())
  }

  /**
   * A busy script answers the first alone, which does not count the contents of buffers. Either
   * fails when the page is gone, which others notice.
   */
  async #lookAtHeap(): Promise<void> {
    const timeoutMs = scriptLimits.heapLookMs
    const metrics = this.#page.call('Performance.getMetrics', {}, timeoutMs).then(({ metrics }) => {
      this.#used(metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0)
    })
    const usage = this.#page.call('Runtime.getHeapUsage', {}, timeoutMs).then((heap) => {
      this.#used(heap.usedSize + heap.backingStorageSize)
    })
    await Promise.allSettled([metrics, usage])
    this.#lookAgain()
  }

  #used(bytes: number): void {
    const { heapBytes } = scriptLimits
    if (bytes > heapBytes) this.end(`it used more than ${heapBytes / MiB} MiB of memory`)
  }
}
