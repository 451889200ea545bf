/** The actor kind of sessions: machine, answers, view and effects. */
import { sessionActor } from '../../proto/session/session-protocol.ts'
import { actorKind, type AnyActorKind } from '../../runtime/actor/actor-kind.ts'
import { admitSession } from './admit.ts'
import { sessionQueries } from './queries.ts'
import { sessionEffects, type SessionEffectDeps } from './effects.ts'
import { isUnreachable, sessionMachine } from './machine.ts'
import { sealOptions } from './claiming/option-secrets.ts'
import { sessionRehearsal } from './rehearsal.ts'
import { sessionView } from './view.ts'
import type { SessionEffects } from './context.ts'

export function sessionKind(deps: SessionEffectDeps): AnyActorKind {
  return actorKind<SessionEffects>()({
    protocol: sessionActor,
    machine: sessionMachine,
    admit: admitSession,
    stored: (input) => sealOptions(deps.sealer, input),
    view: sessionView,
    queries: sessionQueries,
    settled: ({ value }) => !['requested', 'claiming', 'ending'].includes(value),
    dependencies: ({ value, context }) => {
      if (value !== 'active' && value !== 'ending') return []
      return context.claim ? [context.claim.incarnation, ...context.holders] : context.holders
    },
    knownSilent: ({ context }) =>
      context.claim && isUnreachable(context) ? [context.claim.incarnation] : [],
    effects: sessionEffects(deps),
    // A node agent asks for each session whether it exists.
    speculative: ['claim'],
    rehearsal: sessionRehearsal,
    trimsLog: true,
  })
}
