/**
 * Sends commands to the browser of a session, one round trip to its host each. The session's actor
 * is asked only for the attachment, which the commands of one request share.
 */
import { fromWireError, ServiceError, toWireError } from '../../proto/errors.ts'
import type { Reply } from '../../proto/envelope.ts'
import { limits } from '../../proto/limits.ts'
import type {
  CommandCall,
  CommandInput,
  CommandName,
  CommandOutput,
} from '../../proto/commands/catalogue.ts'
import { endedError, unreachableError } from '../../proto/session/session.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { isOutdated } from '../../runtime/browser-host/node-client.ts'
import type { Principal, SocketGrant } from '../routing/auth/auth.ts'
import { askAgent } from '../sessions/sockets/ask-agent.ts'
import type { AttachedSession, Attachments } from '../sessions/sockets/attachments.ts'
import { SessionEndWatch } from '../sessions/session-end-watch.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import { gatewayLimits } from '../limits.ts'

export interface CommandDispatcherDeps {
  readonly attachments: Attachments
  readonly views: SessionViews
  readonly clock: Clock
}

type Caller = Pick<Principal, 'keyId' | 'tenant'>

export class CommandDispatcher {
  readonly #deps: CommandDispatcherDeps

  constructor(deps: CommandDispatcherDeps) {
    this.#deps = deps
  }

  /** Returns one answer for each action that was started; the last may be a failure. */
  async run(
    { keyId, tenant }: Caller,
    sessionId: string,
    actions: readonly CommandCall[],
  ): Promise<readonly Reply[]> {
    const { attachments } = this.#deps
    const grant = { keyId, tenant, sessionId }
    return attachments.during(grant, (attached) =>
      this.#unlessEnded(sessionId, async () => {
        try {
          return await this.#ask(await this.#reachable(grant, attached), sessionId, actions)
        } catch (error) {
          if (!isOutdated(error)) throw error
          return this.#ask(await attachments.renew(grant), sessionId, actions)
        }
      }),
    )
  }

  /** Returns the answer of one command. Throws the error it failed with. */
  async one<N extends CommandName>(
    caller: Caller,
    sessionId: string,
    command: N,
    input: CommandInput<N>,
  ): Promise<CommandOutput<N>> {
    const [reply] = await this.run(caller, sessionId, [{ command, input } as CommandCall])
    if (!reply!.ok) throw fromWireError(reply!.error)
    return reply!.value as CommandOutput<N>
  }

  /**
   * Throws for an unreachable session: its host would refuse commands, or carry them out long after
   * the answer. The view may be behind, so the actor is asked.
   */
  async #reachable(grant: SocketGrant, attached: AttachedSession): Promise<AttachedSession> {
    if (!this.#isUnreachable(grant.sessionId)) return attached
    const renewed = await this.#deps.attachments.renew(grant)
    if (renewed.status === 'unreachable') throw unreachableError()
    return renewed
  }

  #isUnreachable(sessionId: string): boolean {
    return this.#deps.views.get(sessionId)?.status === 'unreachable'
  }

  #ask(
    { claim, epoch, requests }: AttachedSession,
    sessionId: string,
    actions: readonly CommandCall[],
  ) {
    const withinMs = limits.commandMs
    const request = { sessionId, epoch, actions, withinMs }
    const { nodeId } = claim
    const { clock } = this.#deps
    const options = { requester: requests, clock, nodeId, timeoutMs: withinMs }
    return askAgent(options, 'run', request)
  }

  /**
   * When the host or the browser has died, the session's record says why; that reason is thrown
   * instead, or is the last reply's error.
   */
  async #unlessEnded(
    sessionId: string,
    work: () => Promise<readonly Reply[]>,
  ): Promise<readonly Reply[]> {
    const { views, clock } = this.#deps
    const end = new SessionEndWatch(sessionId, views, clock)
    const ended = end.ended.then((view) => Promise.reject(endedError(view)))
    try {
      const lost = end.outOfContact.then(() => Promise.reject(contactLostError()))
      const replies = await Promise.race([work(), ended, lost])
      const last = replies.at(-1)
      if (!last || last.ok || !mayHaveEnded(fromWireError(last.error))) return replies
      const view = await end.soon(gatewayLimits.closeReasonWaitMs)
      if (!view) return replies
      return [...replies.slice(0, -1), { ok: false, error: toWireError(endedError(view)) }]
    } catch (error) {
      if (isUnavailable(error) && this.#isUnreachable(sessionId)) throw unreachableError()
      const view = mayHaveEnded(error) && (await end.soon(gatewayLimits.closeReasonWaitMs))
      throw view ? endedError(view) : error
    } finally {
      end.stop()
    }
  }
}

/** The command was sent, so it must not be repeated blindly. */
function contactLostError(): ServiceError {
  const text =
    'The browser’s host lost contact with the service meanwhile, so it is not known whether this ' +
    'was done. Look at the page when the session is running again.'
  return new ServiceError('timeout', text, { reason: 'unreachable' })
}

function mayHaveEnded(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof ServiceError && error.type === 'session_ended')
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ServiceError && error.type === 'unavailable'
