/**
 * What an audit knows of a site so far: plain data, in every entry of its job's log, so it is kept
 * small. What a rule needs of one page alone is judged while the page is open and kept as findings.
 */
import type { SeoAuditOrder } from '../../../../proto/access/job.ts'
import type { SessionTurn } from '../../../../proto/session-protocol.ts'
import type { Spot } from './facts.ts'

/** A page that was visited, with what rules over several pages need of it. */
export interface AuditedPage {
  /** As it was asked for. */
  readonly url: string
  /** Where it led, when that is elsewhere. */
  readonly to?: string
  /** 0 when nothing came. */
  readonly status: number
  readonly kind: 'html' | 'other' | 'failed'
  /** Redirects on the way. */
  readonly hops: number
  readonly inSitemap: boolean
  readonly noindex: boolean
  /** Digests, equal where the texts are. */
  readonly title?: string
  readonly description?: string
  /** When that is another address. */
  readonly canonical?: string
  readonly alternates?: readonly { readonly lang: string; readonly url: string }[]
  readonly vitals?: {
    readonly lcp: number | null
    readonly cls: number
    readonly ttfb: number | null
    readonly bytes: number
  }
}

/** An address of the site that pages link to. */
export interface LinkTarget {
  readonly url: string
  /** Indexes of pages, the first few. */
  readonly from: readonly number[]
  readonly count: number
  /** Of one that was not visited but asked for; 0: it did not answer. */
  readonly status?: number
}

export interface FoundSpot extends Spot {
  /** Index of a page. */
  readonly page: number
}

/** What one rule objects to, over all pages so far. */
export interface FoundRule {
  readonly rule: string
  readonly count: number
  /** Pages with one or more. */
  readonly pages: number
  readonly spots: readonly FoundSpot[]
}

/** One origin of the site: `http:`, `https:`, with `www.` and without. */
export interface SiteOrigin {
  readonly origin: string
  /** Of robots.txt, what says something; empty: everything is allowed. */
  readonly robots: string
  readonly hasSitemap: boolean
}

export interface SeoState {
  readonly area: 'seo-audits'
  readonly order: SeoAuditOrder
  /** Index of the session in use. */
  readonly session: number
  readonly turn: SessionTurn | null
  readonly origins: readonly SiteOrigin[]
  /** To be visited, in this order. */
  readonly queue: readonly string[]
  /** Those of `queue` that a sitemap names. */
  readonly listed: readonly string[]
  readonly pages: readonly AuditedPage[]
  readonly targets: readonly LinkTarget[]
  readonly found: readonly FoundRule[]
  /** Named by a sitemap, and not to be visited. */
  readonly disallowed: readonly string[]
  readonly warnings: readonly string[]
  readonly linksChecked: boolean
  /** Why it cannot go on. */
  readonly failure: string | null
}

export type SeoStep = { readonly area: 'seo-audits' } & (
  | { readonly kind: 'opened'; readonly turn: SessionTurn }
  | { readonly kind: 'session_lost'; readonly why: string }
  | {
      readonly kind: 'origin'
      readonly site: SiteOrigin
      readonly urls: readonly string[]
      readonly disallowed: readonly string[]
      readonly warnings: readonly string[]
      readonly failure?: string
    }
  | {
      readonly kind: 'visited'
      readonly turn: SessionTurn
      readonly page: Omit<AuditedPage, 'inSitemap'>
      readonly found: readonly {
        readonly rule: string
        readonly count: number
        readonly spots: readonly Spot[]
      }[]
      readonly links: readonly string[]
      /** Left out for its size, or because robots.txt says so. */
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'skipped'; readonly url: string; readonly why: string }
  | {
      readonly kind: 'links'
      readonly statuses: readonly { readonly url: string; readonly status: number }[]
    }
)

export const beginAudit = (order: SeoAuditOrder): SeoState => ({
  area: 'seo-audits',
  order,
  session: 0,
  turn: null,
  origins: [],
  queue: [order.siteUrl],
  listed: [],
  pages: [],
  targets: [],
  found: [],
  disallowed: [],
  warnings: [],
  linksChecked: false,
  failure: null,
})
