/** The history of a change's states: when each was entered, and by whom. Pure. */
import { authorName, systemAuthor, type Author } from '../../../../proto/access/author.ts'
import type { ChangeStatus, ChangeStep } from '../../../../proto/access/changes/change.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'

/** Transient states: the state that follows is attributed to the same author. */
const passing: readonly ChangeStatus[] = ['checking', 'booking', 'applying']

interface Happened {
  readonly type: string
  readonly at?: number
  readonly by?: Author
}

/** Absent in changes that are older than the history. */
export function historyAfter(
  history: readonly ChangeStep[] | undefined,
  status: ChangeStatus,
  { type, at, by }: Happened,
): readonly ChangeStep[] {
  const known = history ?? []
  if (at === undefined) return known
  const last = known.at(-1)
  const isPassing = last !== undefined && passing.includes(last.status)
  const before = isPassing ? known.slice(0, -1) : known
  // A failed transient state returns to the previous one.
  if (type === 'effect.failed' && before.at(-1)?.status === status) return before
  const inherited =
    isPassing && type !== 'conflicted' ? last.by : authorName(systemAuthor('change'))
  const step = { status, atMs: at, by: by ? authorName(by) : inherited }
  return [...before, step].slice(-limits.changeHistory)
}
