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

/** A language with optional script and region. */
const hreflang = /^(?<language>[a-z]{2,3})(-[a-z]{4})?(-(?<region>[a-z]{2}|\d{3}))?$/i

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
/** Known to Unicode, but no countries of ISO 3166-1. */
const noCountries: readonly string[] = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']

/** Whether search engines know the code: languages of ISO 639, by two letters where they have them. */
function isHreflang(code: string): boolean {
  if (code.toLowerCase() === 'x-default') return true
  const { language, region } = hreflang.exec(code)?.groups ?? {}
  if (language === undefined || languages.of(language) === undefined) return false
  const isShortest = language.length === 2 || Intl.getCanonicalLocales(language)[0]!.length === 3
  return isShortest && (region === undefined || isCountry(region.toUpperCase()))
}

/** Also a region of the UN's numbers, such as 419. `UK` is an alias of `GB` that no engine takes. */
const isCountry = (region: string): boolean =>
  regions.of(region) !== undefined &&
  !noCountries.includes(region) &&
  new Intl.Locale(`und-${region}`).region === region

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
    description: 'A code that does not exist is ignored.',
    recommendation:
      'Use a language such as en, optionally with a region as in en-GB, or x-default.',
    check: ofFacts(({ alternates }) => {
      const bad = alternates.filter(({ lang }) => !isHreflang(lang))
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
