/** A task as the runtime knows actors: its machine, what it hears, its view and its effects. */
import type { SnapshotFrom } from 'xstate'
import { isTaskOver } from '../../proto/task.ts'
import type { ActorKind } from '../../runtime/actor-kind.ts'
import { publicState } from './context.ts'
import type { TaskEffectDeps } from './deps.ts'
import { taskEffects } from './effects.ts'
import { taskMachine } from './machine.ts'
import { admit, taskReply, taskView } from './view.ts'
import { wants } from './wanted.ts'

type Snapshot = SnapshotFrom<typeof taskMachine>

const words = ['session.turn', 'session.ended']
const commands = ['cancel', 'pause', 'resume', 'answer', ...words]

export function taskKind(deps: TaskEffectDeps): ActorKind {
  return {
    kind: 'task',
    machine: taskMachine,
    queries: new Set(['get']),
    commands: new Set(commands),
    admit: (snapshot, command) => admit(snapshot as Snapshot, command),
    view: (snapshot) => taskView(snapshot as Snapshot),
    reply: (snapshot) => taskReply(snapshot as Snapshot),
    settled: (snapshot, { type }) => {
      const { value, context } = snapshot as Snapshot
      return type === 'created' || isTaskOver(publicState(value, context))
    },
    // Of what it works in, its session's actor tells it.
    dependencies: () => [],
    wants: (snapshot, effect) => {
      const { value, context } = snapshot as Snapshot
      return wants(value, context, effect)
    },
    effects: taskEffects(deps),
  }
}
