/**
 * Looks names up for the browsers of this host. A name whose name server is silent holds up neither
 * other names nor other browsers, and ends with the request that needs it.
 */
import type { Clock } from '../../runtime/lib/clock.ts'
import { FairSlots } from '../../runtime/lib/network/fair-slots.ts'
import { NameResolver } from '../../runtime/lib/network/resolver.ts'
import type { ResolvedAddress } from '../../runtime/lib/network/system-names.ts'
import { egressLimits } from './limits.ts'

/** `owner` stands for the browser, which has a bound of its own. */
export type LookUp = (
  host: string,
  signal: AbortSignal,
  owner: object,
) => Promise<readonly ResolvedAddress[]>

/** Without servers, those of /etc/resolv.conf are asked. */
export function fairLookUp(servers: readonly string[] = [], clock?: Clock): LookUp {
  const resolver = new NameResolver({ servers, ...(clock && { clock }) })
  const slots = new FairSlots({
    atOnce: egressLimits.lookUps,
    atOncePerOwner: egressLimits.lookUpsPerBrowser,
  })
  return (host, signal, owner) => slots.run(owner, signal, () => resolver.resolve(host, { signal }))
}
