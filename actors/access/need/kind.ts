/** The actor kind of needs: machine, answers, view and effects. */
import { needActor } from '../../../proto/access/engagement/need.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import type { CitingDeps } from '../common/citations.ts'
import { admitNeed } from './admit.ts'
import { needEffects } from './effects.ts'
import { needMachine, type NeedEffects } from './machine.ts'
import { needRehearsal } from './rehearsal.ts'
import { needView, type NeedSnapshot } from './view.ts'

const toReply = (snapshot: NeedSnapshot) => ({ view: needView(snapshot) })

export function needKind(deps: CitingDeps): AnyActorKind {
  return actorKind<NeedEffects>()({
    protocol: needActor,
    machine: needMachine,
    admit: admitNeed,
    view: needView,
    queries: {
      created: toReply,
      get: toReply,
      update: toReply,
      extend: toReply,
      close: toReply,
      cite: toReply,
    },
    settled: () => true,
    dependencies: () => [],
    effects: needEffects(deps),
    rehearsal: needRehearsal,
  })
}
