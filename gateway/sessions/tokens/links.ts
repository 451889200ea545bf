/** Tokens and URLs of live views. */
import { createHash, randomBytes } from 'node:crypto'
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { SessionView } from '../../../proto/session/session.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'
import type { ServiceUrls } from '../../routing/service-urls.ts'
import type { HttpRequest } from '../../server/http.ts'
import type { KeyValidity } from '../../routing/auth/key-validity.ts'
import { liveToken, readLiveToken, type LiveGrant, type LiveMode } from './live-token.ts'
import { tokenScopes } from '../../routing/auth/token-scope.ts'
import type { SessionViews } from '../session-views.ts'

interface LinksDeps {
  readonly serviceSecret: ServiceSecret
  readonly addresses: ServiceUrls
  readonly keyValidity: KeyValidity
  readonly views: Pick<SessionViews, 'get'>
  readonly clock: Clock
}

/** The rights of a link, and the generation of its session's links that it belongs to. */
export interface OpenLink extends LiveGrant {
  readonly generation: number
  readonly secretId: string
}

type ViewedSession = Pick<SessionView, 'id' | 'options' | 'liveGeneration'>

export class LiveLinks {
  readonly #deps: LinksDeps

  constructor(deps: LinksDeps) {
    this.#deps = deps
  }

  /** Throws `forbidden` for control of a view-only session. */
  mint({ id, options, liveGeneration }: ViewedSession, grant: LiveGrant): string {
    if (grant.mode === 'control' && options.liveViewReadOnly) {
      throw new ServiceError(
        'forbidden',
        'This session was created with live_view.read_only: request mode "view".',
      )
    }
    const target = { sessionId: id, generation: liveGeneration ?? 0 }
    return liveToken(this.#deps.serviceSecret.text, target, grant)
  }

  /**
   * Returns what a token opens; undefined after its expiry, the end of its key, or a newer
   * generation.
   */
  read(sessionId: string, token: string): OpenLink | undefined {
    const { serviceSecret, clock, views, keyValidity } = this.#deps
    const generation = views.get(sessionId)?.liveGeneration ?? 0
    const grant = readLiveToken(token, serviceSecret.text, { sessionId, generation }, clock.now())
    if (!grant || keyValidity.isOver(grant.keyId)) return undefined
    const has = keyValidity.scopesOf(grant.keyId)
    return tokenScopes[grant.mode].some((scope) => has.includes(scope))
      ? { ...grant, generation, secretId: serviceSecret.id }
      : undefined
  }

  url(request: HttpRequest, sessionId: string, token: string): string {
    return `${this.#deps.addresses.http(request)}/live/${sessionId}?token=${token}`
  }

  /**
   * The `live_view_url` of a session: with all permissions of the key, valid as long as the
   * session.
   */
  viewUrl(request: HttpRequest, view: ViewedSession, keyId: string): string {
    const mayDrive = this.#deps.keyValidity.scopesOf(keyId).includes('drive')
    const mode: LiveMode = view.options.liveViewReadOnly || !mayDrive ? 'view' : 'control'
    const once = view.options.liveViewOnce && newOnce()
    return this.url(request, view.id, this.mint(view, { mode, keyId, ...defined({ once }) }))
  }
}

export const newOnce = (): string => randomBytes(9).toString('base64url')

/** Hashes of a one-time link and of a viewer who opens it. */
export interface LinkUse {
  readonly link: string
  readonly by: string
}

/** How a session knows a one-time link, and the viewer who has opened it. `viewer`: as its page names itself. */
export const linkUse = (token: string, viewer: string): LinkUse => ({
  link: hashOf(token),
  by: hashOf(viewer || newOnce()),
})

const hashOf = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, hashChars)

/** 132 bits. */
const hashChars = 22
