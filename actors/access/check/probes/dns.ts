/** Resolves the addresses of a name, sorted. */
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { raceAbort } from '../../../../runtime/lib/abort.ts'
import type { ConnectionGuard } from '../../../../runtime/lib/network/guard/connection-guard.ts'

export function probeDns(
  { host, servername, lookup }: ConnectionGuard,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (servername === undefined) return Promise.resolve([host])
  const looked = new Promise<readonly string[]>((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) return reject(error)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      resolve([...new Set(addresses)].sort().slice(0, limits.checkAddresses))
    })
  })
  return raceAbort(looked, signal)
}
