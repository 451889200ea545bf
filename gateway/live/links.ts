/** Tokens and addresses of live views. */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { SessionView } from '../../proto/session.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Addresses } from '../address.ts'
import type { HttpRequest } from '../server/http.ts'
import { liveToken, readLiveToken, type LiveGrant, type LiveMode } from '../live-token.ts'

interface LinksDeps {
  readonly serviceSecret: string
  readonly addresses: Addresses
  readonly clock: Clock
}

export interface LiveToken extends LiveGrant {
  readonly token: string
}

type Viewed = Pick<SessionView, 'id' | 'options'>

export class LiveLinks {
  readonly #deps: LinksDeps

  constructor(deps: LinksDeps) {
    this.#deps = deps
  }

  /** Throws `forbidden` for the control of a session that is only to be looked at. */
  mint({ id, options }: Viewed, mode: LiveMode, lifeMs: number): LiveToken {
    if (mode === 'control' && options.liveViewReadOnly) {
      throw new ServiceError(
        'forbidden',
        'This session was created with live_view.read_only: ask for mode "view".',
      )
    }
    return this.#sign(id, mode, lifeMs)
  }

  /** For a view that is open: what it may, it may a little longer. */
  renew(sessionId: string, mode: LiveMode): LiveToken {
    return this.#sign(sessionId, mode, limits.liveRenewedMs)
  }

  read(sessionId: string, token: string): LiveGrant | undefined {
    const { serviceSecret, clock } = this.#deps
    return readLiveToken(token, serviceSecret, sessionId, clock.now())
  }

  url(request: HttpRequest, sessionId: string, token: string): string {
    return `${this.#deps.addresses.http(request)}/live/${sessionId}?token=${token}`
  }

  /** The `live_view_url` of a session: all that its live view may. */
  viewUrl(request: HttpRequest, view: Viewed): string {
    const mode = view.options.liveViewReadOnly ? 'view' : 'control'
    return this.url(request, view.id, this.mint(view, mode, limits.liveTokenMs).token)
  }

  #sign(sessionId: string, mode: LiveMode, lifeMs: number): LiveToken {
    const { serviceSecret, clock } = this.#deps
    const expiresAtMs = clock.now() + lifeMs
    const token = liveToken(serviceSecret, sessionId, { mode, expiresAtMs })
    return { token, mode, expiresAtMs }
  }
}
