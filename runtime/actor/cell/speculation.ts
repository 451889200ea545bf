/**
 * Effects of a new actor that begin before its first entry is durable, because callers wait for
 * them. A kind lists those that leave nothing behind if the entry never lands: the process that
 * performs them must find out, and undo them.
 */
import type { ActorMessage } from '../../../proto/envelope.ts'
import type { AnyActorKind } from '../actor-kind.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { actorContextOf, effectIdOf } from './actor-state.ts'
import type { MachineStep } from './machine.ts'

type Outcome = Promise<ActorMessage | void>

export class Speculation {
  readonly #abort = new AbortController()
  /** By effect id. */
  readonly #begun = new Map<string, Outcome>()

  /** Begins them; `firstStep` is the one that the actor's first entry will record. */
  constructor(
    kind: AnyActorKind,
    { id, epoch }: Pick<Ownership, 'id' | 'epoch'>,
    firstStep: MachineStep,
  ) {
    const { signal } = this.#abort
    const state = actorContextOf(firstStep.snapshot)
    for (const [index, effect] of firstStep.requested.entries()) {
      if (!kind.speculative?.includes(effect.kind)) continue
      const effectId = effectIdOf(id, 1, index)
      const context = { effectId, attempt: 1, epoch, actorId: id, state, signal }
      const outcome = kind.effects[effect.kind]!(effect.params, context)
      // A failure is reported to the one that takes it.
      outcome.catch(() => {})
      this.#begun.set(effectId, outcome)
    }
  }

  /** What an effect that has begun comes to; `signal` aborts it from now on. */
  take(effectId: string, signal: AbortSignal): Outcome | undefined {
    const outcome = this.#begun.get(effectId)
    if (outcome) signal.addEventListener('abort', () => this.cancel(), { once: true })
    this.#begun.delete(effectId)
    return outcome
  }

  cancel(): void {
    this.#abort.abort()
  }
}
