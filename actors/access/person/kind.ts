/** The actor kind of people: machine, answers, view and effects. */
import { personActor } from '../../../proto/access/people/person.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import type { CitingDeps } from '../common/citations.ts'
import { admitPerson } from './admit.ts'
import { personEffects } from './effects.ts'
import { personMachine, type PersonEffects } from './machine.ts'
import { personRehearsal } from './rehearsal.ts'
import { personSecrets, personView, type PersonSnapshot } from './view.ts'

const toReply = (snapshot: PersonSnapshot) => ({ view: personView(snapshot) })

export function personKind(deps: CitingDeps): AnyActorKind {
  return actorKind<PersonEffects>()({
    protocol: personActor,
    machine: personMachine,
    admit: admitPerson,
    view: personView,
    queries: {
      created: toReply,
      get: toReply,
      secrets: personSecrets,
      reinvite: toReply,
      accept: toReply,
      reset: toReply,
      use_reset: toReply,
      sign_in: toReply,
      sign_in_failed: toReply,
      step_up: toReply,
      sign_out: toReply,
      set_totp: toReply,
      resealed: toReply,
      add_passkey: toReply,
      remove_passkey: toReply,
      save_view: toReply,
      drop_view: toReply,
      set_password: toReply,
      set_roles: toReply,
      confirm: toReply,
      propose_removal: toReply,
      withdraw_removal: toReply,
      remove: toReply,
      cite: toReply,
    },
    settled: () => true,
    dependencies: () => [],
    effects: personEffects(deps),
    rehearsal: personRehearsal,
  })
}
