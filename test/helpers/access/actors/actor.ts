/** A governance entity without a runtime: admission, machine, view and answers of its kind. */
import type { AnyMachineSnapshot } from 'xstate'
import type { Author, StaffRole } from '../../../../proto/access/author.ts'
import type { ActorMessage } from '../../../../proto/envelope.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { AnyActorKind, EffectRequest } from '../../../../runtime/actor/actor-kind.ts'
import {
  startMachine,
  persistSnapshot,
  restoreSnapshot,
  stepMachine,
} from '../../../../runtime/actor/cell/machine.ts'
import type { Said } from '../../runtime/said.ts'

export const startMs = Date.UTC(2030, 0, 1)
export const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs
export const reason = 'because the contract says so'

export const staff = (id: string, ...roles: readonly StaffRole[]): Author => ({
  kind: 'staff',
  id: `usr_${id}`,
  roles,
})
export const ann = staff('ann', 'admin')
export const ben = staff('ben', 'admin')
export const single: Author = { ...ann, singleOperator: true }

export class PlayedActor {
  atMs = startMs
  readonly #kind: AnyActorKind
  #snapshot: AnyMachineSnapshot

  constructor(kind: AnyActorKind, input: object) {
    this.#kind = kind
    this.#snapshot = startMachine(kind.machine, { ...input, createdAtMs: startMs }).snapshot
  }

  /** Gives it a message or an event, a moment later; returns the effects that it asks for. */
  say(message: Said): readonly EffectRequest[] {
    this.atMs++
    if (Object.hasOwn(this.#kind.protocol.verbs, message.type)) this.#admit(message)
    const { machine } = this.#kind
    // Each step is stored and restored in the log's form, as after a take-over.
    const before = restoreSnapshot(
      machine,
      structuredClone(persistSnapshot(machine, this.#snapshot)),
    )
    const { snapshot, requested } = stepMachine(machine, before, { ...message, at: this.atMs })
    if (snapshot !== before) this.#snapshot = snapshot
    return requested
  }

  /** The error that it refuses the message with. */
  refusal(message: Said): { readonly type: string; readonly details: object } {
    try {
      this.say(message)
    } catch (error) {
      if (error instanceof ServiceError) return { type: error.type, details: error.details }
      throw error
    }
    throw new Error(`${message.type} was admitted`)
  }

  answer(message: ActorMessage): unknown {
    return this.#kind.queries[message.type]!(this.#snapshot, message, { epoch: 1 })
  }

  view(): Readonly<Record<string, unknown>> {
    return { ...this.#kind.view(this.#snapshot) }
  }

  isSettled(): boolean {
    return this.#kind.settled(this.#snapshot, { type: 'get' })
  }

  #admit(message: Said): void {
    this.#kind.admit(this.#snapshot, message, this.atMs)
  }
}

export const kindsOf = (effects: readonly EffectRequest[]) => effects.map(({ kind }) => kind)
