/** The providers that a tenant's tasks can use. */
import { providerOfAgent } from '../../proto/accounts/credential.ts'
import type { Credentials } from '../../runtime/accounts/credentials/open.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'

export interface ProviderDeps {
  readonly credentials: Pick<Credentials, 'accounts' | 'records'>
  readonly membership: Pick<Membership, 'hosts'>
}

export interface ConfiguredProviders {
  /** Names as in an order; the tenant's own accounts come first. */
  readonly names: readonly string[]
  /** The provider of a task that names none. */
  readonly usual?: string
}

export async function configuredProviders(
  { credentials: { accounts, records }, membership }: ProviderDeps,
  tenant: string,
): Promise<ConfiguredProviders> {
  const [own, shared, usual] = await Promise.all([
    records.of(tenant),
    accounts.shared(),
    accounts.fallback(tenant),
  ])
  const first = usual === undefined ? [] : [usual]
  const all = [...first, ...own.map(({ provider }) => provider), ...shared]
  const names = [...new Set([...all, ...agentProviders(membership)])]
  return { names, ...(usual !== undefined && { usual }) }
}

/** The agents of all actor hosts, by the provider names that tasks use. */
export function agentProviders(membership: ProviderDeps['membership']): readonly string[] {
  const hosts = membership.hosts().filter(({ state }) => state === 'alive')
  return [...new Set(hosts.flatMap(({ agents = [] }) => agents.map(providerOfAgent)))]
}
