/** A page as snapshots know it: its elements by ref, by role and name, and what has changed. */
import type { Tab } from './tab.ts'

/** An element of a page, wherever its frame lives. */
export interface ElementRef {
  readonly tab: Tab
  /** CDP session of its frame's process. */
  readonly sessionId: string
  readonly backendNodeId: number
}

export interface PageText {
  readonly text: string
  readonly more: number
}

export interface Mark {
  readonly at: number
}

export interface PageView {
  /** Throws `stale_ref` when it is gone, or another. */
  resolve(ref: string): Promise<ElementRef>
  /** Elements with that role and accessible name, as a snapshot writes them. */
  byRole(role: string, name: string): Promise<readonly ElementRef[]>
  /** Remembers how the page is, for `changesSince`. */
  mark(): Promise<Mark>
  changesSince(mark: Mark, maxTokens: number): Promise<string>
}
