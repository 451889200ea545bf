/**
 * The effects of one actor: the outcome of each becomes an event for its machine. If an effect
 * keeps failing, all effects are restarted; after a bound, the failure is reported to the machine.
 */
import type { ActorMessage } from '../../../proto/envelope.ts'
import { toWireError } from '../../../proto/errors.ts'
import type { RuntimeEvent } from '../actor-kind.ts'
import { backoffMs, sleep } from '../../lib/clock.ts'
import { EffectRunner, type EffectRunnerOptions } from './effects.ts'
import { EntryTooLarge, type PendingEffect } from '../log.ts'
import type { Mailbox } from './mailbox.ts'
import { actorLimits } from '../limits.ts'

export interface CellEffectsOptions {
  readonly runner: Omit<EffectRunnerOptions, 'outcomes'>
  readonly turns: Mailbox
  /** Applies an event to the machine; called within the cell's mailbox. */
  readonly apply: (event: ActorMessage) => Promise<void>
  /** Effects without a result yet. */
  readonly pending: () => readonly PendingEffect[]
  /** Aborts when the cell stops. */
  readonly signal: AbortSignal
  readonly warn: (error: unknown, message: string) => void
}

export class CellEffects {
  readonly #options: CellEffectsOptions
  /** Restarts by effect id. */
  readonly #restarts = new Map<string, number>()
  #runner: EffectRunner

  constructor(options: CellEffectsOptions) {
    this.#options = options
    this.#runner = this.#newRunner()
  }

  start(effect: PendingEffect): void {
    this.#runner.start(effect)
  }

  /** Aborts an effect that is no longer wanted. */
  drop({ effectId }: PendingEffect): void {
    this.#restarts.delete(effectId)
    this.#runner.abort(effectId)
  }

  /**
   * Continues after the last owner stopped: starts `safe` effects again and reports `once` effects
   * as unknown.
   */
  resume(interrupted: readonly PendingEffect[]): void {
    for (const effect of interrupted) {
      if (effect.retry === 'safe') this.#runner.start(effect)
      else {
        const { effectId, kind } = effect
        this.#deliver({ type: 'effect.unknown', effectId, kind })
      }
    }
  }

  stop(): void {
    this.#runner.stop()
  }

  #newRunner(): EffectRunner {
    return new EffectRunner({
      ...this.#options.runner,
      outcomes: {
        done: (effect, event) => this.#done(effect, event),
        refused: (effect, error) => this.#failed(effect, error),
        exhausted: (effect, error) => void this.#restart(effect, error),
      },
    })
  }

  #done(effect: PendingEffect, event: ActorMessage | undefined): void {
    const { turns, apply } = this.#options
    const { effectId } = effect
    this.#restarts.delete(effectId)
    const outcome = { ...(event ?? { type: 'effect.done' }), effectId }
    turns.tell(async () => {
      try {
        await apply(outcome)
      } catch (error) {
        if (!(error instanceof EntryTooLarge)) throw error
        this.#failed(effect, error)
      }
    })
  }

  #failed({ effectId, kind }: PendingEffect, error: unknown): void {
    this.#restarts.delete(effectId)
    this.#deliver({ type: 'effect.failed', effectId, kind, error: toWireError(error) })
  }

  async #restart(effect: PendingEffect, error: unknown): Promise<void> {
    const { turns, pending, signal, warn, runner } = this.#options
    const { effectId, kind, retry } = effect
    const restarts = (this.#restarts.get(effectId) ?? 0) + 1
    warn(error, `effect ${kind} keeps failing, restart ${restarts}`)
    if (retry === 'once' || restarts > actorLimits.cellRestarts) return this.#failed(effect, error)
    this.#restarts.set(effectId, restarts)
    this.#runner.stop()
    const { cellRestartMs, cellRestartMaxMs } = actorLimits
    const waitMs = backoffMs(restarts, cellRestartMs, cellRestartMaxMs, runner.random())
    await sleep(runner.clock, waitMs, signal)
    // Effects requested since the old runner stopped are pending too, so one resume starts all.
    turns.tell(async () => {
      this.#runner = this.#newRunner()
      this.resume(pending())
    })
  }

  #deliver(event: RuntimeEvent): void {
    const { turns, apply } = this.#options
    turns.tell(() => apply(event))
  }
}
