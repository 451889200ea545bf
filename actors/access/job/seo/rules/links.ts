import { finalUrlOf, byAddress, ofFacts, type PageRule, type SiteRule } from './rule.ts'
import type { SeoState } from '../state.ts'

export const linkPageRules: readonly PageRule[] = [
  {
    id: 'link_unnamed',
    category: 'links',
    severity: 'low',
    title: 'Links without text',
    description: 'Neither people with a screen reader nor search engines know where they lead.',
    recommendation: 'Give each link a text, or give its image an alt text.',
    check: ofFacts(({ links }) => links.unnamed),
  },
  {
    id: 'nofollow_internal',
    category: 'links',
    severity: 'low',
    title: 'Internal links with nofollow',
    description: 'Search engines are told not to trust the site’s own pages.',
    recommendation: 'Remove nofollow from links within the site.',
    check: ofFacts(({ links }) => links.nofollow),
  },
]

export const linkSiteRules: readonly SiteRule[] = [
  {
    id: 'link_broken',
    category: 'links',
    severity: 'high',
    title: 'Broken links',
    description: 'They lead to pages of the site that do not respond, or that return an error.',
    recommendation: 'Correct the address, or remove the link.',
    check: (site) =>
      linksTo(site, (url, status) => {
        if (status !== undefined && (status >= 400 || status === 0)) {
          return status === 0 ? `${url} does not respond` : `${url} returns status ${status}`
        }
        return undefined
      }),
  },
  {
    id: 'link_redirected',
    category: 'links',
    severity: 'low',
    title: 'Links to addresses that redirect',
    description: 'Every visitor waits for one more response.',
    recommendation: 'Link directly to the final address.',
    check(site) {
      const pages = byAddress(site)
      return linksTo(site, (url) => {
        const page = pages.get(url)
        return page?.url === url && page.to !== undefined ? `${url} leads to ${page.to}` : undefined
      })
    },
  },
  {
    id: 'page_orphaned',
    category: 'links',
    severity: 'low',
    title: 'Pages that nothing links to',
    description: 'They are in the sitemap, but no page that was visited links to them.',
    recommendation: 'Link to them from pages where people would look for them.',
    check({ pages, targets, order }) {
      const linked = new Set(targets.map(({ url }) => url))
      return pages
        .filter(({ inSitemap, kind }) => inSitemap && kind === 'html')
        .filter((page) => !linked.has(page.url) && !linked.has(finalUrlOf(page)))
        .filter(({ url }) => url !== order.siteUrl)
        .map(({ url }) => ({ url }))
    },
  },
]

/** Places that link to the URLs in question. */
function linksTo(
  site: SeoState,
  tell: (url: string, status: number | undefined) => string | undefined,
) {
  const pages = byAddress(site)
  return site.targets.flatMap(({ url, from, status }) => {
    const page = pages.get(url)
    const evidence = tell(url, page ? page.status : status)
    if (evidence === undefined) return []
    return from.map((index) => ({ url: finalUrlOf(site.pages[index]!), evidence }))
  })
}
