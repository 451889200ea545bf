/** Creates and checks tokens of sessions. */
import { isFinal, type SessionView } from '../../../proto/session/session.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'
import { requireScope } from '../../routing/auth/key-scope.ts'
import type { KeyValidity } from '../../routing/auth/key-validity.ts'
import { tokenScopes, type OpenToken, type TokenReader } from '../../routing/auth/token-scope.ts'
import { readSessionToken, sessionToken, type SessionGrant } from './session-token.ts'
import type { SessionViews } from '../session-views.ts'

interface TokensDeps {
  readonly serviceSecret: ServiceSecret
  readonly keyValidity: KeyValidity
  readonly views: Pick<SessionViews, 'get'>
  readonly clock: Clock
}

export class SessionTokens implements TokenReader {
  readonly #deps: TokensDeps

  constructor(deps: TokensDeps) {
    this.#deps = deps
  }

  /** Throws `forbidden` if the grant exceeds the scopes of its key. */
  mint({ id, liveGeneration }: SessionView, grant: SessionGrant): string {
    const has = this.#deps.keyValidity.scopesOf(grant.keyId)
    for (const scope of grant.scopes) requireScope(has, tokenScopes[scope])
    const target = { sessionId: id, generation: liveGeneration ?? 0 }
    return sessionToken(this.#deps.serviceSecret.text, target, grant)
  }

  read(sessionId: string, token: string): OpenToken | undefined {
    const { serviceSecret, clock, views, keyValidity } = this.#deps
    const view = views.get(sessionId)
    if (!view || isFinal(view.status)) return undefined
    const generation = view.liveGeneration ?? 0
    const grant = readSessionToken(
      token,
      serviceSecret.text,
      { sessionId, generation },
      clock.now(),
    )
    if (!grant || keyValidity.isOver(grant.keyId)) return undefined
    return { ...grant, tenant: view.tenant, generation, secretId: serviceSecret.id }
  }
}
