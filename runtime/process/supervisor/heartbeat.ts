/**
 * Notices that a child runs but no longer answers: stopped, or busy for good. Questions are counted,
 * not seconds, so a supervisor that itself stood still blames nobody.
 */
import type { ChildProcess } from 'node:child_process'
import type { Clock, Timer } from '../../lib/clock.ts'
import { processLimits } from '../limits.ts'

/** The question to a child, and its answer. */
export interface HeartbeatMessage {
  readonly type: 'heartbeat'
}

export const isHeartbeat = (message: unknown): message is HeartbeatMessage =>
  (message as Partial<HeartbeatMessage> | null)?.type === 'heartbeat'

export interface HeartbeatOptions {
  readonly child: Pick<ChildProcess, 'send' | 'connected'>
  readonly clock: Clock
  /** Questions in a row without an answer. */
  readonly missesMax: number
  readonly onHung: () => void
}

export class Heartbeat {
  readonly #options: HeartbeatOptions
  #missed = 0
  #timer: Timer | undefined

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#ask()
  }

  answered(): void {
    this.#missed = 0
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #ask(): void {
    const { child, clock, missesMax, onHung } = this.#options
    if (this.#missed >= missesMax) return onHung()
    this.#missed++
    // A question that cannot be sent is followed by the end of the child.
    if (child.connected)
      child.send({ type: 'heartbeat' } satisfies HeartbeatMessage, () => undefined)
    this.#timer = clock.timer(processLimits.heartbeatMs, () => this.#ask())
  }
}
