/** The actor kind of needs: machine, answers, view and effects. */
import { needActor } from '../../../proto/access/need.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import type { CitingDeps } from '../common/citing.ts'
import { admit } from './admit.ts'
import { needEffects, type NeedEffects } from './effects.ts'
import { needMachine } from './machine.ts'
import { needRehearsal } from './rehearsal.ts'
import { needView, type NeedSnapshot } from './view.ts'

const shown = (snapshot: NeedSnapshot) => ({ view: needView(snapshot) })

export function needKind(deps: CitingDeps): AnyActorKind {
  return actorKind<NeedEffects>()({
    protocol: needActor,
    machine: needMachine,
    admit,
    view: needView,
    answers: {
      created: shown,
      get: shown,
      update: shown,
      extend: shown,
      close: shown,
      cite: shown,
    },
    settled: () => true,
    dependencies: () => [],
    effects: needEffects(deps),
    rehearsal: needRehearsal,
  })
}
