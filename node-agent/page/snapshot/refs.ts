/**
 * Refs of elements, as snapshots give them: `e12`. The number is kept beside the element in a world
 * of ours inside its document, and so holds through whatever the page does with the element, and
 * comes back with the document when one goes back to it. No number is ever given twice in a tab.
 */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { Tab } from '../tab.ts'
import type { Seen } from './diff.ts'

/** An element of a page, wherever its frame lives. */
export interface ElementRef {
  readonly tab: Tab
  /** Of the debugger, for the process its frame lives in. */
  readonly sessionId: string
  readonly backendNodeId: number
}

export interface SnapshotOptions {
  readonly within?: ElementRef | undefined
  readonly urls: boolean
  readonly maxTokens: number
}

/** Text about a page, and how many of its lines, or characters, did not fit. */
export interface Excerpt {
  readonly text: string
  readonly more: number
  /** Percent of what is in view that is a canvas. */
  readonly drawn?: number
}

/** How a page was at a time. */
export interface Mark {
  readonly documentId: string
  readonly seen: Seen
  /** Not all of the page was looked at. */
  readonly partial: boolean
}

export interface PageView {
  /** The element of a ref that a snapshot gave. Throws `stale_ref` when it is not there. */
  resolve(ref: string): Promise<ElementRef>
  /** Elements with that role and accessible name, as a snapshot writes them. */
  byRole(role: string, name: string): Promise<readonly ElementRef[]>
  snapshot(options: SnapshotOptions): Promise<Excerpt>
  find(text: string, maxTokens: number): Promise<Excerpt>
  extract(options: ExtractOptions): Promise<Excerpt>
  /** How the page was when it was last looked at, as far as what is seen of it goes. */
  readonly seen: Mark | undefined
  /** Remembers how the page is, for `changesSince`; cheap. */
  mark(): Promise<Mark>
  changesSince(mark: Mark, maxTokens: number): Promise<string>
}

export interface ExtractOptions {
  readonly within?: ElementRef | undefined
  readonly format: 'markdown' | 'html'
  readonly maxChars: number
}

export type StaleCause = 'navigated' | 'removed' | 'frame_gone' | 'never_given'

/** What a snapshot said of an element. */
export interface Given {
  readonly role: string
  readonly name: string
  /** Of the page's process it is in. */
  readonly frameId: string
  readonly documentId: string
}

/** What refs were given for, the latest of them. */
export class Refs {
  /** Each counts for one: with `max` there would be room for all of them in every tab at once. */
  readonly #given = new LRUCache<number, Given>({
    maxSize: limits.refsRemembered,
    sizeCalculation: () => 1,
  })
  #last = 0

  /** The highest number there is; the next element gets the one after. */
  get last(): number {
    return this.#last
  }

  used(upTo: number): void {
    this.#last = Math.max(this.#last, upTo)
  }

  give(number: number, given: Given): void {
    this.#given.set(number, given)
  }

  get(number: number): Given | undefined {
    return this.#given.get(number)
  }
}

const reasons: Readonly<Record<StaleCause, string>> = {
  navigated: 'the page has gone to another document since',
  removed: 'the page has removed that element',
  frame_gone: 'its frame is gone',
  never_given: 'no snapshot of this tab has given it',
}

export interface Candidate {
  readonly number: number
  readonly role: string
  readonly name: string
}

/** Says why, and what comes nearest to it now. */
export function staleRef(
  ref: string,
  cause: StaleCause,
  was: Given | undefined,
  now: readonly Candidate[],
): ServiceError {
  const nearest = was && nearestTo(was, now)
  const like = nearest && `e${nearest.number} ${nearest.role} "${nearest.name}"`
  const next = like ? `the nearest now is ${like}` : 'take a snapshot for refs that hold'
  const known = was ? ` (${was.role} "${was.name}")` : ''
  const message = `${ref}${known} is stale: ${reasons[cause]}; ${next}.`
  return new ServiceError('stale_ref', message, { ref, cause, ...(like && { nearest: like }) })
}

/** The same role and name at best; else a name that has most of its words. */
export function nearestTo(was: Given, now: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined
  let bestScore = 0.5
  for (const candidate of now) {
    const score = likeness(was, candidate)
    if (score <= bestScore) continue
    best = candidate
    bestScore = score
  }
  return best
}

function likeness(was: Given, now: Candidate): number {
  const sameRole = was.role === now.role ? 0.4 : 0
  if (was.name === now.name) return sameRole + 0.6
  const [a, b] = [wordsOf(was.name), wordsOf(now.name)]
  const shared = [...a].filter((word) => b.has(word)).length
  return sameRole + (0.6 * shared) / Math.max(1, a.size, b.size)
}

const wordsOf = (name: string) => new Set(name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
