/** The effect of a person: when removed, it ends their grants. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { notifyGrants, type CitingDeps } from '../common/citations.ts'
import type { personMachine, PersonEffects } from './machine.ts'
import type { PersonContext } from './context.ts'

type Handlers = EffectHandlers<PersonEffects, PersonContext, OutcomeOf<typeof personMachine>>

export const personEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => notifyGrants(deps, params, context),
})
