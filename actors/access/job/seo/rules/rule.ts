/** The two forms of a rule: of one page, judged while it is open, and of all pages together. */
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
  /** What to do. */
  readonly recommendation: string
}

/** How a page came: what the network said, before there was anything to read. */
export type Arrival = Pick<AuditedPage, 'url' | 'to' | 'status' | 'kind' | 'hops'> & {
  /** In words, of one that failed. */
  readonly why?: string
}

export interface VisitedPage {
  readonly arrival: Arrival
  /** Of an HTML page that came without an error. */
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

/** A rule that has nothing to say where there was no page to read. */
export const ofFacts =
  (check: (facts: PageFacts, page: VisitedPage) => Spots) =>
  (page: VisitedPage): Spots =>
    page.facts ? check(page.facts, page) : nothing

/** Pages that people and search engines can read. */
export const readable = ({ pages }: SeoState): readonly AuditedPage[] =>
  pages.filter(({ kind, status }) => kind === 'html' && status < 400)

export const addressOf = ({ url, to }: AuditedPage): string => to ?? url

/** By where they ended up, and before that by what was asked for. */
export const byAddress = ({ pages }: SeoState): ReadonlyMap<string, AuditedPage> =>
  new Map([
    ...pages.map((page) => [addressOf(page), page] as const),
    ...pages.map((page) => [page.url, page] as const),
  ])
