/** The effect of a need: it ends the grants that cite it. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor-kind.ts'
import { tellGrants, type CitingDeps, type TellGrants } from '../common/citing.ts'
import type { NeedContext, needMachine } from './machine.ts'

/** The effects of a need: name → parameters. */
export type NeedEffects = { readonly tell_grants: TellGrants }
type Handlers = EffectHandlers<NeedEffects, NeedContext, OutcomeOf<typeof needMachine>>

export const needEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => tellGrants(deps, params, context),
})
