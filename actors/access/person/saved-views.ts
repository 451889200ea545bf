/** The lists that a person has saved, sorted by area and name; a name is unique within an area. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { SavedView } from '../../../proto/access/people/saved-view.ts'
import { ServiceError } from '../../../proto/errors.ts'

const keyOf = ({ area, name }: SavedView) => `${area} ${name.toLowerCase()}`
const otherViews = (views: readonly SavedView[], saved: SavedView) =>
  views.filter((view) => keyOf(view) !== keyOf(saved))

export const withView = (views: readonly SavedView[], saved: SavedView): readonly SavedView[] =>
  [...otherViews(views, saved), saved].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

/** Throws `conflict` at the maximum number. */
export function admitView(views: readonly SavedView[], saved: SavedView): void {
  const limit = limits.savedViewsPerPerson
  if (otherViews(views, saved).length < limit) return
  throw new ServiceError('conflict', `You have ${limit} saved views; delete one first.`, { limit })
}
