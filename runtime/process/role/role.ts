/** A process with access to the whole store: gateways and actor hosts. */
import type { Role } from '../../../proto/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import { Directory } from '../../actor/directory.ts'
import { openStore, type NatsStore } from '../../store/nats/buckets.ts'
import { openSealer, type Sealer } from '../../accounts/seal/seal.ts'
import { secretHostsOf, keyProblems } from '../../accounts/seal/shared-keys.ts'
import { connectRole, join, type MemberOptions, type MemberRuntime } from './member.ts'

export interface RoleRuntime extends MemberRuntime {
  readonly store: NatsStore
  readonly directory: Directory
  readonly sealer: Sealer
}

export async function openRole(
  role: Exclude<Role, 'node-agent'>,
  options: MemberOptions,
): Promise<RoleRuntime> {
  const { config, describe } = options
  const sealer = openSealer(config)
  const connected = await connectRole(role, config)
  const { nc, times, log } = connected
  const shared = { timeoutMs: times.tryMs, log }
  // Gateways have no rights to create or to resize streams.
  const isGateway = role === 'gateway'
  const streams = isGateway ? { waits: true } : { storeMib: config.STORE_MAX_MIB }
  const store = await openStore(nc, { ...shared, ...streams })
  const hosts = store.bucket(buckets.hosts)
  const member = await join(connected, hosts, () => ({
    sealKeys: sealer.keyIds(),
    ...describe?.(),
  }))
  const { bus, clock, membership } = member
  const secretHosts = secretHostsOf(membership.hosts())
  for (const text of keyProblems(config, sealer.keyIds(), secretHosts)) log.warn(text)
  return { ...member, store, directory: new Directory(bus, clock, membership), sealer }
}
