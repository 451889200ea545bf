/** The actor kind of scopes: machine, answers, view and effects. */
import { scopeActor } from '../../../proto/access/engagement/scope.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import type { CitingDeps } from '../common/citations.ts'
import { admitScope } from './admit.ts'
import { scopeEffects } from './effects.ts'
import { scopeMachine, type ScopeEffects } from './machine.ts'
import { scopeRehearsal } from './rehearsal.ts'
import { scopeView, type ScopeSnapshot } from './view.ts'

const toReply = (snapshot: ScopeSnapshot) => ({ view: scopeView(snapshot) })

export function scopeKind(deps: CitingDeps): AnyActorKind {
  return actorKind<ScopeEffects>()({
    protocol: scopeActor,
    machine: scopeMachine,
    admit: admitScope,
    view: scopeView,
    queries: {
      created: toReply,
      get: toReply,
      revise: toReply,
      submit: toReply,
      confirm: toReply,
      return: toReply,
      retire: toReply,
      cite: toReply,
    },
    settled: ({ context }) => !context.isClientUntold,
    dependencies: () => [],
    effects: scopeEffects(deps),
    rehearsal: scopeRehearsal,
  })
}
