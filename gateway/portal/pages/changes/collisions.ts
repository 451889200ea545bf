/** Windows of changes: when each is, and which two would have one target at one time. Pure. */
import type { ChangeView } from '../../../../proto/access/change.ts'
import { customAccess, type ChangeWindow } from '../../../../proto/access/change-terms.ts'
import { isOver } from './lanes.ts'

/** As it is booked, or else as it was asked for. */
export const windowOf = ({ window, terms }: ChangeView): ChangeWindow | undefined =>
  window ?? terms.window

export const isBooked = ({ window }: ChangeView): boolean => window !== null

/** Undefined for what nothing else can have: a record that is still to be made. */
function targetOf({ tenant, terms: { work } }: ChangeView): string | undefined {
  if (work.does === 'nothing') return undefined
  if (work.does !== 'create') return `${tenant}.${work.on}.${work.id}`
  const { slug } = work.patch
  return work.on === customAccess ? `${tenant}.${work.on}.${String(slug)}` : undefined
}

const overlap = (a: ChangeWindow, b: ChangeWindow) => a.startMs < b.endMs && b.startMs < a.endMs

/** Others on the same target that have, or ask for, some of the same time. */
export function collisionsWith(
  change: ChangeView,
  all: readonly ChangeView[],
  window = windowOf(change),
): readonly ChangeView[] {
  const target = targetOf(change)
  if (target === undefined || window === undefined || isOver(change)) return []
  return all.filter((other) => {
    const theirs = windowOf(other)
    if (other.id === change.id || isOver(other) || theirs === undefined) return false
    return targetOf(other) === target && overlap(window, theirs)
  })
}
