/** Gets a page as a browser does: `localhost` means this machine, whatever the resolver knows. */
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, fetch } from 'undici'
import { isLocalhost, localhostAddresses } from '../../../runtime/lib/network/hosts.ts'

const lookUp: LookupFunction = (hostname, options, done) => {
  if (!isLocalhost(hostname)) return lookup(hostname, options, done)
  if (options.all) return done(null, [...localhostAddresses])
  return done(null, localhostAddresses[0]!.address, localhostAddresses[0]!.family)
}

const dispatcher = new Agent({ connect: { lookup: lookUp } })

export const browse = (url: string) => fetch(url, { dispatcher })
