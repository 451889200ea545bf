/** Frames of this origin: their documents, where those are, and whether they have come yet. */
import type { AnyElement } from '../any-element.ts'
import { documentOf, rectOf } from '../dom.ts'

/** The frame element of each document, to explain stale refs. */
export const frameElements = new WeakMap<Document, WeakRef<Element>>()

/** True for frames, and for objects and embedded content that show a document, such as a PDF. */
export const isFrame = ({ localName, type, contentWindow }: AnyElement): boolean =>
  /^i?frame$/.test(localName) ||
  (localName === 'object' && Boolean(contentWindow)) ||
  (localName === 'embed' && /\/(pdf|html)$/.test(type ?? ''))

/** The document in a frame of this origin. */
export function documentIn(frame: Element): Document | null {
  try {
    return (frame as HTMLIFrameElement).contentDocument ?? null
  } catch {
    // A frame of another origin is read by the agent through its own session.
    return null
  }
}

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

/** Where the top left corner of a frame's document is in the view of the page. */
export type FrameOrigin = readonly [left: number, top: number]

export function windowOrigin({ frameElement }: Window): FrameOrigin {
  return frameElement === null ? [0, 0] : originIn(frameElement)
}

export function originIn(frame: Element): FrameOrigin {
  const rect = rectOf(frame)
  const [left, top] = windowOrigin(documentOf(frame).defaultView!)
  return [left + rect.left + frame.clientLeft, top + rect.top + frame.clientTop]
}

/** A frame of another origin. */
export interface RemoteFrame {
  /** The index of its line in the walk. */
  readonly line: number
  readonly number: number
  /** The place of what is in it. */
  readonly origin: FrameOrigin
}
