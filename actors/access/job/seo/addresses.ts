/** Which URLs belong to the audited site, and which of them may be pages. */
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { canonicalHost } from '../../../../runtime/lib/network/hosts.ts'
import { isOfDomains } from '../../../../runtime/lib/network/domains.ts'

/** The site in the syntax of `allowed_domains`: its host with and without `www.`, at its port. */
export function domainOfSite(siteUrl: string): string {
  const { hostname, port } = new URL(siteUrl)
  const host = canonicalHost(hostname).replace(/^www\./, '')
  const bare = host.includes(':') ? `[${host}]` : host
  return port === '' ? bare : `${bare}:${port}`
}

export const isOfSite = (url: string, domain: string): boolean =>
  URL.canParse(url) && /^https?:/.test(url) && isOfDomains(new URL(url), [domain])

/** The URL without its fragment; undefined if it is outside the site or too long. */
export function siteAddress(text: string, base: string, domain: string): string | undefined {
  if (!URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  url.hash = ''
  const { href } = url
  const fits = href.length <= limits.seoUrlChars && url.username === '' && url.password === ''
  return fits && isOfSite(href, domain) ? href : undefined
}

const files =
  /\.(7z|avi|avif|bmp|css|csv|docx?|eot|exe|gif|gz|ico|jpe?g|js|json|m4a|mov|mp[34]|ogg|pdf|png|pptx?|rar|rss|svg|tar|tiff?|ttf|txt|wav|webm|webp|woff2?|xlsx?|xml|zip)$/i

/** True if it may be a page; other files are requested but not opened. */
export const isFollowable = (url: string): boolean =>
  url.length <= limits.seoUrlChars && !files.test(new URL(url).pathname)
