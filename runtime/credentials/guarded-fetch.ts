/**
 * `fetch` for addresses that a tenant has named: it connects to public addresses alone. What a name
 * resolves to is looked at where the connection is made, since a name that was public when it was
 * set, or that a redirect leads to, may resolve to something inside by then.
 */
import { Agent, buildConnector, fetch as fetchWith } from 'undici'
import { onlyPublic } from '../network/guard/allowance.ts'
import { reach, type Reach } from '../network/guard/reach.ts'
import { publicLookup } from '../network/guard/lookup.ts'

const connect = buildConnector({ lookup: publicLookup })

const agent = new Agent({
  connect(options, done) {
    const { protocol, host, hostname } = options
    let admit: Reach['admit']
    try {
      admit = reach(new URL(`${protocol}//${host ?? hostname}`), onlyPublic).admit
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

/** Node’s own `fetch` has no way to say whom to connect to; this is the package it is made of. */
export const guardedFetch = ((input: string | URL, init?: object) =>
  fetchWith(input, { ...init, dispatcher: agent })) as unknown as Fetch
