/**
 * The state of an audit: plain data in every entry of its job's log, so it is kept small. Rules for
 * a single page are applied while the page is open and stored as findings.
 */
import type { SeoAuditOrder } from '../../../../proto/access/jobs/job.ts'
import type { SessionTurn } from '../../../../proto/session/session-protocol.ts'
import type { PageSpot } from './facts.ts'

/** A visited page with the data that rules over several pages need. */
export interface AuditedPage {
  /** The requested URL. */
  readonly url: string
  /** The final URL, if it differs. */
  readonly to?: string
  /** 0 if there was no response. */
  readonly status: number
  readonly kind: 'html' | 'other' | 'failed'
  /** Number of redirects. */
  readonly hops: number
  readonly inSitemap: boolean
  readonly noindex: boolean
  /** Digests, equal for equal texts. */
  readonly title?: string
  readonly description?: string
  /** Set if it is another URL. */
  readonly canonical?: string
  readonly alternates?: readonly { readonly lang: string; readonly url: string }[]
  readonly vitals?: {
    readonly lcp: number | null
    readonly cls: number
    readonly ttfb: number | null
    readonly bytes: number
  }
}

/** A URL of the site that pages link to. */
export interface LinkTarget {
  readonly url: string
  /** Indexes of the first few pages that link to it. */
  readonly from: readonly number[]
  readonly count: number
  /** For a URL that was requested but not visited; 0: no response. */
  readonly status?: number
}

export interface FoundSpot extends PageSpot {
  /** Index of a page. */
  readonly page: number
}

/** The violations of one rule over all pages so far. */
export interface FoundRule {
  readonly rule: string
  readonly count: number
  /** Number of pages with at least one violation. */
  readonly pages: number
  readonly spots: readonly FoundSpot[]
}

/** One origin of the site: `http:`, `https:`, with and without `www.`. */
export interface SiteOrigin {
  readonly origin: string
  /** The relevant lines of robots.txt; empty: everything is allowed. */
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
  /** URLs to visit, in this order. */
  readonly queue: readonly string[]
  /** URLs of `queue` that are named by a sitemap. */
  readonly listed: readonly string[]
  readonly pages: readonly AuditedPage[]
  readonly targets: readonly LinkTarget[]
  readonly found: readonly FoundRule[]
  /** URLs named by a sitemap that must not be visited. */
  readonly disallowed: readonly string[]
  readonly warnings: readonly string[]
  readonly linksChecked: boolean
  /** Why the audit cannot continue. */
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
        readonly spots: readonly PageSpot[]
      }[]
      readonly links: readonly string[]
      /** What was left out because of size limits or robots.txt. */
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
