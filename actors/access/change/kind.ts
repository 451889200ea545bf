/** The actor kind of changes. */
import { changeActor } from '../../../proto/access/changes/change.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitChange } from './admit.ts'
import { changeQueries } from './queries.ts'
import { changeEffects } from './effects.ts'
import { changeMachine, type ChangeEffects } from './machine.ts'
import { changeRehearsal } from './rehearsal.ts'
import { changeView } from './view.ts'
import type { ChangeEffectDeps } from './deps.ts'

/** States in which the caller waits for a result. */
const busy: readonly string[] = ['checking', 'booking', 'applying']

export function changeKind(deps: ChangeEffectDeps): AnyActorKind {
  return actorKind<ChangeEffects>()({
    protocol: changeActor,
    machine: changeMachine,
    admit: admitChange,
    view: changeView,
    queries: changeQueries,
    settled: ({ value }) => !busy.includes(value),
    dependencies: () => [],
    effects: changeEffects(deps),
    rehearsal: changeRehearsal,
  })
}
