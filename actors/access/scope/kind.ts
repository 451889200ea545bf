/** The actor kind of scopes: machine, answers, view and effects. */
import { scopeActor } from '../../../proto/access/scope.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import type { CitingDeps } from '../common/citing.ts'
import { admit } from './admit.ts'
import { scopeEffects, type ScopeEffects } from './effects.ts'
import { scopeMachine } from './machine.ts'
import { scopeRehearsal } from './rehearsal.ts'
import { scopeView, type ScopeSnapshot } from './view.ts'

const shown = (snapshot: ScopeSnapshot) => ({ view: scopeView(snapshot) })

export function scopeKind(deps: CitingDeps): AnyActorKind {
  return actorKind<ScopeEffects>()({
    protocol: scopeActor,
    machine: scopeMachine,
    admit,
    view: scopeView,
    answers: {
      created: shown,
      get: shown,
      revise: shown,
      submit: shown,
      confirm: shown,
      return: shown,
      retire: shown,
      cite: shown,
    },
    settled: ({ context }) => !context.isClientUntold,
    dependencies: () => [],
    effects: scopeEffects(deps),
    rehearsal: scopeRehearsal,
  })
}
