/**
 * Operations on sessions for REST: writes are commands to the session's actor, lists are read from
 * views.
 */
import type { Logger } from 'pino'
import type { MessageTo } from '../../proto/actor.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import { idLike, isId, newId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import type { PageInfo } from '../../proto/browser-host/node.ts'
import {
  endedError,
  isFinal,
  type EndReason,
  type SessionCreateBody,
  type SessionOptions,
  type SessionView,
} from '../../proto/session/session.ts'
import type { StorageState } from '../../proto/session/storage-state.ts'
import { sessionActor, type SessionReply } from '../../proto/session/session-protocol.ts'
import { isReachedByOthers, type ReachConfig } from '../../runtime/config/reach.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { AskOptions, Directory } from '../../runtime/actor/directory.ts'
import type { ExtensionRecords } from '../../runtime/extensions/extension-records.ts'
import type { ProfileRecords } from '../../runtime/profiles/profile-records.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'
import { askAgent } from './sockets/ask-agent.ts'
import type { Principal } from '../routing/auth/auth.ts'
import { requirePrivateScope } from '../routing/auth/key-scope.ts'
import type { LinkUse } from './tokens/links.ts'
import type { Attachments } from './sockets/attachments.ts'
import { currentView, ofTenant, type ViewOwner } from '../routing/current-view.ts'
import type { Attempt } from '../routing/route.ts'
import type { SessionAdmission } from './admission.ts'
import { noSuchSession } from './no-such-session.ts'
import {
  assertExtendable,
  boundedOptions,
  withRecordingDefault,
  type RecordingDefault,
  type TimeBounds,
} from './operator-options.ts'
import type { RunningSessions, SessionViews } from './session-views.ts'
import { gatewaySessionLimits } from './limits.ts'

export interface SessionsDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly views: SessionViews
  readonly running: RunningSessions
  readonly attachments: Attachments
  readonly admission: SessionAdmission
  readonly config: TimeBounds & ReachConfig & RecordingDefault
  /** Measures the duration of creations. */
  readonly timings: { ofCreation<T>(creation: () => Promise<T>): Promise<T> }
  readonly initialState: {
    fill(
      caller: Principal,
      sessionId: string,
      state: StorageState,
      initialUrl: string | undefined,
    ): Promise<void>
  }
  readonly profiles: Pick<ProfileRecords, 'get'>
  readonly extensions: Pick<ExtensionRecords, 'get'>
  readonly bus: Bus
  readonly clock: Clock
  readonly membership: Pick<Membership, 'onDead'>
  readonly log: Logger
}

export class SessionService {
  readonly #deps: SessionsDeps

  constructor(deps: SessionsDeps) {
    this.#deps = deps
  }

  /** Resolves when the browser is ready. If the client leaves before that, the session is ended. */
  create(
    caller: Principal,
    body: SessionCreateBody,
    gone: AbortSignal,
    attempt?: Attempt,
  ): Promise<SessionView> {
    return this.#deps.timings.ofCreation(() => this.#create(caller, body, gone, attempt))
  }

  async #create(caller: Principal, body: SessionCreateBody, gone: AbortSignal, attempt?: Attempt) {
    const { clock, config, directory, admission } = this.#deps
    const earlier = attempt && (await this.#earlier(caller, attempt))
    const isAlive = earlier !== undefined && !isFinal(earlier.status)
    requirePrivateScope(caller, body.session?.network?.allow_private)
    if (!isAlive) {
      admission.admit(caller)
      await this.#checkProfile(caller, body)
      await this.#checkExtensions(caller, body)
    }
    const createdAtMs = clock.now()
    const hasId = attempt !== undefined && attempt.after !== 'failure' && (isAlive || !earlier)
    const id = hasId ? idLike('ses', attempt.id) : newId('ses', createdAtMs)
    const { keyId, keyName, tenant, isSdk } = caller
    const input = {
      ...{ id, tenant, keyId, keyName, createdAtMs },
      options: withReach(
        caller,
        config,
        boundedOptions(withRecordingDefault(body, config), config),
      ),
      ...(isSdk && ({ madeBySdk: true } as const)),
    }
    admission.countPending(id, caller)
    const abandon = () => void this.abandon(id, tenant)
    gone.addEventListener('abort', abandon, { once: true })
    try {
      const answer = await directory.create(sessionActor, id, input, {
        timeoutMs: limits.requestHeldMs,
        untilSettled: true,
      })
      // The first `end` may have been sent before the session existed, so it is repeated.
      if (gone.aborted) abandon()
      this.#deps.views.learn(answer.view)
      await this.#fill(caller, id, body)
      return answer.view
    } catch (error) {
      admission.fulfilled(id)
      abandon()
      throw error
    } finally {
      gone.removeEventListener('abort', abandon)
    }
  }

  /** A profile that is only read has to exist; whether it can be held is decided with the claim. */
  async #checkProfile({ tenant }: Principal, { browser }: SessionCreateBody): Promise<void> {
    const { profile } = browser ?? {}
    if (profile && !profile.persist) await this.#deps.profiles.get(tenant, profile.name)
  }

  /** Throws `not_found`, and `bad_request` for two that Chromium could not tell apart. */
  async #checkExtensions({ tenant }: Principal, { browser }: SessionCreateBody): Promise<void> {
    const { extensions: ids = [] } = browser ?? {}
    const known = await Promise.all(ids.map((id) => this.#deps.extensions.get(tenant, id)))
    const byId = new Map(known.map((record) => [record.chromiumId, record]))
    const twin = known.find((record) => byId.get(record.chromiumId) !== record)
    if (!twin) return
    const text = `browser.extensions has ${twin.id} and another one with the same id in Chromium; leave one out.`
    throw new ServiceError('bad_request', text, { field: 'browser.extensions' })
  }

  async #fill(caller: Principal, id: string, { session }: SessionCreateBody): Promise<void> {
    const state = session?.storage_state
    if (!state) return
    try {
      await this.#deps.initialState.fill(caller, id, state, session.initial_url)
    } catch (error) {
      await this.abandon(id, caller.tenant, 'start_failed')
      throw error instanceof ServiceError && error.type === 'bad_request'
        ? withFieldIn('session.storage_state', error)
        : error
    }
  }

  /**
   * The session that an earlier attempt created before its gateway died; its id follows from the
   * attempt's. A session whose creation failed was ended and is not reused.
   */
  async #earlier(caller: Principal, attempt: Attempt): Promise<SessionView | undefined> {
    if (attempt.after !== 'death') return undefined
    try {
      return await this.get(caller, idLike('ses', attempt.id))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Asks the actor, unless the session is known to have ended. */
  get(whose: ViewOwner, id: string): Promise<SessionView> {
    return currentView({
      known: ofTenant(this.#deps.views.get(id), whose),
      isOver: ({ status }) => isFinal(status),
      ask: async () => (await this.#ask(whose.tenant, id, { type: 'get' })).view,
    })
  }

  /** Throws `not_found`, or why the session has ended. */
  async usable(caller: ViewOwner, id: string): Promise<SessionView> {
    const view = await this.get(caller, id)
    if (isFinal(view.status) || view.status === 'ending') throw endedError(view)
    return view
  }

  /** Ending an ended session is no error. */
  async end(tenant: string, id: string, reason: EndReason = 'deleted'): Promise<void> {
    // A profile is saved when this resolves, for the caller's next session.
    const isSaved = this.#deps.views.get(id)?.options.profile?.persist
    const options = isSaved ? { untilSettled: true, timeoutMs: limits.requestHeldMs } : {}
    await this.#ask(tenant, id, { type: 'end', reason }, options)
  }

  /** Ends all live sessions of the tenant and returns their number. */
  async endAll({ tenant }: Principal): Promise<number> {
    const live = this.#deps.running.ofTenant(tenant).map((view) => view.id)
    const ids = [...live, ...this.#deps.admission.pendingOf(tenant)]
    await this.endEach(tenant, ids)
    return ids.length
  }

  /** Ends these sessions of the tenant, some at a time. */
  async endEach(tenant: string, ids: readonly string[]): Promise<void> {
    for (let i = 0; i < ids.length; i += gatewaySessionLimits.sessionsEndedAtOnce) {
      const some = ids.slice(i, i + gatewaySessionLimits.sessionsEndedAtOnce)
      await Promise.all(some.map((id) => this.#endKnown(tenant, id)))
    }
  }

  async tag({ tenant }: Principal, id: string, tags: readonly string[]): Promise<SessionView> {
    return (await this.#ask(tenant, id, { type: 'tag', tags })).view
  }

  /**
   * Throws `bad_request` if the session would then live longer than the operator allows; a session
   * without a limit keeps none.
   */
  async extend(caller: ViewOwner, id: string, minutes: number): Promise<SessionView> {
    const view = await this.usable(caller, id)
    assertExtendable(view, minutes, this.#deps.config)
    return (await this.#ask(caller.tenant, id, { type: 'extend', minutes })).view
  }

  /** Whether a one-time link is this viewer's, who may be the first one to open it. */
  async useLiveLink(id: string, use: LinkUse): Promise<boolean> {
    const { directory } = this.#deps
    const { isTheirs } = await directory.ask(sessionActor, id, { type: 'live.use', ...use })
    return isTheirs
  }

  /** Revokes all links to the live view, which also closes the views opened with them. */
  async endLiveLinks({ tenant }: Principal, id: string): Promise<void> {
    await this.#ask(tenant, id, { type: 'live.revoke' })
  }

  /** The session is attached meanwhile, which yields the node and epoch and counts as activity. */
  async pages({ keyId, tenant }: Principal, id: string): Promise<readonly PageInfo[]> {
    const { attachments, bus, clock, membership } = this.#deps
    return attachments.during({ keyId, tenant, sessionId: id }, ({ claim, epoch }) => {
      const shared = { requester: bus, clock, membership }
      const options = { ...shared, agent: claim, timeoutMs: limits.nodeCallMs }
      return askAgent(options, 'pages', { sessionId: id, epoch })
    })
  }

  /** Ends a session that no client has. A failure is logged, because no client waits for it. */
  async abandon(id: string, tenant: string, why: EndReason = 'caller_gone'): Promise<void> {
    try {
      await this.end(tenant, id, why)
    } catch (error) {
      // The session was never created, or its actor cannot be reached and its idle time will end
      // it.
      if (!isNotFound(error)) this.#deps.log.warn({ err: error, id }, 'session not abandoned')
    }
  }

  async #ask(
    tenant: string | undefined,
    id: string,
    message: MessageTo<typeof sessionActor, 'get' | 'end' | 'extend' | 'tag' | 'live.revoke'>,
    options: Pick<AskOptions, 'untilSettled' | 'timeoutMs'> = {},
  ): Promise<SessionReply> {
    if (!isId('ses', id)) throw noSuchSession()
    try {
      return await this.#deps.directory.ask(sessionActor, id, message, { tenant, ...options })
    } catch (error) {
      throw isNotFound(error) ? noSuchSession() : error
    }
  }

  /** Ignores a session whose record disappeared after it was listed. */
  async #endKnown(tenant: string, id: string): Promise<void> {
    try {
      await this.end(tenant, id)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/**
 * On a service that only its own machine reaches, a key that may reach private networks does so
 * unless the session says otherwise: its owner tests what runs on that machine.
 */
function withReach(
  { allowPrivate = false }: Principal,
  config: ReachConfig,
  options: SessionOptions,
): SessionOptions {
  if (!allowPrivate || isReachedByOthers(config)) return options
  return { ...options, network: { allowPrivate, ...options.network } }
}

/** The error with its field, if it names one, as part of the outer field. */
function withFieldIn(outer: string, { type, message, details }: ServiceError): ServiceError {
  const { field } = details
  const inner = typeof field === 'string' ? { field: `${outer}.${field}` } : { field: outer }
  return new ServiceError(type, message, { ...details, ...inner })
}
