/**
 * `fetch` for addresses that a tenant has set: it connects to public addresses only. The resolved
 * address is checked at connect time, because a name that was public when it was set, or that a
 * redirect leads to, may resolve to a private address later.
 */
import { Agent, buildConnector, fetch as fetchWith } from 'undici'
import { publicOnly } from '../../lib/network/guard/allowance.ts'
import { guardConnection, type ConnectionGuard } from '../../lib/network/guard/connection-guard.ts'
import { publicLookup } from '../../lib/network/guard/lookup.ts'

const connect = buildConnector({ lookup: publicLookup })

const agent = new Agent({
  connect(options, done) {
    const { protocol, host, hostname } = options
    let admit: ConnectionGuard['admit']
    try {
      admit = guardConnection(new URL(`${protocol}//${host ?? hostname}`), publicOnly).admit
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

type Fetch = typeof globalThis.fetch

/** Node's own `fetch` has no option for the connector; this package is its implementation. */
export const guardedFetch = ((input: string | URL, init?: object) =>
  fetchWith(input, { ...init, dispatcher: agent })) as unknown as Fetch
