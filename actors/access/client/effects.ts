/** The effects of a client: when closed, it ends the grants that cite it, its needs and scopes. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { notifyGrants } from '../common/citations.ts'
import { endEngagement, type EngagementDeps } from './engagement.ts'
import type { ClientContext, clientMachine, ClientEffects } from './machine.ts'

type Handlers = EffectHandlers<ClientEffects, ClientContext, OutcomeOf<typeof clientMachine>>

export const clientEffects = (deps: EngagementDeps): Handlers => ({
  tell_grants: (params, context) => notifyGrants(deps, params, context),
  end_engagement: (params, context) => endEngagement(deps, params, context),
})
