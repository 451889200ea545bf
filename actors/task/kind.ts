/** The actor kind of tasks: machine, answers, view and effects. */
import { streams, subjects } from '../../proto/subjects.ts'
import { taskActor, type TaskReply } from '../../proto/task/task-protocol.ts'
import { isTaskOver } from '../../proto/task/task.ts'
import { actorKind, type AnyActorKind } from '../../runtime/actor/actor-kind.ts'
import { admitTask } from './machine/admit.ts'
import { publicState } from './state/context.ts'
import type { TaskEffectDeps } from './effects/deps.ts'
import { taskEffects } from './effects.ts'
import { taskMachine } from './machine/machine.ts'
import { taskRehearsal } from './machine/rehearsal.ts'
import { taskView, type TaskSnapshot } from './machine/view.ts'
import { isEffectWanted, type TaskEffects } from './machine/effect-requests.ts'

const toReply = (snapshot: TaskSnapshot): TaskReply => ({ view: taskView(snapshot) })

export function taskKind(deps: TaskEffectDeps): AnyActorKind {
  return actorKind<TaskEffects>()({
    protocol: taskActor,
    machine: taskMachine,
    admit: admitTask,
    view: taskView,
    queries: {
      created: toReply,
      get: toReply,
      cancel: toReply,
      pause: toReply,
      resume: toReply,
      answer: toReply,
      'session.turn': toReply,
      'session.ended': toReply,
    },
    settled: ({ value, context }, { type }) =>
      type === 'created' || isTaskOver(publicState(value, context)),
    // The session's actor reports the loss of the browser.
    dependencies: () => [],
    elsewhereBytes: ({ context: { stored } }) => ({
      ...(stored && { [streams.steps]: stored.steps, [streams.pictures]: stored.pictures }),
    }),
    wants: ({ value, context }, effect) => isEffectWanted(value, context, effect),
    effects: taskEffects(deps),
    rehearsal: taskRehearsal,
    trimsLog: true,
    forget: async (id) => {
      // One by one: with a wildcard, nats-server looks through all subjects of the stream.
      await deps.steps.purge(subjects.taskStep(id))
      await deps.steps.purge(subjects.taskState(id))
      await deps.pictures.purge(subjects.taskPictures(id))
    },
  })
}
