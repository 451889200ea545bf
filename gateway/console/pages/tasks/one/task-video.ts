/** Where the video of a task's session shows a moment. */
import { isFinal } from '../../../../../proto/session/session.ts'
import type { TaskView } from '../../../../../proto/task/task.ts'
import type { ConsoleVisit } from '../../../visit.ts'

/** The player's place at a moment (ISO 8601); undefined if the session is not recorded, or runs. */
export function videoAt(
  visit: ConsoleVisit,
  { sessionId }: TaskView,
): ((at: string) => string) | undefined {
  const session = sessionId === undefined ? undefined : visit.deps.views.get(sessionId)
  if (!session?.options.recording || !isFinal(session.status) || !visit.has('drive'))
    return undefined
  const page = visit.at(`/sessions/${session.id}`)
  return (at) => `${page}?at=${encodeURIComponent(at)}#video`
}
