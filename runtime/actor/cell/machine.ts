/**
 * XState as a pure function: an event yields the next snapshot and the requested effects, and
 * nothing is executed. A live XState actor would run its effects before anything is durable.
 */
import {
  createActor,
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import type { ActorMessage } from '../../../proto/envelope.ts'
import { effectAction, type AnyActorKind, type EffectRequest } from '../actor-kind.ts'

export interface MachineStep {
  readonly snapshot: AnyMachineSnapshot
  readonly requested: readonly EffectRequest[]
}

/** Throws a ServiceError if the kind refuses the input. */
export function firstStepOf({ machine, stored }: AnyActorKind, input: unknown): MachineStep {
  return startMachine(machine, stored ? stored(input) : input)
}

export function startMachine(machine: AnyStateMachine, input: unknown): MachineStep {
  return stepOf(initialTransition(machine, input))
}

/** If the machine ignores the event, the result is the identical snapshot. */
export function stepMachine(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: ActorMessage & { readonly at: number },
): MachineStep {
  return stepOf(transition(machine, snapshot, event))
}

/** Returns plain data for the log. */
export function persistSnapshot(machine: AnyStateMachine, snapshot: AnyMachineSnapshot): unknown {
  return machine.getPersistedSnapshot(snapshot)
}

/** Restores a snapshot without side effects: the actor created here is never started. */
export function restoreSnapshot(machine: AnyStateMachine, persisted: unknown): AnyMachineSnapshot {
  const options = { snapshot: persisted as never }
  return createActor(machine, options).getSnapshot() as AnyMachineSnapshot
}

type Action = { readonly type: string; readonly params: unknown }

function stepOf([snapshot, actions]: readonly [
  AnyMachineSnapshot,
  readonly Action[],
]): MachineStep {
  if (snapshot.status === 'error') throw snapshot.error
  const requested = actions
    .filter((action) => action.type === effectAction)
    .map((action) => action.params as EffectRequest)
  return { snapshot, requested }
}
