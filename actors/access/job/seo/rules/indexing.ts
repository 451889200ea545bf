import { isOfSite } from '../addresses.ts'
import { isNoindex } from '../facts.ts'
import {
  byAddress,
  noSpots,
  ofFacts,
  oneSpot,
  readablePages,
  spotWhen,
  type PageRule,
  type SiteRule,
} from './rule.ts'

export const indexingPageRules: readonly PageRule[] = [
  {
    id: 'page_failed',
    category: 'indexing',
    severity: 'critical',
    title: 'Pages that do not open',
    description: 'The browser got no response, or was redirected in a loop or away from the site.',
    recommendation: 'Make the address respond, or remove the links to it.',
    check: ({ arrival: { kind, why } }) => spotWhen(kind === 'failed', why),
  },
  {
    id: 'http_error',
    category: 'indexing',
    severity: 'high',
    title: 'Pages that return an error',
    description: 'A page with a status of 400 or above is dropped from search results.',
    recommendation: 'Restore the page, redirect it to its successor, or remove links to it.',
    check: ({ arrival: { status } }) => spotWhen(status >= 400, `status ${status}`),
  },
  {
    id: 'redirect_chain',
    category: 'indexing',
    severity: 'medium',
    title: 'Chains of redirects',
    description: 'Each further redirect costs time, and search engines follow only a few.',
    recommendation: 'Redirect straight to the final address.',
    check: ({ arrival: { hops, to } }) => spotWhen(hops > 1, `${hops} redirects to ${to}`),
  },
  {
    id: 'noindex',
    category: 'indexing',
    severity: 'high',
    title: 'Pages kept out of search results',
    description: 'A robots directive of the page says noindex.',
    recommendation: 'Remove noindex from pages that should be found.',
    check: ofFacts((facts) =>
      spotWhen(isNoindex(facts), facts.robots.join(', '), 'meta[name=robots]'),
    ),
  },
  {
    id: 'canonical_missing',
    category: 'indexing',
    severity: 'low',
    title: 'Pages without a canonical address',
    description: 'If a page has several addresses, search engines choose one themselves.',
    recommendation: 'Name the preferred address with <link rel="canonical">.',
    check: ofFacts(({ canonical }) => spotWhen(canonical.length === 0)),
  },
  {
    id: 'canonical_conflict',
    category: 'indexing',
    severity: 'high',
    title: 'Several canonical addresses',
    description: 'With more than one canonical address, all of them are ignored.',
    recommendation: 'Keep one <link rel="canonical"> per page.',
    check: ofFacts(({ canonical }) => {
      const different = [...new Set(canonical)]
      return different.length > 1 ? oneSpot(different.join(', '), 'link[rel=canonical]') : noSpots
    }),
  },
  {
    id: 'canonical_elsewhere',
    category: 'indexing',
    severity: 'high',
    title: 'Canonical addresses on another site',
    description: 'Search engines then show the other site instead of this page.',
    recommendation: 'Name an address of this site, unless the page is a copy of the other one.',
    check: ofFacts(({ canonical, url }, { domain }) => {
      const named = canonical.flatMap((text) =>
        URL.canParse(text, url) ? [new URL(text, url).href] : [],
      )
      const other = named.find((address) => !isOfSite(address, domain))
      return spotWhen(other !== undefined, other?.slice(0, 200), 'link[rel=canonical]')
    }),
  },
]

export const indexingSiteRules: readonly SiteRule[] = [
  {
    id: 'canonical_bad_target',
    category: 'indexing',
    severity: 'high',
    title: 'Canonical addresses that cannot be indexed',
    description: 'The canonical address fails, redirects or says noindex.',
    recommendation: 'Name an address that returns status 200 and may be indexed.',
    check(site) {
      const pages = byAddress(site)
      return readablePages(site).flatMap(({ url, canonical }) => {
        const target = canonical === undefined ? undefined : pages.get(canonical)
        if (!target) return []
        const redirects = target.url === canonical && target.to !== undefined
        const isBad = target.status >= 400 || target.kind === 'failed' || target.noindex
        const spot = { url, selector: 'link[rel=canonical]', evidence: canonical! }
        return isBad || redirects ? [spot] : []
      })
    },
  },
  {
    id: 'sitemap_missing',
    category: 'indexing',
    severity: 'low',
    title: 'No sitemap',
    description: 'Search engines find pages only through links, and new pages late.',
    recommendation: 'Offer /sitemap.xml and name it in robots.txt.',
    // Does not apply to the audit of a single page.
    check: ({ origins, order }) =>
      order.pagesMost > 1 && origins.length > 0 && !origins.some(({ hasSitemap }) => hasSitemap)
        ? [{ url: order.siteUrl }]
        : [],
  },
  {
    id: 'sitemap_bad_page',
    category: 'indexing',
    severity: 'medium',
    title: 'Pages in the sitemap that cannot be indexed',
    description: 'The sitemap names pages that fail, redirect or say noindex.',
    recommendation: 'List only the final addresses of pages that should be found.',
    check: ({ pages }) =>
      pages.flatMap(({ url, inSitemap, status, noindex, to, kind }) => {
        if (!inSitemap) return []
        const why =
          kind === 'failed' || status >= 400
            ? `status ${status}`
            : to !== undefined
              ? `redirects to ${to}`
              : noindex && 'noindex'
        return why ? [{ url, evidence: why }] : []
      }),
  },
  {
    id: 'sitemap_disallowed',
    category: 'indexing',
    severity: 'medium',
    title: 'Pages in the sitemap that robots.txt forbids',
    description: 'The sitemap names what search engines are told to leave alone.',
    recommendation: 'Allow these pages in robots.txt, or take them out of the sitemap.',
    check: ({ disallowed }) => disallowed.map((url) => ({ url })),
  },
]
