/** Resolves the addresses of a name, sorted. */
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { unlessAborted } from '../../../../runtime/abort.ts'
import type { Reach } from '../../../../runtime/network/guard/reach.ts'

export function askDns(
  { host, servername, lookup }: Reach,
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
  return unlessAborted(looked, signal)
}
