/** The logins that a task may fill in: those that its order names, or all of its tenant. */
import type { KnownSiteLogin, SiteLoginRecord } from '../../proto/session/site-login.ts'
import { taskLimits } from '../../proto/task/task-limits.ts'
import type { TaskBody } from '../../proto/task/task.ts'
import { isOfDomains } from '../../runtime/lib/network/domains.ts'
import type { SiteLogins } from '../../runtime/site-logins/site-logins.ts'

/** Throws `not_found` for a name that the tenant does not have. */
export async function offeredLogins(
  siteLogins: Pick<SiteLogins, 'get' | 'list'>,
  { logins, allowed_domains: domains, scripts }: TaskBody,
  tenant: string,
): Promise<readonly KnownSiteLogin[]> {
  if (logins) {
    const named = await Promise.all(
      [...new Set(logins)].map((name) => siteLogins.get(tenant, name)),
    )
    return named.map(known)
  }
  if (scripts) return []
  const all = await siteLogins.list(tenant)
  const reachable = domains
    ? all.filter(({ origin }) => isOfDomains(new URL(origin), domains))
    : all
  return reachable.slice(0, taskLimits.loginsPerTask).map(known)
}

const known = ({ name, origin, subdomains }: SiteLoginRecord): KnownSiteLogin => ({
  ...{ name, origin },
  ...(subdomains && { subdomains }),
})
