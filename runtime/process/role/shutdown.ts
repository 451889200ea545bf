/** Ends a process of the service: gracefully, or at once with a line that says why. */
import type { Logger } from 'pino'
import { limits } from '../../../proto/limits.ts'
import { exitCodes } from '../exit-codes.ts'
import type { ServiceManager } from '../service-manager.ts'

/** The ways a process ends: drained, fenced, orphaned, or by a fatal error. */
export class ProcessShutdown {
  readonly #log: Logger
  readonly #manager: ServiceManager
  readonly #drains: (() => Promise<void>)[] = []
  readonly #fences: (() => void)[] = []
  #announce: (() => Promise<void>) | undefined
  #last: (() => Promise<void>) | undefined
  #isEnding = false

  constructor(log: Logger, manager: ServiceManager) {
    this.#log = log
    this.#manager = manager
    process.on('SIGTERM', () => void this.#drain())
    process.on('SIGINT', () => void this.#drain())
    // Only the end of the supervisor closes this channel; its children must not outlive it.
    process.on('disconnect', () => this.fence('the supervisor is gone'))
    // The supervisor ends a process that no longer answers.
    if (process.send) process.on('message', (message) => process.send?.(message))
  }

  onDrain(work: () => Promise<void>, announce: () => Promise<void>): void {
    this.#drains.unshift(work)
    this.#announce = announce
  }

  onFence(work: () => void): void {
    this.#fences.push(work)
  }

  last(work: () => Promise<void>): void {
    this.#last = work
  }

  fence(reason: string): void {
    for (const work of this.#fences) work()
    this.#log.error({ reason }, 'fenced')
    process.exit(exitCodes.fenced)
  }

  fatal(reason: string): never {
    this.#log.fatal(reason)
    process.exit(exitCodes.failed)
  }

  async #drain(): Promise<void> {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#log.info('draining')
    this.#manager.stopping()
    const late = setTimeout(() => this.fatal('draining took too long'), limits.drainMs)
    late.unref()
    try {
      await this.#announce?.()
      for (const work of this.#drains) await work()
      await this.#last?.()
    } catch (error) {
      this.#log.warn({ err: error }, 'draining failed')
    }
    process.exit(exitCodes.ok)
  }
}
