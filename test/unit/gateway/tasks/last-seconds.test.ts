/** Goal: a task names the clip of its end if there is one to watch, and only then. */
import t from 'tap'
import { lastSecondsOf } from '../../../../gateway/tasks/json/last-seconds.ts'
import { newId } from '../../../../proto/ids.ts'
import { sessionOptions, type SessionView } from '../../../../proto/session/session.ts'
import type { TaskView } from '../../../../proto/task/task.ts'

const sessionId = newId('ses')
const endedAtMs = Date.parse('2026-11-30T10:00:10Z')
const failed = { state: 'failed', sessionId, endedAtMs } as TaskView
const sessions = (active: boolean) => {
  const options = sessionOptions({ session: { recording: { active } } })
  return { get: (id: string) => (id === sessionId ? ({ options } as SessionView) : undefined) }
}

t.test('of one that did not complete: ten seconds, and a moment after', async (t) => {
  for (const state of ['failed', 'timed_out', 'cancelled'] as const) {
    t.same(lastSecondsOf({ ...failed, state }, sessions(true)), {
      url: `/v1/sessions/${sessionId}/recordings/primary/clip`,
      from: '2026-11-30T10:00:00.000Z',
      to: '2026-11-30T10:00:11.000Z',
    })
  }
})

t.test(
  'none of one that runs, is completed, has no session, or one that is not recorded',
  async (t) => {
    const { sessionId: _, ...early } = failed
    t.equal(lastSecondsOf({ ...failed, state: 'acting' }, sessions(true)), undefined)
    t.equal(lastSecondsOf({ ...failed, state: 'completed' }, sessions(true)), undefined)
    t.equal(lastSecondsOf(early, sessions(true)), undefined, 'it failed before it had one')
    t.equal(lastSecondsOf(failed, sessions(false)), undefined)
    t.equal(
      lastSecondsOf({ ...failed, sessionId: newId('ses') }, sessions(true)),
      undefined,
      'no longer kept',
    )
  },
)
