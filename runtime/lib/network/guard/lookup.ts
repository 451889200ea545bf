/** Name look-ups for connections to addresses that a tenant has named: only public results. */
import type { LookupFunction } from 'node:net'
import { isPrivateAddress } from '../hosts.ts'
import { NameNotResolved, NameResolver } from '../resolver.ts'
import type { ResolvedAddress } from '../system-names.ts'

export class NotPublic extends Error {
  constructor(host: string) {
    super(`${host} leads into a private network, which is not allowed for a tenant’s addresses`)
    this.name = 'NotPublic'
  }
}

let resolver = new NameResolver()

/** For the whole process; without servers, those of /etc/resolv.conf. */
export function setNameServers(servers: readonly string[]): void {
  resolver = new NameResolver({ servers })
}

/**
 * Not `dns.lookup`, whose four threads all tenants would share: names whose name server is silent
 * would hold up the webhooks, checks and models of others.
 */
export const anyLookup: LookupFunction = (hostname, { family, all }, done) => {
  const tell = (error: Error | null, found: readonly ResolvedAddress[] = []) => {
    const fitting = found.filter((one) => !family || familyOf(family) === one.family)
    if (!error && fitting.length === 0) error = new NameNotResolved('ENOTFOUND', hostname)
    if (error) return done(error, [])
    if (all) return done(null, fitting)
    return done(null, fitting[0]!.address, fitting[0]!.family)
  }
  // In a tick of its own: what `done` throws is not the look-up's failure.
  resolver.resolve(hostname).then(
    (found) => process.nextTick(tell, null, found),
    (error: unknown) => process.nextTick(tell, error),
  )
}

const familyOf = (family: number | 'IPv4' | 'IPv6'): number =>
  typeof family === 'number' ? family : Number(family.slice(3))

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
