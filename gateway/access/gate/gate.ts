/**
 * The gate of scoped access: authenticates the caller, applies rate limits, and checks that the
 * route is for them.
 */
import { platformTenant } from '../../../proto/access/ids.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { GrantUses } from '../../../runtime/access/grant-uses.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { HttpRequest } from '../../server/http.ts'
import type { AccessAuthenticator } from './authenticate.ts'
import { callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import type { AccessNotes } from './notes.ts'
import { refuseSecretInUrl, type SecretInUrlDeps } from './secret-in-url.ts'
import type { AccessRates } from './rates.ts'
import { applyRule, peopleRule, type AccessRule } from '../../routing/auth/access-rule.ts'

export interface AccessGate {
  /** For every request: a secret in its URL is revoked, and refused with `token_in_url`. */
  refuseSecretInUrl(request: HttpRequest, requestId: string): Promise<void>
  /** Throws the error that refuses the caller. `route` is the route's pattern, for the audit. */
  authenticate(
    request: HttpRequest,
    asked: { readonly requestId: string; readonly route: string },
    rule: AccessRule | undefined,
  ): Promise<AccessCaller>
}

export interface GateDeps extends SecretInUrlDeps {
  readonly authenticator: AccessAuthenticator
  readonly rates: AccessRates
  readonly notes: AccessNotes
  readonly uses: Pick<GrantUses, 'note'>
  readonly clock: Clock
  readonly addressOf: (request: HttpRequest) => string
}

export function openGate(deps: GateDeps): AccessGate {
  const { authenticator, rates, notes, uses, clock, addressOf } = deps
  return {
    refuseSecretInUrl: (request, requestId) =>
      refuseSecretInUrl(deps, request, { requestId, address: addressOf(request) }),
    async authenticate(request, { requestId, route }, rule = peopleRule) {
      const address = addressOf(request)
      const caller = authenticator.authenticate(request, { requestId, address })
      const answerHeaders = rates.request(caller.keyId, callerTenantOf(caller) ?? platformTenant)
      try {
        applyRule(rule, caller, clock.now())
      } catch (error) {
        const reason = error instanceof ServiceError ? error.type : 'internal'
        notes.denied(caller, { reason, route: `${request.method} ${route}` })
        throw error
      }
      if (caller.kind === 'token') {
        uses.note({ grantId: caller.grant.id, tokenId: caller.token.id })
      }
      return { ...caller, answerHeaders }
    },
  }
}

/** For a gateway without scoped access, as in tests of other routes. */
export const noAccess: AccessGate = {
  refuseSecretInUrl: async () => undefined,
  async authenticate() {
    const text = 'An access token is required: send it as Authorization: Bearer <token>.'
    throw new ServiceError('unauthorized', text, { challenge: 'Bearer realm="troupe"' })
  },
}
