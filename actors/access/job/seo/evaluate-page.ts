/**
 * Turns the facts of a page into what is kept: its own findings, and facts for rules over all
 * pages.
 */
import { createHash } from 'node:crypto'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { isFollowable, siteAddress } from './addresses.ts'
import { isHtml, isNoindex, type PageFacts, type PageSpots } from './facts.ts'
import { pageRules } from './rules/registry.ts'
import type { VisitedPage } from './rules/rule.ts'
import type { AuditedPage, SeoStep } from './state.ts'

type Visited = Extract<SeoStep, { readonly kind: 'visited' }>
export type EvaluatedPage = Pick<Visited, 'page' | 'found' | 'links'>

/** `facts` may also be those of a page that could not be read. */
export type PageEvaluation = VisitedPage

export function evaluatePage({ arrival, facts, strategy, domain }: PageEvaluation): EvaluatedPage {
  const { why: _, ...arrived } = arrival
  const readable = facts && isHtml(facts) && arrival.status < 400 ? facts : undefined
  const visited: VisitedPage = { arrival, strategy, domain, ...(readable && { facts: readable }) }
  const found = pageRules.flatMap((rule) => {
    const { count, spots } = rule.check(visited)
    return count === 0 ? [] : [{ rule: rule.id, count, spots: spots.map(truncateSpot) }]
  })
  const links = readable ? linksOf(readable, domain) : []
  const page = { ...arrived, noindex: readable !== undefined && isNoindex(readable) }
  if (!readable) return fitting({ page, found, links })
  return fitting({ page: { ...page, ...factsOf(readable, domain) }, found, links })
}

function factsOf(facts: PageFacts, domain: string): Partial<AuditedPage> {
  const { url, title, description, canonical, alternates, vitals } = facts
  const [named] = canonical
  const address = named === undefined ? undefined : siteAddress(named, url, domain)
  const own = alternates.flatMap(({ lang, url: other }) => {
    const to = siteAddress(other, url, domain)
    return to === undefined ? [] : [{ lang, url: to }]
  })
  const { lcp, cls, ttfb, bytes } = vitals
  return {
    ...(title[0] && { title: digest(title[0]) }),
    ...(description[0] && { description: digest(description[0]) }),
    ...(address !== undefined && address !== url && { canonical: address }),
    ...(own.length > 0 && { alternates: own }),
    vitals: { lcp, cls, ttfb, bytes },
  }
}

/** All links into the site, regardless of where they lead in the end. */
const linksOf = ({ url, links }: PageFacts, domain: string): readonly string[] => [
  ...new Set(
    links.listed.flatMap((link) => {
      const address = siteAddress(link.url, url, domain)
      return address === undefined ? [] : [address]
    }),
  ),
]

const digest = (text: string) =>
  createHash('sha256').update(text.toLowerCase()).digest('base64url').slice(0, 10)

const truncateSpot = ({ selector, evidence }: PageSpots['spots'][number]) => ({
  ...(selector !== undefined && { selector: selector.slice(0, limits.seoEvidenceChars) }),
  ...(evidence !== undefined && { evidence: evidence.slice(0, limits.seoEvidenceChars) }),
})

/** Limits what each page adds to the log, so that room is left for other pages. */
function fitting({ page, found, links }: EvaluatedPage): EvaluatedPage {
  const isTooMuch = (one: EvaluatedPage) => JSON.stringify(one).length > limits.seoStepBytes
  const pagesFirst = links.toSorted((a, b) => Number(isFollowable(b)) - Number(isFollowable(a)))
  let kept: EvaluatedPage = { page, found, links }
  for (let most = pagesFirst.length; isTooMuch(kept) && most > 0; most = Math.floor(most / 2)) {
    kept = { page, found, links: pagesFirst.slice(0, most) }
  }
  if (!isTooMuch(kept)) return kept
  const bare = found.map(({ rule, count }) => ({ rule, count, spots: [] }))
  const { alternates: _, ...small } = page
  return { page: small, found: bare, links: [] }
}
