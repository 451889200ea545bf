/**
 * Runs the effects an actor has committed to. A refusal (a ServiceError that no retry can change)
 * is told to the machine at once; anything else is tried again with backoff, and when that does not
 * help the cell is asked to restart.
 */
import type { ActorMessage } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { ActorContext, AnyActorKind } from '../actor-kind.ts'
import { backoffMs, sleep, type Clock } from '../clock.ts'
import type { PendingEffect } from '../log.ts'

export interface EffectOutcomes {
  /** The effect is done; `event` tells the machine, when there is something to tell. */
  done(effect: PendingEffect, event: ActorMessage | undefined): void
  /** It was refused: no retry would change that. */
  refused(effect: PendingEffect, error: unknown): void
  /** Every attempt failed. */
  exhausted(effect: PendingEffect, error: unknown): void
}

export interface EffectRunnerOptions {
  readonly actorId: string
  readonly epoch: number
  readonly handlers: AnyActorKind['effects']
  /** The machine's committed context. */
  readonly state: () => ActorContext
  readonly clock: Clock
  readonly random: () => number
  /** Asserted before every start: a lapsed lease does nothing. */
  readonly mayAct: () => boolean
  readonly outcomes: EffectOutcomes
}

export class EffectRunner {
  readonly #options: EffectRunnerOptions
  readonly #running = new Map<string, AbortController>()
  #isStopped = false

  constructor(options: EffectRunnerOptions) {
    this.#options = options
  }

  start(effect: PendingEffect): void {
    if (this.#isStopped) return
    const { effectId } = effect
    const abort = new AbortController()
    this.#running.set(effectId, abort)
    void this.#run(effect, abort.signal).finally(() => {
      if (this.#running.get(effectId) === abort) this.#running.delete(effectId)
    })
  }

  /** Aborts one that is not wanted any more; nothing of it is told afterwards. */
  abort(effectId: string): void {
    this.#running.get(effectId)?.abort()
  }

  /** Aborts what runs; nothing is told afterwards. */
  stop(): void {
    this.#isStopped = true
    for (const abort of this.#running.values()) abort.abort()
  }

  async #run(effect: PendingEffect, signal: AbortSignal): Promise<void> {
    const { handlers, state, clock, random, mayAct, outcomes, actorId, epoch } = this.#options
    // A repeat of a `once` effect could act twice: it has one attempt.
    const attempts = effect.retry === 'once' ? 1 : limits.effectAttempts
    for (let attempt = 1; !signal.aborted && mayAct(); attempt++) {
      try {
        const handler = handlers[effect.kind]
        if (!handler) throw new Error(`no handler for effect ${effect.kind}`)
        const { effectId, params } = effect
        const context = { effectId, attempt, epoch, actorId, state: state(), signal }
        const event = await handler(params, context)
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
  return error instanceof ServiceError && error.retry !== 'elsewhere'
}
