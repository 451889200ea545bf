/** The windows of changes, and collisions of two changes on one target. Pure. */
import type { ChangeView } from '../../../../proto/access/changes/change.ts'
import { customAccess, type ChangeWindow } from '../../../../proto/access/changes/change-terms.ts'
import { isChangeOver } from './lists/lanes.ts'

/** The booked window, otherwise the requested one. */
export const windowOf = ({ window, terms }: ChangeView): ChangeWindow | undefined =>
  window ?? terms.window

export const hasWindow = ({ window }: ChangeView): boolean => window !== null

/** Undefined for a record that will be created, since nothing else can have it as a target. */
function targetOf({ tenant, terms: { work } }: ChangeView): string | undefined {
  if (work.does === 'nothing') return undefined
  if (work.does !== 'create') return `${tenant}.${work.on}.${work.id}`
  const { slug } = work.patch
  return work.on === customAccess ? `${tenant}.${work.on}.${String(slug)}` : undefined
}

const overlap = (a: ChangeWindow, b: ChangeWindow) => a.startMs < b.endMs && b.startMs < a.endMs

/** Other changes on the same target whose booked or requested windows overlap. */
export function collisionsWith(
  change: ChangeView,
  all: readonly ChangeView[],
  window = windowOf(change),
): readonly ChangeView[] {
  const target = targetOf(change)
  if (target === undefined || window === undefined || isChangeOver(change)) return []
  return all.filter((other) => {
    const theirs = windowOf(other)
    if (other.id === change.id || isChangeOver(other) || theirs === undefined) return false
    return targetOf(other) === target && overlap(window, theirs)
  })
}
