/** Where the end of a task that did not complete can be watched. */
import { z } from 'zod'
import { isTaskOver, type TaskView } from '../../../proto/task/task.ts'
import { toIsoTime } from '../../routing/answers/iso-time.ts'
import type { SessionViews } from '../../sessions/session-views.ts'

const shownMs = 10_000
/** The page may show what the last action did only then. */
const afterMs = 1_000

export const lastSecondsJson = z.object({
  url: z.string().describe('Path of the clip: POST `from` and `to` there.'),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
})

export type LastSeconds = z.infer<typeof lastSecondsJson>

/** Undefined unless the task has ended without a result, in a session that is recorded. */
export function lastSecondsOf(
  { state, sessionId, endedAtMs }: TaskView,
  sessions: Pick<SessionViews, 'get'>,
): LastSeconds | undefined {
  if (!isTaskOver(state) || state === 'completed') return undefined
  if (sessionId === undefined || endedAtMs === undefined) return undefined
  if (!sessions.get(sessionId)?.options.recording) return undefined
  return {
    url: `/v1/sessions/${sessionId}/recordings/primary/clip`,
    from: toIsoTime(endedAtMs - shownMs),
    to: toIsoTime(endedAtMs + afterMs),
  }
}
