/**
 * Writes refusals that occur after the gate to the audit: denials by an actor or the authorizer,
 * and paths with an id of another client.
 */
import { ServiceError } from '../../../proto/errors.ts'
import type { Route } from '../../routing/route.ts'
import { callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from './chain.ts'
import type { AccessNotes } from './notes.ts'
import { entityOf, type OtherClients } from './other-clients.ts'

export interface RefusalDeps {
  readonly chain: Pick<AccessChain, 'get'>
  readonly notes: AccessNotes
  readonly otherClients: OtherClients
}

/** `id` is the id in the path. An error that passes several wrappers is written once. */
export type ReportRefusal = (
  error: ServiceError,
  caller: AccessCaller,
  route: string,
  id: string | undefined,
) => void

export function refusalReporter({ chain, notes, otherClients }: RefusalDeps): ReportRefusal {
  const reported = new WeakSet<ServiceError>()
  return (error, caller, route, id) => {
    if (reported.has(error)) return
    reported.add(error)
    const own = callerTenantOf(caller)
    if (error.status === 403) {
      const entity = id === undefined ? undefined : entityOf(chain, id)
      const isTheirs = entity !== undefined && (own === undefined || own === entity.tenant)
      notes.denied(caller, { reason: error.type, route, ...(isTheirs && { about: entity }) })
    }
    if (error.status !== 404 || own === undefined || id === undefined) return
    // The note does not contain the id, since one client's audit must contain nothing of another.
    otherClients.whenFound(own, id, () => notes.crossClient(caller, route))
  }
}

/** Wraps a route to report its refusals; the answers stay the same. */
export function withRefusalAudit(route: Route, tell: ReportRefusal): Route {
  if (route.auth !== 'access') return route
  const name = `${route.method} ${route.path}`
  return {
    ...route,
    async run(call) {
      try {
        return await route.run(call)
      } catch (error) {
        // The gate sets the caller of routes with this `auth`.
        const caller = call.caller as AccessCaller
        if (error instanceof ServiceError) tell(error, caller, name, call.params['id'])
        throw error
      }
    },
  }
}
