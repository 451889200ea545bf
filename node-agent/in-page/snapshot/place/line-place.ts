/** Where a line is, of what can be seen. */
import { snapshotFlags, type WalkContext } from '../lines.ts'
import { clipOf, isBefore, isClippedAway, isOffPage, isVeiled, meets } from '../visible.ts'

/**
 * Sets the flags of an element's place, what the scrollers around its content leave of it, and
 * whether a person can see it.
 */
export function setPlace(
  context: WalkContext,
  node: Element,
  rect: DOMRect,
  style: CSSStyleDeclaration,
  display: string,
): void {
  // What is fixed does not scroll with what is around it.
  if (context.clip && style.position === 'fixed') context.clip = undefined
  const seen = context.clip ?? context.view
  if (rect.width > 0 || rect.height > 0) {
    const isIn = meets(rect, seen) && !context.away
    context.at = isIn ? snapshotFlags.inView : isBefore(rect, seen) ? snapshotFlags.above : 0
  } else context.at ??= 0
  const mayScroll = display !== 'inline' && (node.firstElementChild ?? node.shadowRoot) !== null
  if (mayScroll) context.clip = clipOf(style, rect, seen) ?? context.clip
  const away = isOffPage(node, rect, context.view, style) || isClippedAway(style, rect)
  context.hidden = style.visibility !== 'visible'
  context.gone = context.gone === true || away
  context.mute ||= away || node.getAttribute('aria-hidden') === 'true' || isVeiled(style, display)
}
