/** Every kind of actor the service knows. */
import type { ActorKind } from '../runtime/actor-kind.ts'
import type { SessionEffectDeps } from './session/effects.ts'
import { sessionKind } from './session/kind.ts'
import type { TaskEffectDeps } from './task/deps.ts'
import { taskKind } from './task/kind.ts'

export type ActorDeps = SessionEffectDeps & TaskEffectDeps

export function actorKinds(deps: ActorDeps): readonly ActorKind[] {
  return [sessionKind(deps), taskKind(deps)]
}
