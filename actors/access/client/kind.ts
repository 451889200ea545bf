/** The actor kind of clients: machine, answers, view and effects. */
import { clientActor } from '../../../proto/access/client.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import type { CitingDeps } from '../common/citing.ts'
import { admit } from './admit.ts'
import { clientEffects, type ClientEffects } from './effects.ts'
import { clientMachine } from './machine.ts'
import { clientRehearsal } from './rehearsal.ts'
import { clientView, type ClientSnapshot } from './view.ts'

const shown = (snapshot: ClientSnapshot) => ({ view: clientView(snapshot) })

export function clientKind(deps: CitingDeps): AnyActorKind {
  return actorKind<ClientEffects>()({
    protocol: clientActor,
    machine: clientMachine,
    admit,
    view: clientView,
    answers: {
      created: shown,
      get: shown,
      update: shown,
      activate: shown,
      suspend: shown,
      resume: shown,
      offboard: shown,
      close: shown,
      cite: shown,
      scope_confirmed: shown,
      scope_retired: shown,
      book: shown,
      unbook: shown,
    },
    settled: () => true,
    dependencies: () => [],
    effects: clientEffects(deps),
    rehearsal: clientRehearsal,
  })
}
