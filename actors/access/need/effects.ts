/** The effect of a need: it ends the grants that cite it. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { notifyGrants, type CitingDeps } from '../common/citations.ts'
import type { NeedContext, needMachine, NeedEffects } from './machine.ts'

type Handlers = EffectHandlers<NeedEffects, NeedContext, OutcomeOf<typeof needMachine>>

export const needEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => notifyGrants(deps, params, context),
})
