/**
 * The refs of elements in snapshots, such as `e12`. The number is stored with the element in an
 * isolated world of its document, so it stays valid however the page changes the element, and
 * again after going back to the document. A tab never reuses a number.
 */
import type { WordBox } from '../../in-page/targeting/words.ts'
import type { RefPlace } from './lines.ts'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../proto/errors.ts'
import type { Tab } from '../tabs/tab.ts'
import type { PageState } from './diff.ts'
import { pageLimits } from '../limits.ts'

/** An element in any frame of a page. */
export interface ElementRef {
  readonly tab: Tab
  /** The CDP session of the frame's process. */
  readonly sessionId: string
  readonly backendNodeId: number
}

/** An element as the reader in its document knows it. */
export interface NumberedElement {
  /** The execution context of the reader. */
  readonly world: number
  readonly number: number
  readonly documentId: string
}

export interface SnapshotOptions {
  readonly within?: ElementRef | undefined
  readonly urls: boolean
  /** With the places of all elements that have refs. */
  readonly boxes?: boolean
  readonly maxTokens: number
}

/** Text about a page, and the number of lines or characters that did not fit. */
export interface PageExcerpt {
  readonly text: string
  readonly more: number
  /** The percentage of the view that is covered by canvases. */
  readonly drawn?: number
  /** Where the words are that were searched for. */
  readonly places?: WordBox[]
  /** Of the page, if it was read with the text. */
  readonly where?: PageWhere
}

export interface PageWhere {
  readonly url: string
  readonly title: string
}

export interface PageChanges {
  /** Empty if there are none. */
  readonly text: string
  readonly where: PageWhere
}

/** The state of a page at one time. */
export interface PageMark {
  readonly documentId: string
  readonly seen: PageState
  /** True if not the whole page was read. */
  readonly partial: boolean
}

export interface PageView {
  /** The element of a ref from a snapshot. Throws `stale_ref` if it is gone. */
  resolve(ref: string): Promise<ElementRef>
  /** Where the element of a ref is to be found without the debugger, if it is in the main frame. */
  inMainFrame(ref: string): NumberedElement | undefined
  /** The refs of the elements with a role and an accessible name, as snapshots write them. */
  byRole(role: string, name: string): Promise<readonly string[]>
  snapshot(options: SnapshotOptions): Promise<PageExcerpt>
  find(text: string, maxTokens: number): Promise<PageExcerpt>
  extract(options: ExtractOptions): Promise<PageExcerpt>
  /** The visible state of the page when it was last read. */
  readonly seen: PageMark | undefined
  /** Where things with refs are: all, or those in view. */
  places(inViewOnly: boolean): Promise<readonly RefPlace[]>
  /** Records the state of the page for `changesSince`; this is cheap. */
  mark(): Promise<PageMark>
  changesSince(mark: PageMark, maxTokens: number): Promise<PageChanges>
  /**
   * The same for onlookers: what the caller was last shown stays as it is. Without a mark it only
   * returns the present state.
   */
  compareWith(mark: PageMark | undefined, maxTokens: number): Promise<PageComparison>
}

/** How a page differs from an earlier state. */
export interface PageComparison {
  readonly changes: string
  readonly mark: PageMark
}

export interface ExtractOptions {
  readonly within?: ElementRef | undefined
  readonly format: 'markdown' | 'html'
  readonly maxChars: number
}

export type StaleCause = 'navigated' | 'removed' | 'frame_gone' | 'never_given'

/** What a snapshot said about an element. */
export interface RefTarget {
  readonly role: string
  readonly name: string
  /** The frame that it was read in. */
  readonly frameId: string
  readonly documentId: string
}

/** The latest elements for which refs were given. */
export class RefTable {
  /** With `maxSize` and size 1, because `max` would allocate memory for all entries in advance. */
  readonly #given = new LRUCache<number, RefTarget>({
    maxSize: pageLimits.refsRemembered,
    sizeCalculation: () => 1,
  })
  #last: number

  /** `before`: the highest number that an earlier agent may have given. */
  constructor(before = 0) {
    this.#last = before
  }

  /** The highest number so far; the next element gets the following one. */
  get last(): number {
    return this.#last
  }

  used(upTo: number): void {
    this.#last = Math.max(this.#last, upTo)
  }

  give(number: number, given: RefTarget): void {
    this.#given.set(number, given)
  }

  get(number: number): RefTarget | undefined {
    return this.#given.get(number)
  }
}

const reasons: Readonly<Record<StaleCause, string>> = {
  navigated: 'the page has navigated since',
  removed: 'the page has removed this element',
  frame_gone: 'its frame no longer exists',
  never_given: 'no snapshot of this tab contains it',
}

export interface RefCandidate {
  readonly number: number
  readonly role: string
  readonly name: string
}

/** Explains the reason, and names the most similar element. */
export function staleRef(
  ref: string,
  cause: StaleCause,
  was: RefTarget | undefined,
  now: readonly RefCandidate[],
): ServiceError {
  const nearest = was && nearestTo(was, now)
  const like = nearest && `e${nearest.number} ${nearest.role} "${nearest.name}"`
  const next = like ? `the nearest now is ${like}` : 'take a new snapshot'
  const known = was ? ` (${was.role} "${was.name}")` : ''
  const message = `${ref}${known} is stale: ${reasons[cause]}; ${next}.`
  return new ServiceError('stale_ref', message, { ref, cause, ...(like && { nearest: like }) })
}

/** Prefers the same role and name, otherwise a name with most of its words. */
export function nearestTo(was: RefTarget, now: readonly RefCandidate[]): RefCandidate | undefined {
  let best: RefCandidate | undefined
  let bestScore = 0.5
  for (const candidate of now) {
    const score = likeness(was, candidate)
    if (score <= bestScore) continue
    best = candidate
    bestScore = score
  }
  return best
}

function likeness(was: RefTarget, now: RefCandidate): number {
  const sameRole = was.role === now.role ? 0.4 : 0
  if (was.name === now.name) return sameRole + 0.6
  const [a, b] = [wordsOf(was.name), wordsOf(now.name)]
  const shared = [...a].filter((word) => b.has(word)).length
  return sameRole + (0.6 * shared) / Math.max(1, a.size, b.size)
}

const wordsOf = (name: string) => new Set(name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
