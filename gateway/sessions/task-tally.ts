/** Statistics of the tasks of a session, for the session's JSON. */
import type { TaskView } from '../../proto/task/task.ts'

export interface TaskTally {
  readonly tasks: number
  readonly steps: number
  /** By task, in the order of the tasks. */
  readonly stepsOf: readonly { readonly task: string; readonly steps: number }[]
  /** True if the session was created for one of its tasks. */
  readonly isInitiated: boolean
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number }
}

/** The tasks of a session, finished ones included. */
export interface TasksOf {
  of(sessionId: string): readonly TaskView[]
}

/** By session id. */
export type TallyOf = (sessionId: string) => TaskTally

/** `views` must be the views of one session's tasks. */
export function taskTallyOf(views: readonly TaskView[]): TaskTally {
  const sum = (of: (view: TaskView) => number) => views.reduce((all, view) => all + of(view), 0)
  return {
    tasks: views.length,
    steps: sum(({ steps }) => steps),
    stepsOf: views.map(({ id, steps }) => ({ task: id, steps })),
    isInitiated: views.some(({ ownsSession }) => ownsSession),
    tokens: {
      input: sum(({ usage }) => usage.inputTokens),
      cached: sum(({ usage }) => usage.cachedTokens),
      output: sum(({ usage }) => usage.outputTokens),
    },
  }
}
