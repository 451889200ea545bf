/** The actor kind of webhook endpoints. */
import { endpointActor } from '../../../proto/access/endpoint.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import { admit } from './admit.ts'
import { endpointEffects, type EndpointEffectDeps, type EndpointEffects } from './effects.ts'
import { endpointMachine } from './machine.ts'
import { endpointRehearsal } from './rehearsal.ts'
import { endpointView, type EndpointSnapshot } from './view.ts'

const shown = (snapshot: EndpointSnapshot) => ({ view: endpointView(snapshot) })

export function endpointKind(deps: EndpointEffectDeps): AnyActorKind {
  return actorKind<EndpointEffects>()({
    protocol: endpointActor,
    machine: endpointMachine,
    admit,
    view: endpointView,
    answers: {
      created: shown,
      get: shown,
      update: shown,
      ping: shown,
      replay: shown,
      recover: shown,
      enable: shown,
      disable: shown,
      rotate: shown,
      remove: shown,
      verified: shown,
      delivery_succeeded: shown,
      delivery_failed: shown,
      gone: shown,
      grant_ended: shown,
      resealed: shown,
    },
    settled: () => true,
    dependencies: () => [],
    effects: endpointEffects(deps),
    rehearsal: endpointRehearsal,
  })
}
