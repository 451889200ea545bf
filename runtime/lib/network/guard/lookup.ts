/** Name look-ups for connections to addresses that a tenant has named: only public results. */
import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { canonicalHost, isLocalhost, isPrivateAddress, localhostAddresses } from '../hosts.ts'

export class NotPublic extends Error {
  constructor(host: string) {
    super(`${host} leads into a private network, which is not allowed for a tenant’s addresses`)
    this.name = 'NotPublic'
  }
}

/** Resolves `localhost` and the names below it without a name server, as browsers do. */
export const anyLookup: LookupFunction = (hostname, options, done) => {
  const tell = (error: Error | null, found: readonly LookupAddress[] = []) => {
    if (error) return done(error, [])
    if (options.all) return done(null, [...found])
    return done(null, found[0]!.address, found[0]!.family)
  }
  if (isLocalhost(canonicalHost(hostname))) return tell(null, localhostAddresses)
  lookup(hostname, { ...options, all: true }, tell)
}

/** Fails with {@link NotPublic} if any of the addresses is not open, because any could be used. */
export const lookupWhere =
  (isOpen: (address: string) => boolean, resolve: LookupFunction = anyLookup): LookupFunction =>
  (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, [])
      const addresses = typeof found === 'string' ? [] : found
      const isPublic = addresses.every(({ address }) => isOpen(address))
      if (!isPublic || addresses.length === 0) return done(new NotPublic(hostname), [])
      if (options.all) return done(null, addresses)
      return done(null, addresses[0]!.address, addresses[0]!.family)
    })

export const publicLookup: LookupFunction = lookupWhere(
  (address) => isPrivateAddress(address) === false,
)
