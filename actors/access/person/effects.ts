/** The effect of a person: when removed, it ends their grants. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { notifyGrants, type CitingDeps, type NotifyGrants } from '../common/citations.ts'
import type { PersonContext, personMachine } from './machine.ts'

/** The effects of a person: name → parameters. */
export type PersonEffects = { readonly tell_grants: NotifyGrants }
type Handlers = EffectHandlers<PersonEffects, PersonContext, OutcomeOf<typeof personMachine>>

export const personEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => notifyGrants(deps, params, context),
})
