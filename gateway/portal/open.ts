/** Assembles the portal: its pages and what they depend on. */
import type { AccessServices } from '../access/open.ts'
import type { Addresses } from '../address.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ServiceSecret } from '../../runtime/service-secret.ts'
import type { Idempotency } from '../routing/idempotency.ts'
import type { Route } from '../routing/route.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import type { ServiceError } from '../../proto/errors.ts'
import { Acts } from './acts.ts'
import { BarePage } from './html/document.tsx'
import { errorShown } from './html/error-page.tsx'
import { sections } from './pages/registry.ts'
import { pageReply } from './reply.ts'
import { sectionRoutes, type ServeDeps } from './serve.ts'
import { Cookies } from './session/cookies.ts'
import { leavingRoutes } from './session/leaving.ts'
import { passkeyOptionRoutes } from './session/passkey-options.ts'
import { signInRoutes } from './session/sign-in.tsx'

export interface PortalDeps {
  readonly services: AccessServices
  /** The routes of scoped access, which carry out what pages do. */
  readonly routes: readonly Route[]
  readonly idempotency: Pick<Idempotency, 'once'>
  readonly addresses: Addresses
  readonly serviceSecret: ServiceSecret
  readonly singleOperator: boolean
  readonly clock: Clock
}

export interface Portal {
  readonly routes: readonly Route[]
  readonly errors: ErrorPages
}

/** Renders errors of the portal's paths as pages. */
export interface ErrorPages {
  serves(path: string): boolean
  reply(error: ServiceError, request: HttpRequest, requestId: string): HttpReply
}

export function openPortal(deps: PortalDeps): Portal {
  const { services, addresses } = deps
  const cookies = new Cookies(deps)
  const acts = new Acts({ ...deps, tellRefusal: services.tellRefusal })
  const serveDeps: ServeDeps = {
    ...{ ...deps, ...services, acts, cookies, sections },
    addressFor: (request) => addresses.http(request),
  }
  return {
    routes: [
      ...signInRoutes(serveDeps),
      ...passkeyOptionRoutes(serveDeps),
      ...leavingRoutes(serveDeps),
      ...sectionRoutes(serveDeps),
    ],
    errors: {
      serves: (path) => /^\/(portal|staff)(\/|$)/.test(path),
      reply(error, request, requestId) {
        const home = request.path.startsWith('/staff') ? '/staff' : '/portal'
        const page = BarePage({ shown: errorShown(error, requestId, home) })
        return pageReply({ request, cookies }, error.status, page)
      },
    },
  }
}
