/**
 * `fetch` for addresses that a tenant has set: it connects to public addresses only. The resolved
 * address is checked at connect time, because a name that was public when it was set, or that a
 * redirect leads to, may resolve to a private address later.
 */
import { Agent, buildConnector, fetch as fetchWith } from 'undici'
import type { LookupFunction } from 'node:net'
import { isOpenAddress, publicOnly, type Allowance } from '../../lib/network/guard/allowance.ts'
import { guardConnection, type ConnectionGuard } from '../../lib/network/guard/connection-guard.ts'
import { lookupWhere } from '../../lib/network/guard/lookup.ts'

type Fetch = typeof globalThis.fetch

/** Node's own `fetch` has no option for the connector; this package is its implementation. */
export function guardFetch(allowance: Allowance, resolve?: LookupFunction): Fetch {
  const dispatcher = guardedAgent(allowance, resolve)
  return ((input: string | URL, init?: object) =>
    fetchWith(input, { ...init, dispatcher })) as unknown as Fetch
}

export const guardedFetch = guardFetch(publicOnly)

function guardedAgent(allowance: Allowance, resolve?: LookupFunction): Agent {
  const isOpen = (address: string) => isOpenAddress(address, allowance)
  const connect = buildConnector({ lookup: lookupWhere(isOpen, resolve) })
  return new Agent({
    connect(options, done) {
      const { protocol, host, hostname } = options
      let admit: ConnectionGuard['admit']
      try {
        admit = guardConnection(new URL(`${protocol}//${host ?? hostname}`), allowance).admit
      } catch (refused) {
        return done(refused as Error, null)
      }
      return connect(options, (...[error, socket]) => {
        if (error) return done(error, null)
        try {
          admit(socket)
        } catch (refused) {
          socket.destroy()
          return done(refused as Error, null)
        }
        return done(null, socket)
      })
    },
  })
}
