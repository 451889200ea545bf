/** The actor kind of custom access. It has no effects. */
import { customActor } from '../../../proto/access/changes/custom.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitCustom } from './admit.ts'
import { customMachine } from './machine.ts'
import { customRehearsal } from './rehearsal.ts'
import { customView, type CustomSnapshot } from './view.ts'

const toReply = (snapshot: CustomSnapshot) => ({ view: customView(snapshot) })

export function customKind(): AnyActorKind {
  return actorKind<Record<never, never>>()({
    protocol: customActor,
    machine: customMachine,
    admit: admitCustom,
    view: customView,
    queries: { created: toReply, get: toReply, define: toReply, retire: toReply },
    settled: () => true,
    dependencies: () => [],
    effects: {},
    rehearsal: customRehearsal,
  })
}
