/** Where a line is, of what can be seen. */
import { snapshotFlags, type WalkContext } from '../lines.ts'
import { clipOf, isBefore, meets } from '../visible.ts'

export * from '../lines.ts'

/** Sets the flags of an element's place, and what the scrollers around its content leave of it. */
export function setPlace(
  context: WalkContext,
  rect: DOMRect,
  style: CSSStyleDeclaration,
  flows: boolean,
): void {
  // What is fixed does not scroll with what is around it.
  if (context.clip && style.position === 'fixed') context.clip = undefined
  const seen = context.clip ?? context.view
  if (rect.width > 0 || rect.height > 0) {
    const isIn = meets(rect, seen) && !context.away
    context.at = isIn ? snapshotFlags.inView : isBefore(rect, seen) ? snapshotFlags.above : 0
  } else context.at ??= 0
  if (!flows) context.clip = clipOf(style, rect, seen) ?? context.clip
}
