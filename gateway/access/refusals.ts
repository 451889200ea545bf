/**
 * What the routes of Surface A refuse once the gate has let the caller in, told to the audit: an
 * actor's or the authorizer's no, and a path with an id of another client.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { Route } from '../routing/route.ts'
import { tenantOf, type AccessCaller } from './caller.ts'
import type { AccessChain } from './chain.ts'
import type { AccessNotes } from './notes.ts'
import { entityOf, type OtherClients } from './other-clients.ts'

export interface RefusalDeps {
  readonly chain: Pick<AccessChain, 'get'>
  readonly notes: AccessNotes
  readonly otherClients: OtherClients
}

/** `id`: the one in the path. An error is told of once, however many it passes on its way out. */
export type TellRefusal = (
  error: ServiceError,
  caller: AccessCaller,
  route: string,
  id: string | undefined,
) => void

export function refusalTeller({ chain, notes, otherClients }: RefusalDeps): TellRefusal {
  const told = new WeakSet<ServiceError>()
  return (error, caller, route, id) => {
    if (told.has(error)) return
    told.add(error)
    const own = tenantOf(caller)
    if (error.status === 403) {
      const entity = id === undefined ? undefined : entityOf(chain, id)
      const isTheirs = entity !== undefined && (own === undefined || own === entity.tenant)
      notes.denied(caller, { reason: error.type, route, ...(isTheirs && { about: entity }) })
    }
    if (error.status !== 404 || own === undefined || id === undefined) return
    // The id itself is not told: nothing of one client stands in the audit of another.
    otherClients.whenFound(own, id, () => notes.crossClient(caller, route))
  }
}

/** The same route; its answers do not change. */
export function toldToAudit(route: Route, tell: TellRefusal): Route {
  if (route.auth !== 'access') return route
  const name = `${route.method} ${route.path}`
  return {
    ...route,
    async run(call) {
      try {
        return await route.run(call)
      } catch (error) {
        // The gate made it, as the route's `auth` says.
        const caller = call.caller as AccessCaller
        if (error instanceof ServiceError) tell(error, caller, name, call.params['id'])
        throw error
      }
    },
  }
}
