// Goal: when retention removes a task, its steps, its states and its pictures go, and nats-server is
// not asked for a pattern, for which it would look through the steps of all tasks.
import t from 'tap'
import { subjects } from '../../../../proto/subjects.ts'
import { taskKind } from '../../../../actors/task/kind.ts'
import type { TaskEffectDeps } from '../../../../actors/task/effects/deps.ts'

t.test('the steps of a task are removed by their subjects', async (t) => {
  const purged: string[] = []
  const purge = async (subject: string) => void purged.push(subject)
  const deps = { steps: { purge }, pictures: { purge } } as unknown as TaskEffectDeps
  await taskKind(deps).forget?.('tsk_1')
  t.same(purged, [
    subjects.taskStep('tsk_1'),
    subjects.taskState('tsk_1'),
    subjects.taskPictures('tsk_1'),
  ])
})
