/** Assembles the portal: its pages and what they depend on. */
import type { AccessServices } from '../access/open.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { ServiceSecret } from '../../runtime/accounts/keys/service-secret.ts'
import type { Idempotency } from '../routing/answers/idempotency.ts'
import type { Route } from '../routing/route.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import type { ServiceError } from '../../proto/errors.ts'
import { InnerApi } from './inner-api.ts'
import { BarePortalPage } from './html/bare-page.tsx'
import { errorShown } from '../html/error-page.tsx'
import { portalSections } from './pages/registry.ts'
import { pageReply } from '../html/answers/page-reply.ts'
import { sectionRoutes, type ServeDeps } from './serve/serve.ts'
import { Cookies } from './session/cookies.ts'
import { signOutRoutes } from './session/sign-out.ts'
import { passkeyOptionRoutes } from './session/passkey-options.ts'
import { entryFormRoutes } from './session/sign-in.tsx'

export interface PortalDeps {
  readonly services: AccessServices
  /** The routes of scoped access, which carry out what pages do. */
  readonly routes: readonly Route[]
  readonly idempotency: Pick<Idempotency, 'once'>
  readonly addresses: ServiceUrls
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
  const acts = new InnerApi({ ...deps, tellRefusal: services.tellRefusal })
  const serveDeps: ServeDeps = {
    ...{ ...deps, ...services, acts, cookies, sections: portalSections },
    addressFor: (request) => addresses.http(request),
  }
  return {
    routes: [
      ...entryFormRoutes(serveDeps),
      ...passkeyOptionRoutes(serveDeps),
      ...signOutRoutes(serveDeps),
      ...sectionRoutes(serveDeps),
    ],
    errors: {
      serves: (path) => /^\/(portal|staff)(\/|$)/.test(path),
      reply(error, request, requestId) {
        const home = request.path.startsWith('/staff') ? '/staff' : '/portal'
        const page = BarePortalPage({ shown: errorShown(error, requestId, home) })
        return pageReply({ request, cookies }, error.status, page)
      },
    },
  }
}
