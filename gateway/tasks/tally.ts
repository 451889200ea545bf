/** What sessions say of the tasks that were done in them. */
import type { TaskView } from '../../proto/task.ts'

export interface Tally {
  readonly tasks: number
  readonly steps: number
  /** The session was made for one of them. */
  readonly isInitiated: boolean
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number }
}

/** Of a session by its id. */
export type TallyOf = (sessionId: string) => Tally

/** `views`: those of one session. */
export function tallied(views: readonly TaskView[]): Tally {
  const sum = (of: (view: TaskView) => number) => views.reduce((all, view) => all + of(view), 0)
  return {
    tasks: views.length,
    steps: sum(({ steps }) => steps),
    isInitiated: views.some(({ ownsSession }) => ownsSession),
    tokens: {
      input: sum(({ usage }) => usage.inputTokens),
      cached: sum(({ usage }) => usage.cachedTokens),
      output: sum(({ usage }) => usage.outputTokens),
    },
  }
}
