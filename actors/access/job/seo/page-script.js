/**
 * Runs in an audited page as the body of one function, `(limits) => { … return collect() }`, which
 * `visit.ts` puts around it. `collect` returns plain data. The page can manipulate it, so its result
 * is validated and never trusted.
 */
/* global limits */

const cut = (text, chars = limits.evidence) =>
  String(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, chars)
const all = (selector) => [...document.querySelectorAll(selector)]
const attribute = (element, name) => element.getAttribute(name) ?? ''
const resolved = (text) => {
  try {
    return new URL(text, document.baseURI).href
  } catch {
    return ''
  }
}
const contents = (name) =>
  all('meta[name][content]')
    .filter((meta) => attribute(meta, 'name').toLowerCase() === name)
    .map((meta) => cut(attribute(meta, 'content'), limits.title))

function selectorOf(element) {
  const parts = []
  for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
    if (at.id && /^[A-Za-z][\w-]*$/.test(at.id)) return cut(['#' + at.id, ...parts].join(' > '))
    const name = at.localName
    const alike = at.parentElement
      ? [...at.parentElement.children].filter((one) => one.localName === name)
      : [at]
    parts.unshift(alike.length > 1 ? `${name}:nth-of-type(${alike.indexOf(at) + 1})` : name)
  }
  return cut(parts.join(' > '))
}

/** The first few spots, and the number of all. */
const spots = (elements, evidenceOf) => ({
  count: elements.length,
  spots: elements.slice(0, limits.spots).map((element) => ({
    selector: selectorOf(element),
    evidence: cut(evidenceOf(element)),
  })),
})

/** The browser's performance entries of this type so far. */
function entriesOf(type) {
  return new Promise((resolve) => {
    const entries = []
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
    }, limits.settleMs)
  })
}

/** CLS: the largest sum of shifts in a window of at most 5 s without a gap of 1 s. */
function layoutShift(shifts) {
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

async function measure() {
  const [paints, shifts] = await Promise.all([
    entriesOf('largest-contentful-paint'),
    entriesOf('layout-shift'),
  ])
  const [navigation] = performance.getEntriesByType('navigation')
  const resources = performance.getEntriesByType('resource')
  const bytes = [navigation, ...resources].reduce(
    (sum, entry) => sum + (entry?.transferSize || entry?.encodedBodySize || 0),
    0,
  )
  return {
    lcp: paints.at(-1)?.startTime ?? null,
    cls: layoutShift(shifts),
    ttfb: navigation?.responseStart ?? null,
    bytes,
    requests: resources.length + 1,
  }
}

function jsonLd() {
  const invalid = []
  const incomplete = []
  const scripts = all('script[type="application/ld+json" i]')
  for (const script of scripts) {
    try {
      const found = JSON.parse(script.textContent)
      const things = Array.isArray(found) ? found : [found]
      for (const thing of things) {
        if (!thing?.['@context']) incomplete.push([script, 'has no @context'])
        else if (!thing['@type'] && !thing['@graph']) incomplete.push([script, 'has no @type'])
      }
    } catch (error) {
      invalid.push([script, error.message])
    }
  }
  const told = (pairs) =>
    spots(
      pairs.map(([script]) => script),
      (script) => pairs.find(([one]) => one === script)[1],
    )
  return { count: scripts.length, invalid: told(invalid), incomplete: told(incomplete) }
}

const nameOf = (link) =>
  link.innerText.trim() ||
  attribute(link, 'aria-label') ||
  attribute(link, 'title') ||
  [...link.querySelectorAll('img[alt], svg title')]
    .map((one) => attribute(one, 'alt') || one.textContent)
    .join('')
    .trim()

function links() {
  const anchors = all('a[href]').filter(({ href }) => /^https?:/.test(String(href)))
  const listed = new Map()
  for (const anchor of anchors) {
    const url = resolved(attribute(anchor, 'href')).replace(/#.*$/, '')
    if (url === '' || url.length > limits.url || listed.has(url)) continue
    if (listed.size === limits.links) break
    listed.set(url, { url, nofollow: /\bnofollow\b/i.test(anchor.rel) })
  }
  const unnamed = anchors.filter((anchor) => nameOf(anchor) === '')
  const own = anchors.filter(
    ({ rel, origin }) => /\bnofollow\b/i.test(rel) && origin === location.origin,
  )
  return {
    count: anchors.length,
    listed: [...listed.values()],
    unnamed: spots(unnamed, (anchor) => attribute(anchor, 'href')),
    nofollow: spots(own, (anchor) => attribute(anchor, 'href')),
  }
}

function images() {
  const pictures = all('img')
  const isHidden = (image) => image.closest('[aria-hidden="true"], [role="presentation"]')
  const isHere = (image) => resolved(image.currentSrc || image.src).startsWith(location.origin)
  const source = (image) => attribute(image, 'src')
  const withoutSize = pictures.filter(
    (image) =>
      !(image.hasAttribute('width') && image.hasAttribute('height')) &&
      getComputedStyle(image).aspectRatio === 'auto',
  )
  return {
    count: pictures.length,
    withoutAlt: spots(
      pictures.filter((image) => !image.hasAttribute('alt') && !isHidden(image)),
      source,
    ),
    // URLs of other hosts were not requested.
    broken: spots(
      pictures.filter((image) => image.complete && image.naturalWidth === 0 && isHere(image)),
      source,
    ),
    withoutSize: spots(withoutSize, source),
  }
}

function security() {
  const secure = location.protocol === 'https:'
  const loaded = all('script[src], iframe[src], img[src], link[rel~="stylesheet"][href]')
  const address = (element) => resolved(attribute(element, 'src') || attribute(element, 'href'))
  const isLocal = (url) => /^http:\/\/(localhost|127\.|\[::1\])/.test(url)
  const plain = (url) => url.startsWith('http:') && !isLocal(url)
  const forms = all('form[action]').filter((form) => plain(resolved(attribute(form, 'action'))))
  return {
    isSecure: isSecureContext,
    mixed: spots(secure ? loaded.filter((element) => plain(address(element))) : [], address),
    forms: spots(forms, (form) => attribute(form, 'action')),
  }
}

async function collect() {
  const vitals = await measure()
  const headings = all('h1, h2, h3, h4, h5, h6').map((heading) => ({
    level: Number(heading.localName[1]),
    text: cut(heading.innerText),
  }))
  const text = document.body?.innerText ?? ''
  return {
    url: location.href.replace(/#.*$/, ''),
    status: performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0,
    contentType: document.contentType,
    title: all('head > title').map((title) => cut(title.textContent, limits.title)),
    lang: cut(attribute(document.documentElement, 'lang'), 40),
    description: contents('description'),
    robots: [...contents('robots'), ...contents('googlebot')],
    viewport: contents('viewport'),
    canonical: all('link[rel~="canonical" i][href]')
      .slice(0, limits.spots)
      .map((link) => resolved(attribute(link, 'href')).slice(0, limits.url)),
    alternates: all('link[rel~="alternate" i][hreflang]')
      .slice(0, limits.alternates)
      .map((link) => ({
        lang: cut(attribute(link, 'hreflang'), 40),
        url: resolved(attribute(link, 'href')).slice(0, limits.url),
      })),
    headings: headings.slice(0, limits.headings),
    words: (text.match(/[\p{L}\p{N}]+/gu) ?? []).length,
    links: links(),
    images: images(),
    jsonLd: jsonLd(),
    security: security(),
    width: { content: document.documentElement.scrollWidth, window: innerWidth },
    vitals,
  }
}
