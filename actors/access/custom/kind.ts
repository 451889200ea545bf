/** The actor kind of custom access. It has no effects. */
import { customActor } from '../../../proto/access/custom.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import { admit } from './admit.ts'
import { customMachine } from './machine.ts'
import { customRehearsal } from './rehearsal.ts'
import { customView, type CustomSnapshot } from './view.ts'

const shown = (snapshot: CustomSnapshot) => ({ view: customView(snapshot) })

export function customKind(): AnyActorKind {
  return actorKind<Record<never, never>>()({
    protocol: customActor,
    machine: customMachine,
    admit,
    view: customView,
    answers: { created: shown, get: shown, define: shown, retire: shown },
    settled: () => true,
    dependencies: () => [],
    effects: {},
    rehearsal: customRehearsal,
  })
}
