/** What of a mask concerns this document. */

/** Of the option, with our own rules. */
export interface PageMask {
  readonly selectors: readonly string[]
  /** By host; a host includes its subdomains. */
  readonly siteSelectors: Readonly<Record<string, readonly string[]>>
  readonly patterns: readonly string[]
  /** The event of `openRoots`; no page knows it. */
  readonly rootEvent: string
}

export function selectorsHere({ selectors, siteSelectors }: PageMask): readonly string[] {
  const host = hostHere()
  const sites = Object.entries(siteSelectors).filter(
    ([site]) => host === site || host.endsWith(`.${site}`),
  )
  return [...selectors, ...sites.flatMap(([, own]) => own)]
}

/** A frame without an address of its own has the origin of the page that made it. */
function hostHere(): string {
  const { hostname } = location
  return hostname !== '' || !URL.canParse(origin) ? hostname : new URL(origin).hostname
}

/** Patterns are those of RE2, most of which JavaScript has; those with `\p` need the flag `u`. */
export const patternsHere = ({ patterns }: PageMask): readonly RegExp[] =>
  patterns.map((pattern) => {
    try {
      return new RegExp(pattern, 'gu')
    } catch {
      // Needless escapes, which only the older syntax allows.
      return new RegExp(pattern, 'g')
    }
  })

/** The first that is no selector for this browser. */
export function refusedSelector(selectors: readonly string[]): string | undefined {
  const nothing = document.createDocumentFragment()
  return selectors.find((selector) => {
    try {
      nothing.querySelector(selector)
      return false
    } catch {
      return true
    }
  })
}
