/** What a page shows inside its frame. */
import type { Markup } from './markup.ts'

export interface PageContent {
  /** The page's only h1 and the start of its document title. */
  readonly title: string
  readonly body: Markup
  /** A sentence below the heading. */
  readonly lead?: Markup
  /** Above the heading: a link to the parent page. */
  readonly up?: { readonly href: string; readonly label: string }
  /** Beside the heading: the most frequent actions. */
  readonly actions?: Markup
  /** Whether it has a frame with another page of ours. */
  readonly isFraming?: boolean
  /** Whether it plays a video of ours. */
  readonly isPlaying?: boolean
  /** The default is 200. */
  readonly status?: number
}
