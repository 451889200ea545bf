/**
 * Runs the machines of a host through a simulated life many times before it takes real actors, so
 * that the JIT compiler has compiled them. Otherwise the first sessions of a process would run in
 * the interpreter.
 */
import { encode } from '../../../proto/codec.ts'
import type { AnyActorKind } from '../actor-kind.ts'
import type { Clock } from '../../lib/clock.ts'
import { startMachine, persistSnapshot, restoreSnapshot, stepMachine } from './machine.ts'
import { actorLimits } from '../limits.ts'

/**
 * Ends after `rehearsalRounds` lives of each kind, or `rehearsalMs` in total. Yields to the event
 * loop every `rehearsalTurnMs`, so that the process renews its lease meanwhile.
 */
export async function rehearseKinds(kinds: readonly AnyActorKind[], clock: Clock): Promise<void> {
  const untilMs = clock.monotonic() + actorLimits.rehearsalMs
  let turnEndsMs = clock.monotonic() + actorLimits.rehearsalTurnMs
  for (let round = 0; round < actorLimits.rehearsalRounds; round++) {
    for (const kind of kinds) {
      rehearseOnce(kind)
      const nowMs = clock.monotonic()
      if (nowMs > untilMs) return
      if (nowMs < turnEndsMs) continue
      await new Promise(setImmediate)
      turnEndsMs = clock.monotonic() + actorLimits.rehearsalTurnMs
    }
  }
}

/** Throws if the simulated life does not fit the machine. */
function rehearseOnce({ machine, rehearsal, view }: AnyActorKind): void {
  let { snapshot } = startMachine(machine, rehearsal.input)
  for (const event of rehearsal.events) {
    snapshot = stepMachine(machine, snapshot, { ...event, at: 1 }).snapshot
    encode({ snapshot: persistSnapshot(machine, snapshot), view: view(snapshot) })
  }
  restoreSnapshot(machine, persistSnapshot(machine, snapshot))
}
