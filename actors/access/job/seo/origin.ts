/** Reads robots.txt and the sitemaps of one origin of a site. */
import { z } from 'zod'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { domainOfSite, siteAddress } from './addresses.ts'
import type { AuditBrowser } from './browser.ts'
import { isAllowed, truncatedRobots, sitemapsIn } from './robots.ts'
import type { SeoState, SeoStep } from './state.ts'

type OriginRead = Extract<SeoStep, { readonly kind: 'origin' }>

const fetched = z.object({ status: z.int(), text: z.string(), type: z.string() })
const sitemap = z.object({
  status: z.int(),
  isIndex: z.boolean(),
  urls: z.array(z.string().max(limits.seoUrlChars)).max(2 * limits.seoPages),
})

export async function readOrigin(
  browser: AuditBrowser,
  { order }: SeoState,
  origin: string,
): Promise<OriginRead> {
  const step = { area: 'seo-audits', kind: 'origin' } as const
  const nothing = { site: { origin, robots: '', hasSitemap: false }, urls: [], disallowed: [] }
  const refused = await browser.open(`${origin}/robots.txt`)
  if (refused) {
    const failure = `${origin} cannot be opened: ${refused.message}`
    return { ...step, ...nothing, warnings: [failure], failure }
  }
  const answer = await read(browser, fetchText(`${origin}/robots.txt`), fetched)
  if (answer && answer.status >= 500) {
    const failure = `${origin}/robots.txt returns status ${answer.status}: nothing may be visited until it can be read.`
    return { ...step, ...nothing, warnings: [failure], failure }
  }
  // An HTML page, such as an error page, is not a robots.txt.
  const text = answer?.status === 200 && !answer.type.includes('html') ? answer.text : ''
  const { robots, isCut } = truncatedRobots(text)
  const domain = domainOfSite(order.siteUrl)
  const named = sitemapsIn(origin, text)
  const listed =
    order.pagesMost > 1
      ? await readSitemaps(browser, origin, named.length > 0 ? named : [`${origin}/sitemap.xml`])
      : { urls: [], hasSitemap: false, warnings: [] }
  const urls = listed.urls.flatMap((url) => siteAddress(url, origin, domain) ?? [])
  const open = urls.filter((url) => isAllowed(origin, robots, url))
  const warnings = [
    ...listed.warnings,
    ...(answer
      ? []
      : [`${origin}/robots.txt could not be read; all pages were treated as allowed.`]),
    ...(isCut ? ['robots.txt is very long; only its beginning was used.'] : []),
  ]
  return {
    ...step,
    site: { origin, robots, hasSitemap: listed.hasSitemap },
    urls: open.slice(0, order.pagesMost),
    disallowed: urls.filter((url) => !open.includes(url)).slice(0, limits.seoSpotsPerPage),
    warnings,
  }
}

async function readSitemaps(browser: AuditBrowser, origin: string, first: readonly string[]) {
  const waiting = [...first]
  const urls = new Set<string>()
  const warnings: string[] = []
  let hasSitemap = false
  for (let read_ = 0; waiting.length > 0 && read_ < limits.seoSitemaps; read_++) {
    const url = waiting.shift()!
    if (!URL.canParse(url) || new URL(url).origin !== origin) {
      warnings.push(`The sitemap ${url.slice(0, 200)} belongs to another host and was not read.`)
      continue
    }
    const found = await read(browser, fetchSitemap(url), sitemap)
    if (!found || found.status !== 200) {
      if (first.includes(url) && found?.status !== 404) {
        warnings.push(`The sitemap ${url} could not be read.`)
      }
      continue
    }
    hasSitemap ||= found.isIndex || found.urls.length > 0
    if (found.isIndex) waiting.push(...found.urls.slice(0, limits.seoSitemaps))
    else for (const one of found.urls) if (urls.size < 2 * limits.seoPages) urls.add(one)
  }
  return { urls: [...urls], hasSitemap, warnings }
}

async function read<T>(
  browser: AuditBrowser,
  expression: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const { value } = await browser.evaluate(expression)
  return schema.safeParse(value).data
}

/** A script that fetches from the origin of the open document. */
const fetchText = (url: string) => `(async () => {
  const answer = await fetch(${JSON.stringify(url)}, {
    credentials: 'omit', signal: AbortSignal.timeout(${limits.seoScriptMs}) })
  const text = (await answer.text()).slice(0, ${4 * limits.seoRobotsChars})
  return { status: answer.status, text, type: answer.headers.get('content-type') ?? '' }
})()`

const fetchSitemap = (url: string) => `(async () => {
  const answer = await fetch(${JSON.stringify(url)}, {
    credentials: 'omit', signal: AbortSignal.timeout(${limits.seoScriptMs}) })
  if (!answer.ok) return { status: answer.status, isIndex: false, urls: [] }
  const isPacked = ${/\.gz$/.test(url)} && answer.headers.get('content-encoding') === null
  const body = isPacked ? answer.body.pipeThrough(new DecompressionStream('gzip')) : answer.body
  const text = await new Response(body).text()
  const plain = (one) => one.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"').replaceAll('&apos;', "'").replaceAll('&amp;', '&')
  const isXml = /<(urlset|sitemapindex)[\\s>]/.test(text)
  const found = isXml
    ? [...text.matchAll(/<loc>\\s*([^<]+?)\\s*<\\/loc>/g)].map((match) => plain(match[1]))
    : text.split(/\\s+/)
  const urls = found.filter((one) => /^https?:/.test(one) && one.length <= ${limits.seoUrlChars})
  return { status: 200, isIndex: /<sitemapindex[\\s>]/.test(text), urls: urls.slice(0, ${2 * limits.seoPages}) }
})()`
