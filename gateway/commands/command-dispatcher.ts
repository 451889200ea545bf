/**
 * Sends commands to the browser of a session, one round trip to its host each. The session's actor
 * is asked only for the attachment, which the commands of one request share.
 */
import { defined } from '../../proto/defined.ts'
import { fromWireError, ServiceError, toWireError } from '../../proto/errors.ts'
import type { Reply } from '../../proto/envelope.ts'
import { limits } from '../../proto/limits.ts'
import {
  commandCatalogue,
  type CommandCall,
  type CommandInput,
  type CommandName,
  type CommandOutput,
} from '../../proto/commands/catalogue.ts'
import { endedError, unreachableError } from '../../proto/session/session.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { ticketsFor, type FillTickets } from '../../runtime/site-logins/fill-tickets.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'
import { isOutdated, isUnanswered, isUnserved } from '../../runtime/browser-host/node-client.ts'
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
  readonly membership: Pick<Membership, 'onDead'>
  readonly fillTickets: Pick<FillTickets, 'issue'>
}

type Caller = Pick<Principal, 'keyId' | 'tenant'>
type SessionCaller = SocketGrant & Caller

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
          return await this.#ask(await this.#reachable(grant, attached), grant, actions)
        } catch (error) {
          if (isUnanswered(error)) return this.#askSuccessor(grant, attached, actions, error)
          if (!isOutdated(error)) throw error
          return this.#ask(await attachments.renew(grant), grant, actions)
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

  /**
   * If another agent goes on with the browser, it is asked for what may be done twice. Throws the
   * error if there is none.
   */
  async #askSuccessor(
    grant: SessionCaller,
    attached: AttachedSession,
    actions: readonly CommandCall[],
    error: unknown,
  ): Promise<readonly Reply[]> {
    const next = await this.#deps.attachments.successor(grant, attached)
    if (next.claim.incarnation === attached.claim.incarnation) throw error
    if (!actions.every(({ command }) => repeatable.has(command))) throw hostRestartedError()
    return this.#ask(next, grant, actions)
  }

  #isUnreachable(sessionId: string): boolean {
    return this.#deps.views.get(sessionId)?.status === 'unreachable'
  }

  #ask(
    { claim, epoch, requests }: AttachedSession,
    { keyId, tenant, sessionId }: SessionCaller,
    actions: readonly CommandCall[],
  ) {
    const withinMs = limits.commandMs
    const { clock, membership, fillTickets } = this.#deps
    const loginTickets = ticketsFor(fillTickets, actions, { tenant, sessionId })
    const request = { sessionId, epoch, actions, keyId, withinMs, ...defined({ loginTickets }) }
    const shared = { requester: requests, clock, membership }
    return askAgent({ ...shared, agent: claim, timeoutMs: withinMs }, 'run', request)
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
      // After a request without an answer, the session's actor was asked for a while.
      const waitMs = isUnserved(error) || isUnanswered(error) ? 0 : gatewayLimits.closeReasonWaitMs
      const view = mayHaveEnded(error) && (await end.soon(waitMs))
      throw view ? endedError(view) : error
    } finally {
      end.stop()
    }
  }
}

const repeatable: ReadonlySet<string> = new Set(
  commandCatalogue.flatMap(({ name, repeat }) => (repeat === 'safe' ? [name] : [])),
)

/** The command was sent, so it must not be repeated blindly. */
function contactLostError(): ServiceError {
  const text =
    'The browser’s host lost contact with the service meanwhile, so it is not known whether this ' +
    'was done. Look at the page when the session is running again.'
  return new ServiceError('timeout', text, { reason: 'unreachable' })
}

/** The same for a host that has an agent again. */
function hostRestartedError(): ServiceError {
  const text =
    'The browser’s host was restarted meanwhile, so it is not known whether this was done. The ' +
    'session goes on; look at the page.'
  return new ServiceError('timeout', text, { reason: 'host_restarted' })
}

function mayHaveEnded(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof ServiceError && error.type === 'session_ended')
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ServiceError && error.type === 'unavailable'
