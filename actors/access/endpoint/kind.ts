/** The actor kind of webhook endpoints. */
import { endpointActor } from '../../../proto/access/webhooks/endpoint.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitEndpoint } from './admit.ts'
import { endpointEffects, type EndpointEffectDeps } from './effects.ts'
import { endpointMachine, type EndpointEffects } from './machine.ts'
import { endpointRehearsal } from './rehearsal.ts'
import { endpointView, type EndpointSnapshot } from './view.ts'

const toReply = (snapshot: EndpointSnapshot) => ({ view: endpointView(snapshot) })

export function endpointKind(deps: EndpointEffectDeps): AnyActorKind {
  return actorKind<EndpointEffects>()({
    protocol: endpointActor,
    machine: endpointMachine,
    admit: admitEndpoint,
    view: endpointView,
    queries: {
      created: toReply,
      get: toReply,
      update: toReply,
      ping: toReply,
      replay: toReply,
      recover: toReply,
      enable: toReply,
      disable: toReply,
      rotate: toReply,
      remove: toReply,
      verified: toReply,
      delivery_succeeded: toReply,
      delivery_failed: toReply,
      gone: toReply,
      grant_ended: toReply,
      resealed: toReply,
    },
    settled: () => true,
    dependencies: () => [],
    effects: endpointEffects(deps),
    rehearsal: endpointRehearsal,
  })
}
