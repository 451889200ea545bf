/** The states that a change has come to, when and by whom. Pure. */
import { authorName, system, type Author } from '../../../proto/access/author.ts'
import type { ChangeStatus, ChangeStep } from '../../../proto/access/change.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'

/** What passes by itself: who brought it there has brought it to what comes of it. */
const passing: readonly ChangeStatus[] = ['checking', 'booking', 'applying']

interface Happened {
  readonly type: string
  readonly at?: number
  readonly by?: Author
}

/** Absent in the state of a change that is older than its history. */
export function entered(
  history: readonly ChangeStep[] | undefined,
  status: ChangeStatus,
  { type, at, by }: Happened,
): readonly ChangeStep[] {
  const known = history ?? []
  if (at === undefined) return known
  const last = known.at(-1)
  const isPassing = last !== undefined && passing.includes(last.status)
  const before = isPassing ? known.slice(0, -1) : known
  // What came to nothing leads back to where it began.
  if (type === 'effect.failed' && before.at(-1)?.status === status) return before
  const inherited = isPassing && type !== 'conflicted' ? last.by : authorName(system('change'))
  const step = { status, atMs: at, by: by ? authorName(by) : inherited }
  return [...before, step].slice(-limits.changeHistory)
}
