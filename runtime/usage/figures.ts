/** What sessions and tasks have used, as integers that add up: the archive adds them and takes them away. */
import { noTraffic } from '../../proto/session/browser-reports.ts'
import { isFinal, type SessionView } from '../../proto/session/session.ts'
import { isTaskOver, type TaskView } from '../../proto/task/task.ts'
import { utcDay } from '../../proto/units.ts'
import type { ActorUse } from '../actor/archive/archived-kind.ts'

/** In the order in which tables show them. */
export const useFigures = [
  'sessions',
  'running',
  /** Milliseconds that browsers ran. */
  'ranMs',
  /** Only of browsers with networks of their own. */
  'receivedBytes',
  'sentBytes',
  'tasks',
  'tasksRunning',
  'inputTokens',
  'outputTokens',
  /** Millionths of a US dollar; covers only tasks whose cost is known. */
  'costMicros',
  /** Tasks that have used tokens of a model whose price is not known. */
  'tasksWithoutCost',
] as const
export type UseFigure = (typeof useFigures)[number]

const microsPerDollar = 1_000_000
export const dollarsOf = (micros: number): number => micros / microsPerDollar

type Figures = Readonly<Partial<Record<UseFigure, number>>>
type Used = Pick<SessionView, 'tenant' | 'keyName' | 'createdAtMs'>

/** `nowMs` is for a session that runs. */
export function useOfSession(view: SessionView, nowMs = view.createdAtMs): ActorUse {
  const { status, createdAtMs, endedAtMs = nowMs, use } = view
  const { sentBytes, receivedBytes } = use?.traffic ?? noTraffic
  return useOf(view, {
    ...{ sessions: 1, running: isFinal(status) ? 0 : 1, ranMs: endedAtMs - createdAtMs },
    ...{ receivedBytes, sentBytes },
  })
}

export function useOfTask(view: TaskView): ActorUse {
  const { inputTokens, outputTokens, costUsd } = view.usage
  return useOf(view, {
    ...{ tasks: 1, tasksRunning: isTaskOver(view.state) ? 0 : 1, inputTokens, outputTokens },
    costMicros: Math.round((costUsd ?? 0) * microsPerDollar),
    tasksWithoutCost: costUsd === undefined && inputTokens > 0 ? 1 : 0,
  })
}

const useOf = ({ tenant, keyName, createdAtMs }: Used, figures: Figures): ActorUse => ({
  ...{ tenant, day: utcDay(createdAtMs), key: keyName, figures },
})
