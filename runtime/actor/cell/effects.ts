/**
 * Runs the effects of one actor. A refusal (a ServiceError that a retry cannot change) is reported
 * to the machine at once; other failures are retried with backoff, and if that does not help, the
 * cell is asked to restart.
 */
import type { ActorMessage } from '../../../proto/envelope.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { ActorContext, AnyActorKind } from '../actor-kind.ts'
import { backoffMs, sleep, type Clock } from '../../lib/clock.ts'
import type { PendingEffect } from '../log.ts'
import type { Speculation } from './speculation.ts'

export interface EffectOutcomes {
  /** The effect has succeeded; `event` goes to the machine, if there is one. */
  done(effect: PendingEffect, event: ActorMessage | undefined): void
  /** It was refused, and a retry would not help. */
  refused(effect: PendingEffect, error: unknown): void
  /** Every attempt has failed. */
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
  /** Checked before every start: nothing runs without a valid lease. */
  readonly mayAct: () => boolean | Promise<boolean>
  readonly outcomes: EffectOutcomes
  /** What has begun already. */
  readonly speculation?: Speculation | undefined
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

  /** Aborts an effect that is no longer wanted; its outcome is not reported. */
  abort(effectId: string): void {
    this.#running.get(effectId)?.abort()
  }

  /** Aborts all running effects; their outcomes are not reported. */
  stop(): void {
    this.#isStopped = true
    for (const abort of this.#running.values()) abort.abort()
  }

  async #run(effect: PendingEffect, signal: AbortSignal): Promise<void> {
    const { handlers, state, clock, random, mayAct, outcomes, actorId, epoch } = this.#options
    const { speculation } = this.#options
    // Repeating a `once` effect could act twice, so it has one attempt.
    const attempts = effect.retry === 'once' ? 1 : limits.effectAttempts
    for (let attempt = 1; !signal.aborted; attempt++) {
      // Only a doubt about the lease is waited for.
      const may = mayAct()
      if (!(may === true || (await may)) || signal.aborted) return
      try {
        const handler = handlers[effect.kind]
        if (!handler) throw new Error(`no handler for effect ${effect.kind}`)
        const { effectId, params } = effect
        const context = { effectId, attempt, epoch, actorId, state: state(), signal }
        const begun = attempt === 1 ? speculation?.take(effectId, signal) : undefined
        const event = await (begun ?? handler(params, context))
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
