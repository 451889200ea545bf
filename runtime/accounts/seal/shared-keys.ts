/**
 * Checks that the hosts of a service can open each other's secrets. Each host publishes the ids of
 * its keys in its record.
 */
import { decode } from '../../../proto/codec.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { Config } from '../../config/config.ts'
import { keyFileProblem, type KeySettings } from './seal-keys.ts'
import { entriesOf } from '../../store/entries-of.ts'
import type { Store } from '../../store/store.ts'

/** Only these roles reach model providers; other roles open no secrets and get no keys. */
export function opensSecrets(role: string): boolean {
  return role === 'gateway' || role === 'actors'
}

/** The running processes that open secrets. */
export async function readSecretHosts(store: Store): Promise<readonly HostRecord[]> {
  const entries = await entriesOf(store.bucket(buckets.hosts))
  return secretHostsOf(entries.map(({ value }) => decode<HostRecord>(value)))
}

export function secretHostsOf(hosts: readonly HostRecord[]): readonly HostRecord[] {
  return hosts.filter(({ role, state }) => state !== 'dead' && opensSecrets(role))
}

/** Problems of this host's keys, each with its remedy, for a log or a screen. */
export function keyProblems(
  config: KeySettings & Pick<Config, 'NODE_ID'>,
  ours: readonly string[],
  secretHosts: readonly HostRecord[],
): readonly string[] {
  const file = keyFileProblem(config)
  const others = secretHosts.filter(({ nodeId }) => nodeId !== config.NODE_ID)
  const sharing = sharingTrouble(ours, others)
  return [...(file ? [`${file.found}: ${file.fix}`] : []), ...(sharing ? [sharing] : [])]
}

/** The processes that cannot open what is sealed with this key. */
export function hostsLackingKey(
  keyId: string,
  secretHosts: readonly HostRecord[],
): readonly HostRecord[] {
  return secretHosts.filter(({ sealKeys = [] }) => !sealKeys.includes(keyId))
}

function sharingTrouble(
  ours: readonly string[],
  others: readonly HostRecord[],
): string | undefined {
  const sealing = others.filter(({ sealKeys = [] }) => sealKeys.length > 0)
  const stranger = sealing.find(({ sealKeys = [] }) => !ours.includes(sealKeys[0]!))
  if (stranger) {
    const { nodeId, sealKeys = [] } = stranger
    return (
      `Secrets of this service are sealed with key ${sealKeys[0]}, which this host does not have: ` +
      `copy seal.key from DATA_DIR of ${nodeId}, or set SEAL_KEY as it is set there. Until then ` +
      'accounts with providers and secrets of tasks do not work here.'
    )
  }
  const [key] = ours
  const poor = key === undefined ? undefined : hostsLackingKey(key, sealing)[0]
  if (!poor) return undefined
  return (
    `This host seals secrets with key ${key}, which ${poor.nodeId} does not have: give it to every ` +
    'host behind the key that they have, and put it first when all have it.'
  )
}

/** `gateway of a, actors of b`, without duplicates. */
export function hostNames(hosts: readonly HostRecord[]): string {
  return [...new Set(hosts.map(({ role, nodeId }) => `${role} of ${nodeId}`))].join(', ')
}
