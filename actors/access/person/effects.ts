/** The effect of a person: when removed, it ends their grants. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor-kind.ts'
import { tellGrants, type CitingDeps, type TellGrants } from '../common/citing.ts'
import type { PersonContext, personMachine } from './machine.ts'

/** The effects of a person: name → parameters. */
export type PersonEffects = { readonly tell_grants: TellGrants }
type Handlers = EffectHandlers<PersonEffects, PersonContext, OutcomeOf<typeof personMachine>>

export const personEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => tellGrants(deps, params, context),
})
