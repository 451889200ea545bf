/** The two forms of a rule: for one page, applied while it is open, and for all pages together. */
import type { seoCategories, seoSeverities } from '../../../../../proto/access/areas/seo-audits.ts'
import type { PageFacts, Spot, Spots } from '../facts.ts'
import type { AuditedPage, SeoState } from '../state.ts'

export type Severity = (typeof seoSeverities)[number]
export type Category = (typeof seoCategories)[number]

interface RuleText {
  readonly id: string
  readonly category: Category
  readonly severity: Severity
  readonly title: string
  /** Why it matters. */
  readonly description: string
  /** How to fix it. */
  readonly recommendation: string
}

/** How a page was loaded, according to its requests. */
export type Arrival = Pick<AuditedPage, 'url' | 'to' | 'status' | 'kind' | 'hops'> & {
  /** Why it failed, in words. */
  readonly why?: string
}

export interface VisitedPage {
  readonly arrival: Arrival
  /** Set for an HTML page that loaded without an error. */
  readonly facts?: PageFacts
  readonly strategy: 'mobile' | 'desktop'
}

export interface PageRule extends RuleText {
  check(page: VisitedPage): Spots
}

export interface SiteSpot extends Spot {
  readonly url: string
}

export interface SiteRule extends RuleText {
  check(site: SeoState): readonly SiteSpot[]
}

export const nothing: Spots = { count: 0, spots: [] }
export const once = (evidence?: string, selector?: string): Spots => ({
  count: 1,
  spots: [
    { ...(selector !== undefined && { selector }), ...(evidence !== undefined && { evidence }) },
  ],
})
export const when = (isSo: boolean, evidence?: string, selector?: string): Spots =>
  isSo ? once(evidence, selector) : nothing

/** A rule that applies only if the page could be read. */
export const ofFacts =
  (check: (facts: PageFacts, page: VisitedPage) => Spots) =>
  (page: VisitedPage): Spots =>
    page.facts ? check(page.facts, page) : nothing

/** Pages that people and search engines can read. */
export const readable = ({ pages }: SeoState): readonly AuditedPage[] =>
  pages.filter(({ kind, status }) => kind === 'html' && status < 400)

export const addressOf = ({ url, to }: AuditedPage): string => to ?? url

/** Pages by final URL, with the requested URLs as a fallback. */
export const byAddress = ({ pages }: SeoState): ReadonlyMap<string, AuditedPage> =>
  new Map([
    ...pages.map((page) => [addressOf(page), page] as const),
    ...pages.map((page) => [page.url, page] as const),
  ])
