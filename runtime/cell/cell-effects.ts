/**
 * The effects of one actor and what becomes of them: how each ends is an event for its machine. One
 * that keeps failing has all of them begun anew, and after a bound the machine is told.
 */
import type { ActorMessage } from '../../proto/envelope.ts'
import { toWireError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { RuntimeEvent } from '../actor-kind.ts'
import { backoffMs, sleep } from '../clock.ts'
import { EffectRunner, type EffectRunnerOptions } from './effects.ts'
import { EntryTooLarge, type PendingEffect } from '../log.ts'
import type { Turns } from './turns.ts'

export interface CellEffectsOptions {
  readonly runner: Omit<EffectRunnerOptions, 'outcomes'>
  readonly turns: Turns
  /** The machine's step for an event, in the cell's turn. */
  readonly apply: (event: ActorMessage) => Promise<void>
  /** Those that have no result yet. */
  readonly pending: () => readonly PendingEffect[]
  /** Aborts when the cell stops. */
  readonly signal: AbortSignal
  readonly warn: (error: unknown, message: string) => void
}

export class CellEffects {
  readonly #options: CellEffectsOptions
  /** How often each effect has had all of them begun anew. */
  readonly #restarts = new Map<string, number>()
  #runner: EffectRunner

  constructor(options: CellEffectsOptions) {
    this.#options = options
    this.#runner = this.#newRunner()
  }

  start(effect: PendingEffect): void {
    this.#runner.start(effect)
  }

  /** Ends one that has lost its purpose. */
  drop({ effectId }: PendingEffect): void {
    this.#restarts.delete(effectId)
    this.#runner.abort(effectId)
  }

  /** Picks up what was under way when the last owner stopped: `safe` again, `once` as not known. */
  resume(interrupted: readonly PendingEffect[]): void {
    for (const effect of interrupted) {
      if (effect.retry === 'safe') this.#runner.start(effect)
      else {
        const { effectId, kind } = effect
        this.#tell({ type: 'effect.unknown', effectId, kind })
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
    this.#tell({ type: 'effect.failed', effectId, kind, error: toWireError(error) })
  }

  async #restart(effect: PendingEffect, error: unknown): Promise<void> {
    const { turns, pending, signal, warn, runner } = this.#options
    const { effectId, kind, retry } = effect
    const restarts = (this.#restarts.get(effectId) ?? 0) + 1
    warn(error, `effect ${kind} keeps failing, restart ${restarts}`)
    if (retry === 'once' || restarts > limits.cellRestarts) return this.#failed(effect, error)
    this.#restarts.set(effectId, restarts)
    this.#runner.stop()
    const { cellRestartMs, cellRestartMaxMs } = limits
    const waitMs = backoffMs(restarts, cellRestartMs, cellRestartMaxMs, runner.random())
    await sleep(runner.clock, waitMs, signal)
    // What was asked for since the old runner stopped is pending too,
    // so one resume starts all of it.
    turns.tell(async () => {
      this.#runner = this.#newRunner()
      this.resume(pending())
    })
  }

  #tell(event: RuntimeEvent): void {
    const { turns, apply } = this.#options
    turns.tell(() => apply(event))
  }
}
