/** Frames whose content has not come yet. */
import type { AnyElement } from '../../any-element.ts'

/** True while there is nothing to read in it that will stay. Never for documents of other origins. */
export function isFrameLoading(frame: AnyElement, inner: Document | null): boolean {
  if (!inner) return false
  if (inner.readyState === 'loading') return true
  // Until its first answer comes, a frame has an empty document of the origin of the page.
  const isEmpty = inner.URL === 'about:blank' && !inner.body?.firstChild
  return isEmpty && /^https?:/.test(String((frame as unknown as HTMLIFrameElement).src))
}

/** Frames that load when they are scrolled to are not waited for. */
export const isWaitedFor = (frame: AnyElement, isInView: boolean): boolean =>
  isInView || (frame as unknown as HTMLIFrameElement).loading !== 'lazy'
