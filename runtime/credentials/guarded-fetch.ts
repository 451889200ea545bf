/**
 * `fetch` for addresses that a tenant has named: it connects to public addresses alone. What a name
 * resolves to is looked at where the connection is made, since a name that was public when it was
 * set, or that a redirect leads to, may resolve to something inside by then.
 */
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch as fetchWith } from 'undici'
import { isPrivateAddress } from '../network/hosts.ts'

export class NotPublic extends Error {
  constructor(host: string) {
    super(`${host} leads into a private network, where a tenant’s base_url may not lead`)
    this.name = 'NotPublic'
  }
}

const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const isPublic = found?.every(({ address }) => isPrivateAddress(address) === false)
    if (error || !isPublic) return done(error ?? new NotPublic(hostname), [])
    if (options.all) return done(null, found)
    return done(null, found[0]!.address, found[0]!.family)
  })
}

const connect = buildConnector({ lookup: publicLookup })

const agent = new Agent({
  connect(options, done) {
    const { hostname: host } = options
    // An address is never looked up.
    if (isPrivateAddress(host)) return done(new NotPublic(host), null)
    return connect(options, done)
  },
})

type Fetch = typeof globalThis.fetch

/** Node’s own `fetch` has no way to say whom to connect to; this is the package it is made of. */
export const guardedFetch = ((input: string | URL, init?: object) =>
  fetchWith(input, { ...init, dispatcher: agent })) as unknown as Fetch
