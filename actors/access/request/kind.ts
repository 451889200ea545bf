/** The actor kind of access requests. */
import { requestActor } from '../../../proto/access/grants/request.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitRequest } from './admit.ts'
import { requestQueries } from './queries.ts'
import { requestEffects, type RequestEffectDeps } from './effects.ts'
import { requestMachine, type RequestEffects } from './machine.ts'
import { requestRehearsal } from './rehearsal.ts'
import { requestView } from './view.ts'

export function requestKind(deps: RequestEffectDeps): AnyActorKind {
  return actorKind<RequestEffects>()({
    protocol: requestActor,
    machine: requestMachine,
    admit: admitRequest,
    view: requestView,
    queries: requestQueries,
    settled: ({ value }) => value !== 'checking' && value !== 'approved',
    dependencies: () => [],
    effects: requestEffects(deps),
    rehearsal: requestRehearsal,
  })
}
