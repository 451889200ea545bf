import {
  finalUrlOf,
  byAddress,
  noSpots,
  ofFacts,
  oneSpot,
  readablePages,
  spotWhen,
  type PageRule,
  type SiteRule,
} from './rule.ts'

/** A language with optional script and region; or x-default. */
const hreflang = /^(x-default|[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?)$/i

export const internationalPageRules: readonly PageRule[] = [
  {
    id: 'lang_missing',
    category: 'international',
    severity: 'medium',
    title: 'Pages that do not declare their language',
    description: 'Screen readers then use the wrong voice, and translators have to guess.',
    recommendation: 'Set <html lang="…">.',
    check: ofFacts(({ lang }) => spotWhen(lang === '')),
  },
  {
    id: 'hreflang_invalid',
    category: 'international',
    severity: 'medium',
    title: 'Language versions with a wrong code',
    description: 'An invalid code is ignored.',
    recommendation:
      'Use a language such as en, optionally with a region as in en-GB, or x-default.',
    check: ofFacts(({ alternates }) => {
      const bad = alternates.filter(({ lang }) => !hreflang.test(lang))
      const spots = bad.map(({ lang, url }) => ({ evidence: `${lang}: ${url}`.slice(0, 200) }))
      return { count: bad.length, spots: spots.slice(0, 10) }
    }),
  },
  {
    id: 'hreflang_no_self',
    category: 'international',
    severity: 'low',
    title: 'Language versions that leave out the page itself',
    description: 'Each page must list all versions, including itself.',
    recommendation: 'Add the page’s own address and language to the list.',
    check: ofFacts(({ alternates, url, canonical }) => {
      if (alternates.length === 0) return noSpots
      const own = [url, ...canonical]
      return alternates.some((one) => own.includes(one.url)) ? noSpots : oneSpot()
    }),
  },
]

export const internationalSiteRules: readonly SiteRule[] = [
  {
    id: 'hreflang_no_return',
    category: 'international',
    severity: 'medium',
    title: 'Language versions that do not point back',
    description: 'Search engines accept a pair only if both pages name each other.',
    recommendation: 'List the same versions on each of them.',
    check(site) {
      const pages = byAddress(site)
      return readablePages(site).flatMap((page) =>
        (page.alternates ?? []).flatMap(({ lang, url }) => {
          const other = pages.get(url)
          if (!other || other === page) return []
          const back = (other.alternates ?? []).some((one) => pages.get(one.url) === page)
          return back ? [] : [{ url: finalUrlOf(page), evidence: `${lang}: ${url}`.slice(0, 200) }]
        }),
      )
    },
  },
]
