/**
 * Runs the effects an actor has committed to. A refusal (a ServiceError that no retry can change)
 * is told to the machine at once; anything else is tried again with backoff, and when that does not
 * help the cell is asked to restart.
 */
import type { Command } from '../proto/envelope.ts'
import { ServiceError, type ErrorType } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'
import type { EffectHandler } from './actor-kind.ts'
import { backoffMs, sleep, type Clock } from './clock.ts'
import type { PendingEffect } from './log.ts'

const retried: ReadonlySet<ErrorType> = new Set(['internal', 'unavailable', 'busy', 'timeout'])

export interface EffectOutcomes {
  /** The effect is done; `event` tells the machine, when there is something to tell. */
  done(effect: PendingEffect, event: Command | undefined): void
  /** It was refused: no retry would change that. */
  refused(effect: PendingEffect, error: unknown): void
  /** Every attempt failed. */
  exhausted(effect: PendingEffect, error: unknown): void
}

export interface EffectRunnerOptions {
  readonly actorId: string
  readonly epoch: number
  readonly handlers: Readonly<Record<string, EffectHandler>>
  readonly clock: Clock
  readonly random: () => number
  /** Asserted before every start: a lapsed lease does nothing. */
  readonly mayAct: () => boolean
  readonly outcomes: EffectOutcomes
}

export class EffectRunner {
  readonly #options: EffectRunnerOptions
  readonly #stop = new AbortController()

  constructor(options: EffectRunnerOptions) {
    this.#options = options
  }

  start(effect: PendingEffect): void {
    void this.#run(effect)
  }

  /** Aborts what runs; nothing is told afterwards. */
  stop(): void {
    this.#stop.abort()
  }

  async #run(effect: PendingEffect): Promise<void> {
    const { handlers, clock, random, mayAct, outcomes, actorId, epoch } = this.#options
    const { signal } = this.#stop
    // A repeat of a `once` effect could act twice: it has one attempt.
    const attempts = effect.retry === 'once' ? 1 : limits.effectAttempts
    for (let attempt = 1; !signal.aborted && mayAct(); attempt++) {
      try {
        const handler = handlers[effect.kind]
        if (!handler) throw new Error(`no handler for effect ${effect.kind}`)
        const context = { effectId: effect.effectId, attempt, epoch, actorId, signal }
        const event = await handler(effect.params as never, context)
        if (!signal.aborted) outcomes.done(effect, event ?? undefined)
        return
      } catch (error) {
        if (signal.aborted) return
        if (isRefusal(error)) return outcomes.refused(effect, error)
        if (attempt >= attempts) return outcomes.exhausted(effect, error)
      }
      const { effectBackoffMs, effectBackoffMaxMs } = limits
      const waitMs = backoffMs(attempt, effectBackoffMs, effectBackoffMaxMs, random())
      await sleep(clock, waitMs, signal)
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && !retried.has(error.type)
}
