/** What the lists of sessions say of the tasks that were done in each. */
import type { TaskView } from '../../proto/task.ts'

export interface Tally {
  readonly tasks: number
  readonly steps: number
  /** The session was made for one of them. */
  readonly isInitiated: boolean
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number }
}

const nothing: Tally = {
  tasks: 0,
  steps: 0,
  isInitiated: false,
  tokens: { input: 0, cached: 0, output: 0 },
}

/** Of every session that has had a task. */
export type Tallies = (sessionId: string) => Tally

export function tallies(views: readonly TaskView[]): Tallies {
  const bySession = new Map<string, Tally>()
  for (const { sessionId, steps, ownsSession, usage } of views) {
    if (sessionId === undefined) continue
    const known = bySession.get(sessionId) ?? nothing
    bySession.set(sessionId, {
      tasks: known.tasks + 1,
      steps: known.steps + steps,
      isInitiated: known.isInitiated || ownsSession,
      tokens: {
        input: known.tokens.input + usage.inputTokens,
        cached: known.tokens.cached + usage.cachedTokens,
        output: known.tokens.output + usage.outputTokens,
      },
    })
  }
  return (sessionId) => bySession.get(sessionId) ?? nothing
}
