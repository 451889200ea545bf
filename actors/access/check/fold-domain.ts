/** Updates a domain's record after a check. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { isIPv6 } from 'node:net'
import { z } from 'zod'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { dayMs } from '../../../proto/units.ts'
import type { MonitorFold } from './fold-monitor.ts'

export interface DomainFound {
  /** Undefined if no certificate was shown: then the known one is kept. */
  readonly tls?: { readonly issuer: string; readonly notAfterMs: number }
  /** Undefined if the name could not be resolved. */
  readonly addresses?: readonly string[]
}

const tlsField = z.object({ issuer: z.string(), not_after: z.string() }).optional()
const recordsField = z.array(
  z.object({
    ...{ type: z.string(), name: z.string(), value: z.string() },
    ttl_s: z.number().optional(),
  }),
)
type Tls = z.output<typeof tlsField>
const ranks = ['active', 'expiring', 'expired'] as const
type Rank = (typeof ranks)[number]
const isRank = (status: unknown): status is Rank => ranks.some((one) => one === status)

/**
 * A change of addresses only is not news, because content networks return other addresses each
 * time. The status gets worse with the certificate and the registration. It gets better only if the
 * recorded certificate explains the old status: a status that a person set for another reason is
 * kept.
 */
export function foldDomain(before: RecordFields, found: DomainFound, atMs: number): MonitorFold {
  const known: Tls = tlsField.catch(undefined).parse(before['tls'])
  const tls: Tls = found.tls
    ? { issuer: found.tls.issuer, not_after: new Date(found.tls.notAfterMs).toISOString() }
    : known
  const expiresOn = before['expires_on']
  const status = statusAfter(
    before['status'],
    rankOf(known, expiresOn, atMs),
    rankOf(tls, expiresOn, atMs),
  )
  const after = {
    ...before,
    status,
    ...(tls && { tls }),
    ...(found.addresses && { dns_records: withAddresses(before, found.addresses) }),
  }
  const isSignificant = status !== before['status'] || !isDeepStrictEqual(tls, known)
  return { after, isSignificant }
}

function statusAfter(before: unknown, explained: Rank, now: Rank): unknown {
  if (!isRank(before)) return before
  const rank = ranks.indexOf(before)
  if (ranks.indexOf(now) >= rank) return now
  return ranks.indexOf(explained) >= rank ? now : before
}

function rankOf(tls: Tls, expiresOn: unknown, atMs: number): Rank {
  const ends = [
    ...(tls ? [Date.parse(tls.not_after)] : []),
    // Until the end of that day.
    ...(typeof expiresOn === 'string' ? [Date.parse(expiresOn) + dayMs] : []),
  ]
  const leftMs = Math.min(...ends) - atMs
  if (leftMs <= 0) return 'expired'
  return leftMs <= limits.checkEndsSoonMs ? 'expiring' : 'active'
}

/** Replaces the addresses of the host itself and keeps all other records. */
function withAddresses(before: RecordFields, addresses: readonly string[]) {
  const hostname = String(before['hostname'])
  const kept = recordsField
    .catch([])
    .parse(before['dns_records'])
    .filter(({ type, name }) => !(['A', 'AAAA'].includes(type) && name === hostname))
  const found = addresses.map((value) => ({
    ...{ type: isIPv6(value) ? 'AAAA' : 'A', name: hostname, value },
  }))
  return [...kept, ...found].slice(0, limits.checkDnsRecords)
}
