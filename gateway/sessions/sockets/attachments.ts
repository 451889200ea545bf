/**
 * The sessions that this gateway has connections to. The session's actor is asked at the first
 * connection and told after the last one has closed; frames and further clients do not involve it.
 */
import type { Logger } from 'pino'
import { defined } from '../../../proto/defined.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import { isId, type Incarnation } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import type { SessionOptions, SessionStatus } from '../../../proto/session/session.ts'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import type { BrowserDialer } from '../../../runtime/browser-host/channel/channel.ts'
import { AgentRequests } from '../../../runtime/browser-host/agent-requests.ts'
import type { NodeRequester } from '../../../runtime/browser-host/node-client.ts'
import { directDialer } from '../../../runtime/browser-host/channel/direct.ts'
import { sameHostDialer } from '../../../runtime/browser-host/channel/same-host.ts'
import { backoffMs, sleep, type Clock, type Timer } from '../../../runtime/lib/clock.ts'
import type { Membership } from '../../../runtime/cluster/membership.ts'
import { pollUntil } from '../../../runtime/lib/poll-until.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import type { SocketGrant } from '../../routing/auth/auth.ts'
import { noSuchSession } from '../no-such-session.ts'
import type { SessionViews } from '../session-views.ts'
import { gatewaySessionLimits } from '../limits.ts'

export interface AttachedSession {
  readonly tenant: string
  readonly options: SessionOptions
  /** When this gateway asked the session's actor. */
  readonly status: SessionStatus
  readonly claim: BrowserClaim
  /** On the machine whose loopback this gateway shares. */
  readonly isHere: boolean
  /** The epoch of the session's actor when this gateway asked it. */
  readonly epoch: number
  readonly dialer: BrowserDialer
  /** Asks the agent of the browser. */
  readonly requests: AgentRequests
}

interface Entry {
  attached: Promise<AttachedSession>
  /** The tenant in whose name the actor was asked. */
  readonly tenant: string | undefined
  users: number
  /** Set while the entry has no users and is kept for a while in case another request follows. */
  lingering?: { readonly timer: Timer; readonly sinceMs: number }
}

export interface AttachmentsDeps {
  readonly bus: NodeRequester
  readonly directory: Pick<Directory, 'ask'>
  readonly incarnation: Incarnation
  /** The machine whose loopback this process shares. */
  readonly machine: string
  readonly views: Pick<SessionViews, 'onChange'>
  readonly membership: Pick<Membership, 'get'>
  readonly clock: Clock
  readonly log: Logger
}

export class Attachments {
  readonly #deps: AttachmentsDeps
  readonly #entries = new Map<string, Entry>()
  readonly #leaving = new Map<string, Promise<void>>()

  constructor(deps: AttachmentsDeps) {
    this.#deps = deps
    deps.views.onChange((view, id) => {
      if (view?.reason !== undefined) this.#forgetEnded(id)
    })
  }

  /**
   * Attaches the session before `use` and until it settles. Requests often follow each other, so
   * the gateway stays attached for a while and the next one need not ask the actor.
   */
  async during<T>(grant: SocketGrant, use: (attached: AttachedSession) => Promise<T>): Promise<T> {
    const attached = await this.join(grant)
    try {
      return await use(attached)
    } finally {
      this.leave(grant.sessionId, gatewaySessionLimits.attachmentLingerMs)
    }
  }

  /**
   * Adds a connection; every caller that got a result must call `leave`. Throws the actor's errors.
   */
  async join(grant: SocketGrant): Promise<AttachedSession> {
    const { sessionId } = grant
    if (!isId('ses', sessionId)) throw noSuchSession()
    const entry = this.#entries.get(sessionId) ?? this.#enter(grant)
    entry.users++
    entry.lingering?.timer.cancel()
    delete entry.lingering
    const attached = await this.#current(grant, entry).catch((error: unknown) => {
      this.#drop(sessionId, entry, error)
      // A refusal of another tenant's request, shared by chance, does not apply to this caller.
      if (entry.tenant !== grant.tenant) return this.join(grant)
      throw error
    })
    if (grant.tenant === undefined || grant.tenant === attached.tenant) return attached
    // `leave` notifies the actor in case the last other user has left meanwhile.
    this.leave(sessionId)
    throw noSuchSession()
  }

  /** Asks the actor again if the agent is dead: another one may have taken over its browsers. */
  async #current(grant: SocketGrant, entry: Entry): Promise<AttachedSession> {
    const attached = await entry.attached
    const agent = this.#deps.membership.get(attached.claim.incarnation)
    if (agent?.state !== 'dead') return attached
    return this.renew({ ...grant, ...defined({ tenant: entry.tenant }) })
  }

  /** Asks the actor again, after the browser's host refused what the actor said last time. */
  async renew(grant: SocketGrant): Promise<AttachedSession> {
    const entry = this.#entries.get(grant.sessionId)
    if (!entry) throw noSuchSession()
    const attached = await this.#ask(grant)
    // Stored only on success, so a failure changes nothing for the connected clients.
    closeRequests(entry)
    entry.attached = Promise.resolve(attached)
    return attached
  }

  /**
   * Asks the actor until another agent has taken over the browser, for a moment. The same agent may
   * be named still.
   */
  successor(grant: SocketGrant, { claim }: AttachedSession): Promise<AttachedSession> {
    const times = {
      everyMs: gatewaySessionLimits.successorPollMs,
      withinMs: gatewaySessionLimits.agentBackMs,
    }
    return pollUntil(
      this.#deps.clock,
      times,
      () => this.renew(grant),
      (now) =>
        now.status !== 'running' ||
        now.claim.incarnation !== claim.incarnation ||
        // It has been dead for long.
        this.#deps.membership.get(claim.incarnation) === undefined,
    )
  }

  /** Removes a connection; `lingerMs` after the last one, the actor is told. */
  leave(sessionId: string, lingerMs = 0): void {
    const entry = this.#entries.get(sessionId)
    if (!entry || --entry.users > 0) return
    const { clock } = this.#deps
    const sinceMs = clock.monotonic()
    if (lingerMs === 0) return this.#farewell(sessionId, sinceMs)
    const timer = clock.timer(lingerMs, () => this.#farewell(sessionId, sinceMs))
    entry.lingering = { timer, sinceMs }
  }

  /** Resolves when all actors that have to be told were told. */
  async settled(): Promise<void> {
    for (const [sessionId, { lingering }] of this.#entries) {
      lingering?.timer.cancel()
      if (lingering) this.#farewell(sessionId, lingering.sinceMs)
    }
    await Promise.all(this.#leaving.values())
  }

  #enter(grant: SocketGrant): Entry {
    const entry: Entry = { attached: this.#ask(grant), tenant: grant.tenant, users: 0 }
    this.#entries.set(grant.sessionId, entry)
    return entry
  }

  /** Removes a user whose request failed. After a timeout the actor may count us, so it is told. */
  #drop(sessionId: string, entry: Entry, error: unknown): void {
    if (--entry.users > 0) return
    this.#remove(sessionId)
    const wasRefused = error instanceof ServiceError && error.type !== 'timeout'
    if (!wasRefused) this.#farewell(sessionId, this.#deps.clock.monotonic())
  }

  #farewell(sessionId: string, sinceMs: number): void {
    this.#remove(sessionId)
    const telling = this.#tellLeft(sessionId, sinceMs).finally(() => {
      this.#leaving.delete(sessionId)
    })
    this.#leaving.set(sessionId, telling)
  }

  /**
   * Forgets a lingering entry when its session has ended, so that the next caller asks the actor
   * why.
   */
  #forgetEnded(sessionId: string): void {
    const entry = this.#entries.get(sessionId)
    if (!entry?.lingering) return
    entry.lingering.timer.cancel()
    this.#remove(sessionId)
  }

  #remove(sessionId: string): void {
    const entry = this.#entries.get(sessionId)
    this.#entries.delete(sessionId)
    if (entry) closeRequests(entry)
  }

  async #ask({ sessionId, tenant }: SocketGrant): Promise<AttachedSession> {
    const { bus, directory, incarnation, machine, clock } = this.#deps
    // A `disconnected` that is still on its way must not arrive after this `attach`.
    await this.#leaving.get(sessionId)
    const { view, claim, epoch } = await directory
      .ask(sessionActor, sessionId, { type: 'attach', by: incarnation }, { tenant })
      .catch((error: unknown) => {
        throw isNotFound(error) ? noSuchSession() : error
      })
    const isHere = claim.machine === machine
    const access = { claim, sessionId, epoch, clock }
    const dialer = isHere ? sameHostDialer(claim) : directDialer(access)
    const requests = new AgentRequests(bus, access)
    const { options, status } = view
    return { tenant: view.tenant, options, status, claim, isHere, epoch, dialer, requests }
  }

  /** Retries for a while, because a session that is not told counts as busy until it ends. */
  async #tellLeft(sessionId: string, sinceMs: number): Promise<void> {
    const { directory, incarnation, clock, log } = this.#deps
    for (let attempt = 1; attempt <= limits.effectAttempts; attempt++) {
      try {
        const quietMs = clock.monotonic() - sinceMs
        const message = { type: 'disconnected', by: incarnation, quietMs } as const
        await directory.ask(sessionActor, sessionId, message)
        return
      } catch (error) {
        if (isNotFound(error)) return
        log.warn({ err: error, sessionId, attempt }, 'session not told that its last client left')
      }
      if (this.#entries.has(sessionId)) return
      await sleep(clock, backoffMs(attempt, limits.effectBackoffMs, limits.effectBackoffMaxMs))
    }
  }
}

/** A failed attachment has no connection to close. */
const closeRequests = ({ attached }: Entry) =>
  void attached.then(({ requests }) => requests.close()).catch(() => undefined)
