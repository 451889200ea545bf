/** Every kind of actor the service knows. */
import type { ActorKind } from '../runtime/actor-kind.ts'
import type { SessionEffectDeps } from './session/effects.ts'
import { sessionKind } from './session/kind.ts'

export function actorKinds(deps: SessionEffectDeps): readonly ActorKind[] {
  return [sessionKind(deps)]
}
