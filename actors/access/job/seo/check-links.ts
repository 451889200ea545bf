/** Requests URLs of the site that pages link to and that are not visited. */
import { z } from 'zod'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { AuditBrowser } from './browser.ts'
import { uncheckedLinks } from './fold.ts'
import type { SeoState, SeoStep } from './state.ts'

type LinkStatuses = Extract<SeoStep, { readonly kind: 'links' }>

const answered = z.array(z.int().min(0).max(999))

/**
 * Checks the links of one origin, from a document of that origin; the next call checks the next
 * origin.
 */
export async function checkLinks(browser: AuditBrowser, state: SeoState): Promise<LinkStatuses> {
  const step = { area: 'seo-audits', kind: 'links' } as const
  const all = uncheckedLinks(state)
  const [first] = all
  if (first === undefined) return { ...step, statuses: [] }
  const { origin } = new URL(first)
  const urls = all.filter((url) => new URL(url).origin === origin)
  const refused = await browser.open(`${origin}/robots.txt`)
  const { value } = refused ? {} : await browser.evaluate(askFor(urls))
  const statuses = answered.safeParse(value).data
  return { ...step, statuses: urls.map((url, i) => ({ url, status: statuses?.[i] ?? 0 })) }
}

/** A redirect counts as a response and is not followed, because it may lead to another site. */
const askFor = (urls: readonly string[]) => `(async () => {
  const ask = async (url, method) => {
    const answer = await fetch(url, { method, redirect: 'manual', credentials: 'omit',
      signal: AbortSignal.timeout(${limits.seoScriptMs / 2}) })
    return answer.type === 'opaqueredirect' ? 302 : answer.status
  }
  const statusOf = async (url) => {
    try {
      const status = await ask(url, 'HEAD')
      return status === 405 || status === 501 ? await ask(url, 'GET') : status
    } catch {
      return 0
    }
  }
  const statuses = []
  const urls = ${JSON.stringify(urls)}
  for (let i = 0; i < urls.length; i += 4)
    statuses.push(...(await Promise.all(urls.slice(i, i + 4).map(statusOf))))
  return statuses
})()`
