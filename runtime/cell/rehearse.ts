/**
 * Runs the machines of a host through a made-up life, again and again, before it takes real actors:
 * the engine compiles what it has seen often, and the first sessions of a process would otherwise
 * be served by the interpreter.
 */
import { encode } from '../../proto/codec.ts'
import { limits } from '../../proto/limits.ts'
import type { AnyActorKind } from '../actor-kind.ts'
import type { Clock } from '../clock.ts'
import { begin, persist, restore, step } from './machine.ts'

/**
 * Ends after `rehearsalRounds` lives of each kind, or `rehearsalMs` for all of them together. Gives
 * the event loop away every `rehearsalTurnMs`: the lease of this process is renewed meanwhile.
 */
export async function rehearse(kinds: readonly AnyActorKind[], clock: Clock): Promise<void> {
  const untilMs = clock.monotonic() + limits.rehearsalMs
  let turnEndsMs = clock.monotonic() + limits.rehearsalTurnMs
  for (let round = 0; round < limits.rehearsalRounds; round++) {
    for (const kind of kinds) {
      live(kind)
      const nowMs = clock.monotonic()
      if (nowMs > untilMs) return
      if (nowMs < turnEndsMs) continue
      await new Promise(setImmediate)
      turnEndsMs = clock.monotonic() + limits.rehearsalTurnMs
    }
  }
}

/** Throws when the made-up life does not fit the machine. */
function live({ machine, rehearsal, view }: AnyActorKind): void {
  let { snapshot } = begin(machine, rehearsal.input)
  for (const event of rehearsal.events) {
    snapshot = step(machine, snapshot, { ...event, at: 1 }).snapshot
    encode({ snapshot: persist(machine, snapshot), view: view(snapshot) })
  }
  restore(machine, persist(machine, snapshot))
}
