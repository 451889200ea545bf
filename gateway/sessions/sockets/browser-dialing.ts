/**
 * Connects to the browser of a session for every kind of socket, and explains a lost connection.
 */
import type { Logger } from 'pino'
import { ServiceError } from '../../../proto/errors.ts'
import { endedError, unreachableError } from '../../../proto/session/session.ts'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { DialFailed } from '../../../runtime/browser-host/channel/channel.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import type { SocketGrant } from '../../routing/auth/auth.ts'
import type { AttachedSession, Attachments } from './attachments.ts'
import type { Closing } from '../../server/closing.ts'
import type { SessionViews } from '../session-views.ts'
import { type SocketPeer, whyLost } from './session-closing.ts'
import { gatewayLimits } from '../../limits.ts'

interface BrowserDialingDeps {
  readonly attachments: Attachments
  readonly directory: Pick<Directory, 'ask'>
  readonly views: SessionViews
  readonly clock: Clock
  readonly log: Logger
}

export class BrowserDialing {
  readonly #deps: BrowserDialingDeps

  constructor(deps: BrowserDialingDeps) {
    this.#deps = deps
  }

  /**
   * If the browser's host refuses our ticket, asks the actor again and retries once. The same if its
   * agent has gone and another one takes its place; its browsers go on.
   */
  async dial<T>(
    grant: SocketGrant,
    attached: AttachedSession,
    dial: (to: AttachedSession) => Promise<T>,
  ): Promise<T> {
    const { attachments } = this.#deps
    try {
      return await dial(attached)
    } catch (error) {
      if (!(error instanceof DialFailed)) throw error
      if (error.refused) return dial(await attachments.renew(grant))
      // A browser on this machine is dialled without its agent.
      if (attached.isHere) throw error
      const next = await attachments.successor(grant, attached)
      if (next.claim.incarnation === attached.claim.incarnation) throw error
      return dial(next)
    }
  }

  /** Explains why the browser could not be dialled: usually the session has just ended. */
  async unreachable(
    sessionId: string,
    attached: AttachedSession,
    cause: DialFailed,
  ): Promise<ServiceError> {
    await this.whyLost(sessionId, attached, 'browser')
    const view = this.#deps.views.get(sessionId)
    if (view?.status === 'unreachable') return unreachableError()
    if (view?.reason === undefined) {
      this.#deps.log.warn({ err: cause, sessionId }, 'browser not reachable')
      const message = 'This gateway cannot reach the browser; try again.'
      return new ServiceError('unavailable', message, {}, cause)
    }
    return endedError(view)
  }

  /** Says why a socket of this session that led to `peer` was closed by the browser's host. */
  whyLost(sessionId: string, { dialer }: AttachedSession, peer: SocketPeer): Promise<Closing> {
    const { views, clock, directory } = this.#deps
    const ask = async () => {
      const answer = await directory.ask(
        sessionActor,
        sessionId,
        { type: 'get' },
        { timeoutMs: gatewayLimits.closeReasonWaitMs },
      )
      return answer.view
    }
    return whyLost(sessionId, peer, dialer, { views, clock, ask })
  }
}
