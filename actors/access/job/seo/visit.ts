/** Visits one page of an audit: opens it, runs our script, applies the rules. */
import { defined } from '../../../../proto/defined.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { sentFunctions } from '../../../../runtime/browser-host/page-functions.ts'
import type * as auditCode from './in-page/page-audit.ts'
import { domainOfSite, isOfSite } from './addresses.ts'
import type { AuditBrowser, NetworkRequest } from './browser.ts'
import { isHtml, pageFacts, type PageFacts } from './facts.ts'
import { evaluatePage } from './evaluate-page.ts'
import { isAllowed } from './robots.ts'
import { finalUrlOf, type PageArrival } from './rules/rule.ts'
import type { SeoState, SeoStep } from './state.ts'

const auditLimits: auditCode.PageAuditLimits = {
  evidence: limits.seoEvidenceChars,
  title: limits.seoTitleChars,
  url: limits.seoUrlChars,
  links: limits.seoLinksPerPage,
  headings: limits.seoHeadingsPerPage,
  spots: limits.seoSpotsPerPage,
  alternates: limits.seoAlternatesPerPage,
  settleMs: limits.seoSettleMs,
}
/** An expression, because that is what the command `evaluate` takes. */
const pageScript = `(${sentFunctions<typeof auditCode>('page-audit').auditPage.source})(${JSON.stringify(auditLimits)})`

type Visited = Extract<SeoStep, { readonly kind: 'visited' }>

export async function visitPage(
  browser: AuditBrowser,
  { order, origins, pages }: SeoState,
  url: string,
): Promise<Visited> {
  const last = pages.at(-1)
  const domain = domainOfSite(order.siteUrl)
  const { arrival, facts } = await arrive(browser, url, {
    domain,
    before: last && finalUrlOf(last),
  })
  const evaluated = evaluatePage({
    arrival,
    strategy: order.strategy,
    domain,
    ...(facts && { facts }),
  })
  const open = evaluated.links.filter((link) => {
    const site = origins.find(({ origin }) => origin === new URL(link).origin)
    return !site || isAllowed(site.origin, site.robots, link)
  })
  const warnings =
    open.length < evaluated.links.length ? ['Pages that robots.txt forbids were not visited.'] : []
  return {
    area: 'seo-audits',
    kind: 'visited',
    turn: browser.turn,
    ...evaluated,
    links: open,
    warnings,
  }
}

interface Arrived {
  readonly arrival: PageArrival
  readonly facts?: PageFacts
}

async function arrive(
  browser: AuditBrowser,
  url: string,
  { domain, before }: { readonly domain: string; readonly before: string | undefined },
): Promise<Arrived> {
  const refused = await browser.open(url)
  const chain = redirectsFrom(url, await browser.network())
  const hops = Math.max(0, chain.length - 1)
  if (refused) {
    const end = chain.at(-1)?.url ?? url
    const leaves = hops > 0 && !isOfSite(end, domain)
    // The redirect ends at another site, which was not requested.
    if (leaves && end.length <= limits.seoUrlChars) {
      return { arrival: { url, status: chain[0]!.status ?? 0, kind: 'other', hops, to: end } }
    }
    const why = refused.message.slice(0, limits.seoEvidenceChars)
    return { arrival: { url, status: 0, kind: 'failed', hops, why } }
  }
  const { value, error } = await browser.evaluate(pageScript)
  const facts = pageFacts.safeParse(value).data
  const status = chain.at(-1)?.status ?? facts?.status ?? 0
  if (!facts) {
    const why = (error?.message ?? 'The page could not be read.').slice(0, limits.seoEvidenceChars)
    // An error response without a page is described by its status.
    const kind = status >= 400 ? 'other' : 'failed'
    return { arrival: { url, status, kind, hops, why } }
  }
  // A download leaves the previous page open.
  const isLeft = facts.url === before && before !== url && chain.at(-1)?.url !== facts.url
  if (isLeft) return { arrival: { url, status, kind: 'other', hops } }
  const to = facts.url !== url && facts.url.length <= limits.seoUrlChars ? facts.url : undefined
  const kind = isHtml(facts) ? 'html' : 'other'
  return { arrival: { url, status, kind, hops, ...defined({ to }) }, facts }
}

/** The requests of the document, starting with the last one for this URL. */
export function redirectsFrom(
  url: string,
  requests: readonly NetworkRequest[],
): readonly NetworkRequest[] {
  const isDocument = ({ type }: NetworkRequest) => type === 'document'
  const start = requests.findLastIndex((one) => isDocument(one) && one.url === url)
  if (start === -1) return []
  const chain: NetworkRequest[] = []
  for (const one of requests.slice(start).filter(isDocument)) {
    chain.push(one)
    const isRedirect = one.status !== undefined && one.status >= 300 && one.status < 400
    if (!isRedirect || chain.length > limits.seoRedirects) break
  }
  return chain
}
