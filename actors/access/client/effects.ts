/** The effect of a client: when closed, it ends the grants that cite it. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor-kind.ts'
import { tellGrants, type CitingDeps, type TellGrants } from '../common/citing.ts'
import type { ClientContext, clientMachine } from './machine.ts'

/** The effects of a client: name → parameters. */
export type ClientEffects = { readonly tell_grants: TellGrants }
type Handlers = EffectHandlers<ClientEffects, ClientContext, OutcomeOf<typeof clientMachine>>

export const clientEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => tellGrants(deps, params, context),
})
