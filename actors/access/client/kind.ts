/** The actor kind of clients: machine, answers, view and effects. */
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitClient } from './admit.ts'
import { clientEffects } from './effects.ts'
import type { EngagementDeps } from './engagement.ts'
import { clientMachine, type ClientEffects } from './machine.ts'
import { clientRehearsal } from './rehearsal.ts'
import { clientView, type ClientSnapshot } from './view.ts'

const toReply = (snapshot: ClientSnapshot) => ({ view: clientView(snapshot) })

export function clientKind(deps: EngagementDeps): AnyActorKind {
  return actorKind<ClientEffects>()({
    protocol: clientActor,
    machine: clientMachine,
    admit: admitClient,
    view: clientView,
    queries: {
      created: toReply,
      get: toReply,
      update: toReply,
      activate: toReply,
      suspend: toReply,
      resume: toReply,
      offboard: toReply,
      close: toReply,
      cite: toReply,
      scope_confirmed: toReply,
      scope_retired: toReply,
      book: toReply,
      unbook: toReply,
    },
    settled: () => true,
    dependencies: () => [],
    effects: clientEffects(deps),
    rehearsal: clientRehearsal,
  })
}
