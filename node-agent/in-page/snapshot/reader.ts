/** What the agent calls to read a document, besides the walks of `read.ts` and `extract.ts`. */
import { hearHandlers, ownListeners } from './listeners/known-listeners.ts'
import { closedRoots, documentIn, elementOf, type Fate, fateOf, isElement, treeOf } from './tree.ts'

export interface DocumentSize {
  readonly elements: number
  readonly chars: number
}

/** The id of this document, which is given to it when it is first read. */
let documentId: string | undefined

/** Hears of handlers by an event of that name; returns the id of the document. */
export function openReader(newDocumentId: string, eventName: string): string {
  documentId ??= newDocumentId
  hearHandlers(eventName)
  return documentId
}

/** What has become of the element with a number in the document it was given for. */
export const fateIn = (number: number, id: string): Fate =>
  id === documentId ? fateOf(number) : 'navigated'

/** Undefined also for an element of an inner frame. */
export function ownElement(number: number, id: string): Element | undefined {
  const element = fateIn(number, id) === 'here' ? elementOf(number) : undefined
  return element?.ownerDocument === document ? element : undefined
}

/** Records what elements listen for, and the closed roots that contain them. */
export function recordListeners(kinds: readonly number[], ...found: readonly Node[]): void {
  for (const [at, element] of found.entries()) {
    if (!isElement(element)) continue
    ownListeners.set(element, kinds[at] ?? 0)
    let root = treeOf(element)
    while ('host' in root && root.host) {
      if (root.mode === 'closed') closedRoots.set(root.host, root)
      root = treeOf(root.host)
    }
  }
}

export function openRoots(...roots: readonly ShadowRoot[]): void {
  for (const root of roots) closedRoots.set(root.host, root)
}

/** Estimates the size of a description of this document, including frames. */
export const documentSize = (): DocumentSize => sizeOf(document)

function sizeOf(document: Document): DocumentSize {
  const frames = [...document.querySelectorAll('iframe, frame')].map(documentIn)
  return frames.reduce(
    (sum, inner) => {
      if (!inner) return sum
      const { elements, chars } = sizeOf(inner)
      return { elements: sum.elements + elements, chars: sum.chars + chars }
    },
    {
      elements: document.getElementsByTagName('*').length,
      chars: document.documentElement?.outerHTML.length ?? 0,
    },
  )
}
