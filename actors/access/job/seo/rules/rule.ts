/** The two forms of a rule: for one page, applied while it is open, and for all pages together. */
import { defined } from '../../../../../proto/defined.ts'
import type {
  seoCategories,
  seoSeverities,
} from '../../../../../proto/access/areas/marketing-work/seo-audits.ts'
import type { PageFacts, PageSpot, PageSpots } from '../facts.ts'
import type { AuditedPage, SeoState } from '../state.ts'

export type RuleSeverity = (typeof seoSeverities)[number]
export type RuleCategory = (typeof seoCategories)[number]

interface RuleText {
  readonly id: string
  readonly category: RuleCategory
  readonly severity: RuleSeverity
  readonly title: string
  /** Why it matters. */
  readonly description: string
  /** How to fix it. */
  readonly recommendation: string
}

/** How a page was loaded, according to its requests. */
export type PageArrival = Pick<AuditedPage, 'url' | 'to' | 'status' | 'kind' | 'hops'> & {
  /** Why it failed, in words. */
  readonly why?: string
}

export interface VisitedPage {
  readonly arrival: PageArrival
  /** Set for an HTML page that loaded without an error. */
  readonly facts?: PageFacts
  readonly strategy: 'mobile' | 'desktop'
  /** The site in the syntax of `allowed_domains`. */
  readonly domain: string
}

export interface PageRule extends RuleText {
  check(page: VisitedPage): PageSpots
}

export interface SiteSpot extends PageSpot {
  readonly url: string
}

export interface SiteRule extends RuleText {
  check(site: SeoState): readonly SiteSpot[]
}

export const noSpots: PageSpots = { count: 0, spots: [] }
export const oneSpot = (evidence?: string, selector?: string): PageSpots => ({
  count: 1,
  spots: [{ ...defined({ selector, evidence }) }],
})
export const spotWhen = (isSo: boolean, evidence?: string, selector?: string): PageSpots =>
  isSo ? oneSpot(evidence, selector) : noSpots

/** A rule that applies only if the page could be read. */
export const ofFacts =
  (check: (facts: PageFacts, page: VisitedPage) => PageSpots) =>
  (page: VisitedPage): PageSpots =>
    page.facts ? check(page.facts, page) : noSpots

/** Pages that people and search engines can read. */
export const readablePages = ({ pages }: SeoState): readonly AuditedPage[] =>
  pages.filter(({ kind, status }) => kind === 'html' && status < 400)

export const finalUrlOf = ({ url, to }: AuditedPage): string => to ?? url

/** Pages by final URL, with the requested URLs as a fallback. */
export const byAddress = ({ pages }: SeoState): ReadonlyMap<string, AuditedPage> =>
  new Map([
    ...pages.map((page) => [finalUrlOf(page), page] as const),
    ...pages.map((page) => [page.url, page] as const),
  ])
