/**
 * One virtual timeline for a whole world. The driver takes the earliest timer, runs it, and lets
 * every promise settle before the next one. Nothing else in the simulation waits, so a run depends
 * on its seed alone.
 */
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'

interface Scheduled {
  readonly atMs: number
  readonly order: number
  fire: (() => void) | undefined
}

/**
 * Resolves when every promise that can settle has. It uses a real turn of the event loop, so that
 * an unhandled rejection is as fatal here as in a real process.
 */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/**
 * Cancelled timers are dropped when this many have gathered: each renewal of a lease leaves one.
 */
const cancelledKept = 4_096

export class Timeline {
  /** A binary heap: the earliest first, then the one scheduled first. */
  #heap: Scheduled[] = []
  #cancelled = 0
  #order = 0
  #nowMs = 0

  get nowMs(): number {
    return this.#nowMs
  }

  after(ms: number, fire: () => void): Timer {
    const entry: Scheduled = { atMs: this.#nowMs + Math.max(0, ms), order: this.#order++, fire }
    this.#push(entry)
    return {
      cancel: () => {
        if (entry.fire === undefined) return
        entry.fire = undefined
        if (++this.#cancelled > cancelledKept) this.#compact()
      },
    }
  }

  /** Runs for the next `ms`. */
  async run(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await turn()
    for (let next; (next = this.#heap[0]) !== undefined && next.atMs <= endMs;) {
      this.#pop()
      const { fire } = next
      if (fire === undefined) {
        this.#cancelled--
        continue
      }
      this.#nowMs = next.atMs
      next.fire = undefined
      fire()
      await turn()
    }
    this.#nowMs = endMs
  }

  /** Runs until the promise settles, or throws when `withinMs` have passed. */
  async until<T>(promise: Promise<T>, withinMs: number): Promise<T> {
    let settled = false
    const mark = () => void (settled = true)
    promise.then(mark, mark)
    const endMs = this.#nowMs + withinMs
    await turn()
    while (!settled) {
      const next = this.#heap[0]
      if (next === undefined || next.atMs > endMs) throw new Error(`nothing within ${withinMs} ms`)
      await this.run(Math.max(0, next.atMs - this.#nowMs))
    }
    return promise
  }

  /** Runs until the condition holds, which is checked after every event. */
  async untilTrue(condition: () => boolean, withinMs: number, what: string): Promise<void> {
    const endMs = this.#nowMs + withinMs
    await turn()
    while (!condition()) {
      const next = this.#heap[0]
      if (next === undefined || next.atMs > endMs)
        throw new Error(`not within ${withinMs} ms: ${what}`)
      await this.run(Math.max(0, next.atMs - this.#nowMs))
    }
  }

  #compact(): void {
    const live = this.#heap.filter((entry) => entry.fire !== undefined)
    this.#heap = live.sort((a, b) => (isBefore(a, b) ? -1 : 1))
    this.#cancelled = 0
  }

  #push(entry: Scheduled): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = entry
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}

/** Sums of fractions of milliseconds are not exact. */
const timerToleranceMs = 1e-6

/** Wall-clock ms at the start of every world. */
export const worldBeginsAtMs = Date.UTC(2030, 0, 1)

/**
 * Time and state of one process. Everything that reaches the process (a timer, an answer, a
 * request) goes through `enter`, so a frozen process gets it late and a dead one never. The
 * monotonic clock keeps running while it is frozen, and stands still while it is suspended with its
 * machine.
 */
export class SimProcess {
  readonly name: string
  readonly clock: Clock
  readonly timeline: Timeline
  #state: 'running' | 'frozen' | 'dead' = 'running'
  #held: (() => void)[] = []
  #skewMs: number
  /** How long it was suspended until now. */
  #lostMs = 0
  #suspendedAtMs: number | undefined

  constructor(timeline: Timeline, name: string, skewMs = 0) {
    this.timeline = timeline
    this.name = name
    this.#skewMs = skewMs
    const startedAtMs = timeline.nowMs
    this.clock = {
      now: () => Math.floor(worldBeginsAtMs + timeline.nowMs + this.#skewMs),
      monotonic: () => (this.#suspendedAtMs ?? timeline.nowMs) - startedAtMs - this.#lostMs,
      timer: (ms, fire) => this.#timer(ms, fire),
    }
  }

  get state(): 'running' | 'frozen' | 'dead' {
    return this.#state
  }

  enter(arrival: () => void): void {
    if (this.#state === 'running') arrival()
    else if (this.#state === 'frozen') this.#held.push(arrival)
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen'
  }

  /** As `freeze`; its monotonic clock and its timers stand still too. */
  suspend(): void {
    if (this.#state !== 'running') return
    this.freeze()
    this.#suspendedAtMs = this.timeline.nowMs
  }

  /** Sets the wall clock: from now on it is off by so much. */
  setClock(skewMs: number): void {
    this.#skewMs = skewMs
  }

  /**
   * Delivers everything that arrived meanwhile, each in its own turn; `newestFirst` reverses the
   * order.
   */
  thaw(newestFirst = false): void {
    if (this.#state !== 'frozen') return
    this.#state = 'running'
    this.#lostMs += this.timeline.nowMs - (this.#suspendedAtMs ?? this.timeline.nowMs)
    this.#suspendedAtMs = undefined
    const held = newestFirst ? this.#held.reverse() : this.#held
    this.#held = []
    for (const arrival of held) this.timeline.after(0, () => this.enter(arrival))
  }

  kill(): void {
    this.#state = 'dead'
    this.#held = []
  }

  #timer(ms: number, fire: () => void): Timer {
    let cancelled = false
    const dueMs = this.clock.monotonic() + Math.max(0, ms)
    let timer: Timer
    const arm = (waitMs: number) => {
      // Once it runs again, a process may cancel a timer that fired while it was frozen.
      timer = this.timeline.after(waitMs, () => this.enter(() => cancelled || ring()))
    }
    const ring = () => {
      const leftMs = dueMs - this.clock.monotonic()
      if (leftMs > timerToleranceMs) arm(leftMs)
      else fire()
    }
    arm(ms)
    return {
      cancel: () => {
        cancelled = true
        timer.cancel()
      },
    }
  }
}
