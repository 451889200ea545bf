/** The effect of a client: when closed, it ends the grants that cite it. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { notifyGrants, type CitingDeps } from '../common/citations.ts'
import type { ClientContext, clientMachine, ClientEffects } from './machine.ts'

type Handlers = EffectHandlers<ClientEffects, ClientContext, OutcomeOf<typeof clientMachine>>

export const clientEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => notifyGrants(deps, params, context),
})
