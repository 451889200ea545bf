/** The actor kind of people: machine, answers, view and effects. */
import { personActor } from '../../../proto/access/person.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import type { CitingDeps } from '../common/citing.ts'
import { admit } from './admit.ts'
import { personEffects, type PersonEffects } from './effects.ts'
import { personMachine } from './machine.ts'
import { personRehearsal } from './rehearsal.ts'
import { personSecrets, personView, type PersonSnapshot } from './view.ts'

const shown = (snapshot: PersonSnapshot) => ({ view: personView(snapshot) })

export function personKind(deps: CitingDeps): AnyActorKind {
  return actorKind<PersonEffects>()({
    protocol: personActor,
    machine: personMachine,
    admit,
    view: personView,
    answers: {
      created: shown,
      get: shown,
      secrets: personSecrets,
      reinvite: shown,
      accept: shown,
      reset: shown,
      use_reset: shown,
      sign_in: shown,
      sign_in_failed: shown,
      step_up: shown,
      sign_out: shown,
      set_totp: shown,
      resealed: shown,
      add_passkey: shown,
      remove_passkey: shown,
      save_view: shown,
      drop_view: shown,
      set_password: shown,
      set_roles: shown,
      remove: shown,
      cite: shown,
    },
    settled: () => true,
    dependencies: () => [],
    effects: personEffects(deps),
    rehearsal: personRehearsal,
  })
}
