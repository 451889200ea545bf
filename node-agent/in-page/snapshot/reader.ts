/**
 * What the agent calls to read a document. It is installed once in each document, because it knows
 * the numbers that it has given to elements.
 */
import { extractText } from './extract.ts'
import { hearHandlers, KnownListeners } from './listeners/known-listeners.ts'
import { LastWalk, readLines } from './read.ts'
import { documentIn, ElementNumbers, fateOf, isElement, KnownNodes, treeOf } from './tree.ts'

export * from './extract.ts'

export interface DocumentSize {
  readonly elements: number
  readonly chars: number
}

/** Records what elements listen for, and the closed roots that contain them. */
export function recordListeners(kinds: readonly number[], ...found: readonly Node[]): void {
  for (const [at, element] of found.entries()) {
    if (!isElement(element)) continue
    KnownListeners.own.set(element, kinds[at] ?? 0)
    let root = treeOf(element)
    while ('host' in root && root.host) {
      if (root.mode === 'closed') KnownNodes.closedRoots.set(root.host, root)
      root = treeOf(root.host)
    }
  }
}

export function openRoots(...roots: readonly ShadowRoot[]): void {
  for (const root of roots) KnownNodes.closedRoots.set(root.host, root)
}

/**
 * Estimates the size of a description of the document: elements and characters, including frames.
 */
export function sizeOf(document: Document): DocumentSize {
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

export const makeReader = (id: string) => ({
  /** Of the document. */
  id,
  readLines,
  extractText,
  fateOf,
  elementOf: (number: number) => ElementNumbers.elements.get(number)?.deref(),
  hostsToAsk: () => LastWalk.hosts,
  recordListeners,
  openRoots,
  size: () => sizeOf(document),
})

export type PageReader = ReturnType<typeof makeReader>

/**
 * Installs the functions unless they are there already, and hears of handlers by an event of that
 * name; returns the id given to the document.
 */
export function installReader(documentId: string, eventName: string): string {
  // A global of the isolated world, which the page cannot see.
  const world = globalThis as { troupe?: PageReader }
  world.troupe ??= makeReader(documentId)
  hearHandlers(eventName)
  return world.troupe.id
}
