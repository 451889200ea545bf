/**
 * Checks and completes the order of an SEO audit: the site must be one that this client may have
 * audited.
 */
import { z } from 'zod'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import type { SeoAuditOrder } from '../../../proto/access/jobs/job.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { newId } from '../../../proto/ids.ts'
import { invalidFields } from '../../../runtime/access/records/validate-fields.ts'
import { listRecords, type ListDeps } from '../../../runtime/access/records/index/list.ts'
import { isOfDomains } from '../../../runtime/lib/network/domains.ts'
import { leadsToPrivateNetwork } from '../../../runtime/lib/network/guard/internal-url.ts'
import { canonicalHost } from '../../../runtime/lib/network/hosts.ts'

interface OrderDeps extends ListDeps {
  readonly clientId: ClientId
  readonly privateHosts: readonly string[]
}

const asked = z.object({
  site_url: z.string(),
  strategy: z.enum(['mobile', 'desktop']),
  pages_most: z.int(),
})

export async function seoAuditOrder(fields: RecordFields, deps: OrderDeps): Promise<SeoAuditOrder> {
  const { site_url, strategy, pages_most: pagesMost } = asked.parse(fields)
  const url = new URL(site_url)
  url.hash = ''
  await checkSite(url, deps)
  const sessionIds = Array.from({ length: limits.jobSessions }, () => newId('ses'))
  return { area: 'seo-audits', siteUrl: url.href, strategy, pagesMost, sessionIds }
}

/** Names that resolve to private addresses are refused later by the browser. */
async function checkSite(url: URL, { privateHosts, clientId, ...deps }: OrderDeps): Promise<void> {
  if (url.href.length > limits.seoUrlChars) {
    throw unfit(`must have at most ${limits.seoUrlChars} characters`)
  }
  if (url.username !== '' || url.password !== '')
    throw unfit('must not contain a user name or password')
  if (isOfDomains(url, privateHosts)) return
  const host = canonicalHost(url.hostname)
  if (leadsToPrivateNetwork(url)) {
    throw unfit('is a private address; only sites on the internet are audited')
  }
  const bare = host.replace(/^www\./, '')
  const { records } = await listRecords(deps, clientId, {
    area: 'domains',
    limit: 1,
    sort: { field: 'created_at', descending: true },
    filters: [
      { field: 'hostname', values: [bare, `www.${bare}`] },
      { field: 'status', values: ['active'] },
    ],
    where: [],
  })
  if (records.length > 0) return
  throw unfit('must belong to an active domain of this client (area domains)')
}

const unfit = (text: string) => invalidFields([{ pointer: '/site_url', text }])
