/**
 * The connection between one process and the broker, for store and bus alike. It delays, loses and
 * can be cut; bytes that a process had sent when it froze may stay in its buffers until it runs
 * again.
 */
import type { Random } from './random.ts'
import type { SimProcess } from './clock.ts'

export interface LinkFaults {
  readonly delayMs: readonly [low: number, high: number]
  /** Probability that a message takes up to `slowMs` instead. */
  readonly slow: number
  readonly slowMs: number
  /** Probability that a message never arrives. */
  readonly lost: number
}

export const calm: LinkFaults = { delayMs: [0.1, 1], slow: 0, slowMs: 0, lost: 0 }

export type Service = 'store' | 'bus'

export class SimLink {
  readonly process: SimProcess
  readonly random: Random
  faults: LinkFaults
  readonly #cut = new Set<Service>()
  /** Since when the broker has received nothing, and how long it takes to notice. */
  #silent: { sinceMs: number; noticedAfterMs: number } | undefined

  constructor(process: SimProcess, random: Random, faults: LinkFaults = calm) {
    this.process = process
    this.random = random
    this.faults = faults
  }

  cut(service: Service): void {
    this.#cut.add(service)
  }

  mend(): void {
    this.#cut.clear()
    this.#silent = undefined
  }

  isCut(service: Service): boolean {
    return this.#cut.has(service)
  }

  /**
   * From now on the broker receives nothing: it drops the connection and its subscriptions when it
   * notices.
   */
  fallSilent(noticedAfterMs: number): void {
    this.#silent ??= { sinceMs: this.process.timeline.nowMs, noticedAfterMs }
  }

  get isConnected(): boolean {
    if (this.#silent === undefined) return true
    return this.process.timeline.nowMs - this.#silent.sinceMs < this.#silent.noticedAfterMs
  }

  /**
   * Towards the broker. A message may arrive long after the sender has given up, frozen or died.
   */
  send(service: Service, arrive: () => void): void {
    const { process, random } = this
    const { timeline } = process
    if (random.chance(this.faults.lost)) return
    const leavesWithProcess = random.chance(0.5)
    const land = () => {
      if (!this.#cut.has(service)) arrive()
    }
    timeline.after(this.delayMs(), () => {
      if (process.state === 'running' || !leavesWithProcess) land()
      else process.enter(() => timeline.after(this.delayMs(), land))
    })
  }

  /** Towards the process. */
  receive(service: Service, arrive: () => void): void {
    if (this.random.chance(this.faults.lost)) return
    this.process.timeline.after(this.delayMs(), () => {
      if (!this.#cut.has(service)) this.process.enter(arrive)
    })
  }

  delayMs(): number {
    const { delayMs, slow, slowMs } = this.faults
    if (slow > 0 && this.random.chance(slow)) return this.random.between(delayMs[1], slowMs)
    return this.random.between(...delayMs)
  }
}
