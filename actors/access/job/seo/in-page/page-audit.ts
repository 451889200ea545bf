/**
 * Runs in an audited page and returns plain data. The page can manipulate it, so its result is
 * validated (`facts.ts`) and never trusted.
 */

export interface PageAuditLimits {
  /** Characters of a piece of evidence. */
  readonly evidence: number
  readonly title: number
  readonly url: number
  readonly links: number
  readonly headings: number
  readonly spots: number
  readonly alternates: number
  readonly settleMs: number
}

interface LayoutShift extends PerformanceEntry {
  readonly value: number
  readonly hadRecentInput: boolean
}

export class PageAudit {
  readonly #limits: PageAuditLimits

  constructor(limits: PageAuditLimits) {
    this.#limits = limits
  }

  async collect() {
    const limits = this.#limits
    const vitals = await this.#vitals()
    const headings = this.#all<HTMLElement>('h1, h2, h3, h4, h5, h6').map((heading) => ({
      level: Number(heading.localName[1]),
      text: this.#cut(heading.innerText),
    }))
    // An XML document has no body.
    const text = (document.body as HTMLElement | null)?.innerText ?? ''
    return {
      url: location.href.replace(/#.*$/, ''),
      status: this.#navigation()?.responseStatus ?? 0,
      contentType: document.contentType,
      title: this.#all('head > title').map((title) => this.#cut(title.textContent, limits.title)),
      lang: this.#cut(this.#attribute(document.documentElement, 'lang'), 40),
      description: this.#contents('description'),
      robots: [...this.#contents('robots'), ...this.#contents('googlebot')],
      viewport: this.#contents('viewport'),
      canonical: this.#all('link[rel~="canonical" i][href]')
        .slice(0, limits.spots)
        .map((link) => this.#resolved(this.#attribute(link, 'href')).slice(0, limits.url)),
      alternates: this.#all('link[rel~="alternate" i][hreflang]')
        .slice(0, limits.alternates)
        .map((link) => ({
          lang: this.#cut(this.#attribute(link, 'hreflang'), 40),
          url: this.#resolved(this.#attribute(link, 'href')).slice(0, limits.url),
        })),
      headings: headings.slice(0, limits.headings),
      words: (text.match(/[\p{L}\p{N}]+/gu) ?? []).length,
      links: this.#links(),
      images: this.#images(),
      jsonLd: this.#jsonLd(),
      security: this.#security(),
      width: { content: document.documentElement.scrollWidth, window: innerWidth },
      vitals,
    }
  }

  #cut(text: string | null, chars = this.#limits.evidence): string {
    return (text ?? '').replace(/\s+/g, ' ').trim().slice(0, chars)
  }

  #all<E extends Element = Element>(selector: string): E[] {
    return [...document.querySelectorAll<E>(selector)]
  }

  #attribute(element: Element, name: string): string {
    return element.getAttribute(name) ?? ''
  }

  #resolved(text: string): string {
    try {
      return new URL(text, document.baseURI).href
    } catch {
      return ''
    }
  }

  #contents(name: string): string[] {
    return this.#all('meta[name][content]')
      .filter((meta) => this.#attribute(meta, 'name').toLowerCase() === name)
      .map((meta) => this.#cut(this.#attribute(meta, 'content'), this.#limits.title))
  }

  #selectorOf(element: Element): string {
    const parts: string[] = []
    let at: Element | null = element
    for (; at && at !== document.documentElement; at = at.parentElement) {
      if (at.id && /^[A-Za-z][\w-]*$/.test(at.id)) {
        return this.#cut(['#' + at.id, ...parts].join(' > '))
      }
      const { localName: name, parentElement: parent } = at
      const alike = [...(parent?.children ?? [at])].filter((one) => one.localName === name)
      parts.unshift(alike.length > 1 ? `${name}:nth-of-type(${alike.indexOf(at) + 1})` : name)
    }
    return this.#cut(parts.join(' > '))
  }

  /** The first few spots, and the number of all. */
  #spots<E extends Element>(elements: readonly E[], evidenceOf: (element: E) => string) {
    return {
      count: elements.length,
      spots: elements.slice(0, this.#limits.spots).map((element) => ({
        selector: this.#selectorOf(element),
        evidence: this.#cut(evidenceOf(element)),
      })),
    }
  }

  #navigation(): PerformanceNavigationTiming | undefined {
    const [navigation] = performance.getEntriesByType('navigation')
    return navigation as PerformanceNavigationTiming | undefined
  }

  /** The browser's performance entries of this type so far. */
  #entriesOf(type: string): Promise<PerformanceEntry[]> {
    return new Promise((resolve) => {
      const entries: PerformanceEntry[] = []
      const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()))
      try {
        observer.observe({ type, buffered: true })
      } catch {
        return resolve([])
      }
      setTimeout(() => {
        entries.push(...observer.takeRecords())
        observer.disconnect()
        resolve(entries)
      }, this.#limits.settleMs)
    })
  }

  /** CLS: the largest sum of shifts in a window of at most 5 s without a gap of 1 s. */
  #layoutShift(shifts: readonly LayoutShift[]): number {
    let worst = 0
    let sum = 0
    let first = 0
    let last = -Infinity
    for (const { value, startTime, hadRecentInput } of shifts) {
      if (hadRecentInput) continue
      if (startTime - last > 1_000 || startTime - first > 5_000) {
        sum = 0
        first = startTime
      }
      last = startTime
      sum += value
      worst = Math.max(worst, sum)
    }
    return worst
  }

  async #vitals() {
    const [paints, shifts] = await Promise.all([
      this.#entriesOf('largest-contentful-paint'),
      this.#entriesOf('layout-shift') as Promise<LayoutShift[]>,
    ])
    const navigation = this.#navigation()
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const loaded = navigation ? [navigation, ...resources] : resources
    const sizes = loaded.map((entry) => entry.transferSize || entry.encodedBodySize || 0)
    return {
      lcp: paints.at(-1)?.startTime ?? null,
      cls: this.#layoutShift(shifts),
      ttfb: navigation?.responseStart ?? null,
      bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
      requests: resources.length + 1,
    }
  }

  #jsonLd() {
    const invalid = new Map<Element, string>()
    const incomplete = new Map<Element, string>()
    const scripts = this.#all('script[type="application/ld+json" i]')
    for (const script of scripts) {
      try {
        const found = JSON.parse(script.textContent ?? '') as unknown
        for (const thing of (Array.isArray(found) ? found : [found]) as unknown[]) {
          const { '@context': context, '@type': type, '@graph': graph } = Object(thing)
          if (!context) incomplete.set(script, 'has no @context')
          else if (!type && !graph) incomplete.set(script, 'has no @type')
        }
      } catch (error) {
        invalid.set(script, (error as Error).message)
      }
    }
    const told = (faults: ReadonlyMap<Element, string>) =>
      this.#spots([...faults.keys()], (script) => faults.get(script)!)
    return { count: scripts.length, invalid: told(invalid), incomplete: told(incomplete) }
  }

  #nameOf(link: HTMLAnchorElement): string {
    const pictures = [...link.querySelectorAll('img[alt], svg title')]
    return (
      link.innerText.trim() ||
      this.#attribute(link, 'aria-label') ||
      this.#attribute(link, 'title') ||
      pictures
        .map((one) => this.#attribute(one, 'alt') || one.textContent)
        .join('')
        .trim()
    )
  }

  #links() {
    const all = this.#all<HTMLAnchorElement>('a[href]')
    const anchors = all.filter(({ href }) => /^https?:/.test(String(href)))
    const listed = new Map<string, { readonly url: string; readonly nofollow: boolean }>()
    for (const anchor of anchors) {
      const url = this.#resolved(this.#attribute(anchor, 'href')).replace(/#.*$/, '')
      if (url === '' || url.length > this.#limits.url || listed.has(url)) continue
      if (listed.size === this.#limits.links) break
      listed.set(url, { url, nofollow: /\bnofollow\b/i.test(anchor.rel) })
    }
    const unnamed = anchors.filter((anchor) => this.#nameOf(anchor) === '')
    const own = anchors.filter(
      ({ rel, origin }) => /\bnofollow\b/i.test(rel) && origin === location.origin,
    )
    const hrefOf = (anchor: Element) => this.#attribute(anchor, 'href')
    return {
      count: anchors.length,
      listed: [...listed.values()],
      unnamed: this.#spots(unnamed, hrefOf),
      nofollow: this.#spots(own, hrefOf),
    }
  }

  #images() {
    const pictures = this.#all<HTMLImageElement>('img')
    const isHidden = (image: Element) =>
      image.closest('[aria-hidden="true"], [role="presentation"]') !== null
    const isHere = (image: HTMLImageElement) =>
      this.#resolved(image.currentSrc || image.src).startsWith(location.origin)
    const source = (image: Element) => this.#attribute(image, 'src')
    const withoutSize = pictures.filter(
      (image) =>
        !(image.hasAttribute('width') && image.hasAttribute('height')) &&
        getComputedStyle(image).aspectRatio === 'auto',
    )
    return {
      count: pictures.length,
      withoutAlt: this.#spots(
        pictures.filter((image) => !image.hasAttribute('alt') && !isHidden(image)),
        source,
      ),
      // URLs of other hosts were not requested.
      broken: this.#spots(
        pictures.filter((image) => image.complete && image.naturalWidth === 0 && isHere(image)),
        source,
      ),
      withoutSize: this.#spots(withoutSize, source),
    }
  }

  #security() {
    const secure = location.protocol === 'https:'
    const loaded = this.#all('script[src], iframe[src], img[src], link[rel~="stylesheet"][href]')
    const address = (element: Element) =>
      this.#resolved(this.#attribute(element, 'src') || this.#attribute(element, 'href'))
    const isLocal = (url: string) => /^http:\/\/(localhost|127\.|\[::1\])/.test(url)
    const isPlain = (url: string) => url.startsWith('http:') && !isLocal(url)
    const action = (form: Element) => this.#attribute(form, 'action')
    const forms = this.#all('form[action]').filter((form) => isPlain(this.#resolved(action(form))))
    return {
      isSecure: isSecureContext,
      mixed: this.#spots(
        secure ? loaded.filter((element) => isPlain(address(element))) : [],
        address,
      ),
      forms: this.#spots(forms, action),
    }
  }
}

export const auditPage = (limits: PageAuditLimits) => new PageAudit(limits).collect()
