/**
 * Reseals the secrets of webhook endpoints with this host's first key. Signatures stay the same.
 */
import { endpointActor, type EndpointView } from '../../proto/access/webhooks/endpoint.ts'
import {
  resealActors,
  type ResealActorsDeps,
  type ResealedActor,
} from '../accounts/seal/reseal-actors.ts'
import { resealEndpointSecrets } from './send/signing.ts'

export function resealEndpoints(deps: ResealActorsDeps): AsyncIterable<ResealedActor> {
  const { directory, sealer } = deps
  return resealActors<EndpointView>(deps, endpointActor.kind, async ({ id }) => {
    // Read from the actor, because a view may be a moment behind.
    const { view } = await directory.ask(endpointActor, id, { type: 'get' })
    const secrets = resealEndpointSecrets(view, sealer)
    if (secrets.length > 0) await directory.ask(endpointActor, id, { type: 'resealed', secrets })
    return secrets.length > 0
  })
}
