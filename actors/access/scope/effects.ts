/**
 * The effects of a scope: it notifies its client when it comes into force and when it ends, and then
 * ends the grants that cite it.
 */
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { isNotFound } from '../../../proto/errors.ts'
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { asRetryable, notifyGrants, type CitingDeps } from '../common/citations.ts'
import type { ScopeContext, scopeMachine, NotifyClient, ScopeEffects } from './machine.ts'

type Outcome = OutcomeOf<typeof scopeMachine>
type Handlers = EffectHandlers<ScopeEffects, ScopeContext, Outcome>

export const scopeEffects = (deps: CitingDeps): Handlers => ({
  tell_grants: (params, context) => notifyGrants(deps, params, context),
  tell_client: (params, { state }) => notifyClient(deps, params, state),
})

async function notifyClient(
  { directory }: CitingDeps,
  { verb }: NotifyClient,
  { id: scopeId, tenant }: ScopeContext,
): Promise<Outcome> {
  try {
    await directory.ask(clientActor, tenant, { type: verb, scopeId })
  } catch (error) {
    // The client does not exist, so the scope allows nothing.
    if (!isNotFound(error)) throw asRetryable(error)
  }
  return { type: 'client_told' }
}
