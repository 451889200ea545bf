/**
 * Sessions that belong to one socket. A client that connects with its key and names no session gets
 * a new one, as from POST /v1/sessions, which ends with the socket.
 */
import { z } from 'zod'
import { sessionMinutes, tagList, type SessionCreateBody } from '../../proto/session/session.ts'
import type { Principal } from '../routing/auth/auth.ts'
import { queryOf, validateInput } from '../routing/schemas/validate.ts'
import type { HttpRequest, SocketHandler } from '../server/http.ts'
import type { RequestAudit } from '../service-audit/request-audit.ts'
import { commaList } from '../sessions/session-list.ts'
import type { SessionService } from '../sessions/sessions.ts'
import type { CdpEndpoint } from './endpoint.ts'
import { cdpLimits } from './limits.ts'

export interface OwnSessionDeps {
  readonly sessions: Pick<SessionService, 'create' | 'abandon'>
  readonly cdp: Pick<CdpEndpoint, 'connect'>
  readonly audit: Pick<RequestAudit, 'createdBySocket'>
}

/** Minutes, as in REST. Other services use milliseconds here, which would exceed this limit. */
const timeout = sessionMinutes.refine((minutes) => minutes <= cdpLimits.ownSessionMinutesMax, {
  message: `must be at most ${cdpLimits.ownSessionMinutesMax} minutes, or -1 for no limit`,
})

const options = z.strictObject({
  apiKey: z.string().optional(),
  headless: z.boolean().optional(),
  tags: commaList.pipe(tagList).optional(),
  timeout: timeout.optional(),
})

export class OwnSessions {
  readonly #deps: OwnSessionDeps
  readonly #ending = new Set<Promise<void>>()

  constructor(deps: OwnSessionDeps) {
    this.#deps = deps
  }

  /**
   * Creates a session and returns the socket to its browser. Throws the error that refuses the
   * upgrade: of the query, of the creation, or of the connection.
   */
  async connect(request: HttpRequest, caller: Principal): Promise<SocketHandler> {
    const { sessions, cdp, audit } = this.#deps
    const body = ownSessionBody(request.query)
    const { id } = await audit.createdBySocket(request, caller, () =>
      sessions.create(caller, body, request.gone),
    )
    const { keyId, tenant } = caller
    const end = () => this.#end(id, tenant)
    try {
      return await cdp.connect(request, { sessionId: id, keyId, tenant }, end)
    } catch (error) {
      end()
      throw error
    }
  }

  /** Resolves when the actors of all sessions whose socket has closed have been notified. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending)
  }

  #end(id: string, tenant: string): void {
    const ending = this.#deps.sessions
      .abandon(id, tenant)
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}

/**
 * The creation body for `POST /v1/sessions`. Throws `bad_request` for an invalid or unknown option.
 */
export function ownSessionBody(query: URLSearchParams): SessionCreateBody {
  const given = validateInput(options, queryOf(options, query), 'query') as z.infer<typeof options>
  const { headless, tags, timeout } = given
  return {
    session: {
      tags,
      timeout: { max_duration: timeout, idle_timeout: cdpLimits.ownSessionIdleMinutes },
    },
    browser: { headless: headless === undefined ? undefined : { active: headless } },
  }
}
