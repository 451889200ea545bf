/**
 * Sessions as callers of REST handle them: every write is a command to the session's
 * actor, every list is read from views.
 */
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import { isId, newId, type SessionId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import type { PageInfo } from '../../proto/node.ts'
import {
  endedError,
  isFinal,
  sessionOptions,
  type EndReason,
  type SessionCreateBody,
  type SessionView,
} from '../../proto/session.ts'
import type { SessionReply } from '../../proto/session-reply.ts'
import type { Bus } from '../../runtime/bus.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Directory } from '../../runtime/directory.ts'
import { askNode } from '../../runtime/node-client.ts'
import type { ViewIndex } from '../../runtime/views.ts'
import type { Principal } from '../auth.ts'
import type { Attachments } from '../cdp/attachments.ts'
import { currentView, ofTenant, type Whose } from '../current-view.ts'
import { isNotFound, noSuchSession } from './no-such-session.ts'

export type SessionViews = Pick<
  ViewIndex<SessionView>,
  'get' | 'list' | 'all' | 'learn' | 'onChange'
>

export interface SessionsDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly views: SessionViews
  readonly attachments: Attachments
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Logger
}

/** A creation this gateway has asked for and whose view has not come back to it yet. */
interface Pending {
  readonly keyId: string
  readonly tenant: string
  readonly sinceMs: number
}

export class Sessions {
  readonly #deps: SessionsDeps
  readonly #pending = new Map<string, Pending>()

  constructor(deps: SessionsDeps) {
    this.#deps = deps
  }

  /** Resolves when the browser is there. Whoever leaves before that leaves no session behind. */
  async create(caller: Principal, body: SessionCreateBody, gone: AbortSignal) {
    const { clock, directory } = this.#deps
    this.admit(caller)
    const createdAtMs = clock.now()
    const id = newId('ses', createdAtMs)
    const { keyId, keyName, tenant } = caller
    const input = { id, tenant, keyId, keyName, createdAtMs, options: sessionOptions(body) }
    this.#pending.set(id, { keyId, tenant, sinceMs: clock.monotonic() })
    const abandon = () => void this.#abandon(id, tenant)
    gone.addEventListener('abort', abandon, { once: true })
    try {
      const answer = await directory.create<SessionReply>('session', id, input, {
        timeoutMs: limits.requestHeldMs,
        untilSettled: true,
      })
      // The first word of it may have come before there was anything to end.
      if (gone.aborted) abandon()
      this.#deps.views.learn(answer.view)
      return answer.view
    } catch (error) {
      this.#pending.delete(id)
      abandon()
      throw error
    } finally {
      gone.removeEventListener('abort', abandon)
    }
  }

  /** Asks the actor, unless the session has ended. */
  get(whose: Whose, id: string): Promise<SessionView> {
    return currentView({
      known: ofTenant(this.#deps.views.get(id), whose),
      isOver: ({ status }) => isFinal(status),
      ask: async () => (await this.#ask(whose.tenant, id, { type: 'get' })).view,
    })
  }

  /** Throws what tells a caller that nothing can be done with this session, and why. */
  async usable(caller: Whose, id: string): Promise<SessionView> {
    const view = await this.get(caller, id)
    if (isFinal(view.status) || view.status === 'ending') throw endedError(view)
    return view
  }

  /** Ending what has ended already is no error. */
  async end(tenant: string, id: string, reason: EndReason = 'deleted'): Promise<void> {
    await this.#ask(tenant, id, { type: 'end', reason })
  }

  /** Ends every live session of the tenant and says how many there were. */
  async endAll({ tenant }: Principal): Promise<number> {
    const views = this.#deps.views.list(tenant)
    const live = views.filter((view) => !isFinal(view.status)).map((view) => view.id)
    const pending = [...this.#unseen()].filter(([, of]) => of.tenant === tenant).map(([id]) => id)
    const ids = [...live, ...pending]
    for (let i = 0; i < ids.length; i += limits.sessionsEndedAtOnce) {
      const some = ids.slice(i, i + limits.sessionsEndedAtOnce)
      await Promise.all(some.map((id) => this.#endKnown(tenant, id)))
    }
    return ids.length
  }

  async tag({ tenant }: Principal, id: string, tags: readonly string[]): Promise<SessionView> {
    return (await this.#ask(tenant, id, { type: 'tag', tags })).view
  }

  /**
   * Attached meanwhile: that names the node and the epoch it listens to, and counts as activity.
   */
  async pages({ keyId, tenant }: Principal, id: string): Promise<readonly PageInfo[]> {
    const { attachments, bus } = this.#deps
    return attachments.during({ keyId, tenant, sessionId: id }, ({ claim, epoch }) =>
      askNode(bus, claim.nodeId, 'pages', { sessionId: id, epoch }, limits.nodeCallMs),
    )
  }

  /**
   * Counts what lives, and what is on its way, against the key's own limit. `toCome`: sessions that
   * others than we have promised.
   */
  admit({ keyId, tenant, sessionsMax }: Principal, toCome: readonly string[] = []): void {
    if (sessionsMax === undefined) return
    const { views } = this.#deps
    const live = views.list(tenant).filter((view) => view.keyId === keyId && !isFinal(view.status))
    const pending = [...this.#unseen()].filter(([, of]) => of.keyId === keyId)
    const promised = toCome.filter((id) => views.get(id) === undefined)
    const current = live.length + pending.length + promised.length
    if (current < sessionsMax) return
    throw new ServiceError(
      'session_limit',
      `This key may have ${sessionsMax} sessions at once; end one (DELETE /v1/sessions/{id}) or wait.`,
      { current, limit: sessionsMax },
    )
  }

  /** Creations that no view shows yet; those that one shows are counted there from now on. */
  #unseen(): ReadonlyMap<string, Pending> {
    const { views, clock } = this.#deps
    const oldestMs = clock.monotonic() - limits.requestHeldMs
    for (const [id, { sinceMs }] of this.#pending) {
      if (views.get(id) !== undefined || sinceMs < oldestMs) this.#pending.delete(id)
    }
    return this.#pending
  }

  async #ask<C extends { type: string }>(
    tenant: string | undefined,
    id: string,
    command: C,
  ): Promise<SessionReply> {
    if (!isId('ses', id)) throw noSuchSession()
    const asked = tenant === undefined ? command : { ...command, tenant }
    try {
      return await this.#deps.directory.ask<SessionReply>('session', id, asked)
    } catch (error) {
      throw isNotFound(error) ? noSuchSession() : error
    }
  }

  /** A session may end, or its record go, between the look and the word. */
  async #endKnown(tenant: string, id: string): Promise<void> {
    try {
      await this.end(tenant, id)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async #abandon(id: SessionId, tenant: string): Promise<void> {
    try {
      await this.end(tenant, id, 'caller_gone')
    } catch (error) {
      // It never came to be; or nobody answers, and its idle time will end it.
      if (!isNotFound(error)) this.#deps.log.warn({ err: error, id }, 'session not abandoned')
    }
  }
}
