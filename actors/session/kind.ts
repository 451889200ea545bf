import type { SnapshotFrom } from 'xstate'
import type { ActorKind } from '../../runtime/actor-kind.ts'
import { sessionEffects, type SessionEffectDeps } from './effects.ts'
import { sessionMachine } from './machine.ts'
import { admit, sessionReply, sessionView } from './view.ts'

type Snapshot = SnapshotFrom<typeof sessionMachine>

const queries = ['get', 'browser.report']
const commands = [
  'attach',
  'disconnected',
  'end',
  'tag',
  'browser.gone',
  'task.enter',
  'task.leave',
]

export function sessionKind(deps: SessionEffectDeps): ActorKind {
  return {
    kind: 'session',
    machine: sessionMachine,
    queries: new Set(queries),
    commands: new Set(commands),
    admit: (snapshot, command) => admit(snapshot as Snapshot, command),
    view: (snapshot) => sessionView(snapshot as Snapshot),
    reply: (snapshot, command, context) => sessionReply(snapshot as Snapshot, command, context),
    settled: (snapshot) =>
      !['requested', 'claiming', 'ending'].includes((snapshot as Snapshot).value),
    dependencies: (snapshot) => {
      const { value, context } = snapshot as Snapshot
      if (value !== 'active' && value !== 'ending') return []
      return context.claim ? [context.claim.incarnation, ...context.holders] : context.holders
    },
    effects: sessionEffects(deps),
  }
}
