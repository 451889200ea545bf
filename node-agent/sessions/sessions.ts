/**
 * The sessions on this agent with their browsers, and the sessions that have ended. Claims are
 * idempotent, lower epochs are refused, and a session that has ended here stays ended: a late claim
 * for it is refused.
 */
import { defined } from '../../proto/defined.ts'
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../proto/errors.ts'
import type {
  FencedOrder,
  NodeVerbs,
  PageInfo,
  SavedProfile,
} from '../../proto/browser-host/node.ts'
import type { BrowserUse } from '../../proto/session/browser-reports.ts'
import type { BrowserClaim, DisplayAddress } from '../../proto/session/browser-claim.ts'
import type { BrowserId, Incarnation } from '../../proto/ids.ts'
import type { AdoptReply } from '../../proto/session/session-protocol.ts'
import type { ExtensionSource, SessionExtension } from '../../proto/session/extension.ts'
import type { SessionOptions } from '../../proto/session/session.ts'
import type { DevtoolsEndpoint } from '../browser/running.ts'
import { shapeOf, type BrowserShape } from '../browser/shape.ts'
import type { SessionFiles } from '../files/session-files.ts'
import type { ProfileKeeper } from '../profiles/profile-keeper.ts'
import type { TakeOptions } from '../pool/pool.ts'
import { hostedSessionLimits } from './limits.ts'

/** The address of this agent, which is part of every claim. */
export interface AgentAddress {
  readonly nodeId: string
  readonly incarnation: Incarnation
  readonly machine: string
  readonly dataUrl: string
}

/** The profile of a browser that is saved at its end. */
export type SavedAtEnd = Pick<ProfileKeeper, 'done' | 'giveUp' | 'isSaving' | 'save'>

/** The interface of a browser for its session. */
export interface SessionBrowser {
  readonly id: BrowserId
  readonly devtools: DevtoolsEndpoint
  readonly scratch: { readonly downloads: string }
  readonly ownContextId: string
  readonly display?: DisplayAddress | undefined
  readonly files: SessionFiles
  /** Set if its profile is saved at its end. */
  readonly profile?: SavedAtEnd | undefined
  applyOptions(
    options: SessionOptions,
    extensions?: readonly ExtensionSource[],
  ): Promise<void> | undefined
  /** From now on it outlives this agent, for the next one of this host. */
  keepFor(sessionId: string, secret: string): void
  pages(): Promise<readonly PageInfo[]>
}

/** The source of browsers: the pool. */
export interface BrowserSource<B extends SessionBrowser> {
  take(shape: BrowserShape, options: TakeOptions): Promise<B>
  drain(browser: B, why: string): void
}

/** What happens in sessions is written there. */
export interface SessionLog<B> {
  /** The session has got its browser, which is not set up for it yet. */
  begin(sessionId: string, tenant: string, browser: B, begun: BegunSession): void
  end(sessionId: string): void
  /** What the browser has used for its session. */
  useOf(browser: B): Promise<BrowserUse | undefined>
  /** Its browser is about to be closed in order. Never rejects, and takes a moment at most. */
  beforeRelease(sessionId: string, tenant: string, browser: B): Promise<void>
  /** Tells the session the same. Never rejects. */
  tellUse(sessionId: string, browser: B): Promise<void>
}

export interface BegunSession {
  readonly options: SessionOptions
  /** What it has used with an earlier agent. */
  readonly use?: BrowserUse | undefined
}

const noLog: SessionLog<SessionBrowser> = {
  begin: () => undefined,
  end: () => undefined,
  useOf: () => Promise.resolve(undefined),
  beforeRelease: () => Promise.resolve(),
  tellUse: () => Promise.resolve(),
}

interface Session<B> {
  readonly tenant: string
  epoch: number
  readonly claim: Promise<BrowserClaim>
  readonly abort: AbortController
  holding: { readonly browser: B; readonly ticketSecret: string } | undefined
}

type Claim = NodeVerbs['claim']['request']
type AdoptedSession = Omit<Extract<AdoptReply, { keep: true }>, 'keep'>

export class AgentSessions<B extends SessionBrowser = SessionBrowser> {
  readonly #pool: BrowserSource<B>
  readonly #address: AgentAddress
  readonly #live = new Map<string, Session<B>>()
  /** Sessions that came from an earlier agent a short while ago. */
  readonly #inherited = new Set<string>()
  /** Of sessions whose browser has closed in order, until they are released. */
  readonly #closed = new Map<string, SavedAtEnd>()
  readonly #ended = new LRUCache<string, true>({ max: hostedSessionLimits.endedSessionsRemembered })
  readonly #log: SessionLog<B>

  constructor(pool: BrowserSource<B>, address: AgentAddress, log: SessionLog<B> = noLog) {
    this.#pool = pool
    this.#address = address
    this.#log = log
  }

  claim(request: Claim): Promise<BrowserClaim> {
    const { sessionId, epoch } = request
    if (this.#ended.has(sessionId)) throw sessionEndedError()
    const known = this.#live.get(sessionId)
    if (known) {
      this.#fence(known, epoch)
      return known.claim
    }
    const abort = new AbortController()
    const session: Session<B> = {
      tenant: request.tenant ?? '',
      epoch,
      abort,
      holding: undefined,
      claim: Promise.resolve().then(() => this.#claim(session, request)),
    }
    this.#live.set(sessionId, session)
    return session.claim
  }

  /** Goes on with a session of an earlier agent of this host. */
  adopt(
    browser: B,
    { claim, options, tenant, epoch, use }: AdoptedSession,
    sessionId: string,
  ): void {
    const { ticketSecret } = claim
    this.#live.set(sessionId, {
      tenant,
      epoch,
      abort: new AbortController(),
      holding: { browser, ticketSecret },
      claim: Promise.resolve(claim),
    })
    this.#inherited.add(sessionId)
    this.#log.begin(sessionId, tenant, browser, { options, use })
  }

  /** Whether an earlier agent may have begun a command of this session that is repeated now. */
  isInherited(sessionId: string): boolean {
    return this.#inherited.has(sessionId)
  }

  /** Callers of the agent before have given up by now. */
  forgetInheritance(): void {
    this.#inherited.clear()
  }

  async release({ sessionId, epoch }: FencedOrder): Promise<NodeVerbs['release']['reply']> {
    const session = this.#live.get(sessionId)
    if (session) this.#fence(session, epoch)
    const browser = session?.holding?.browser
    const use = browser && (await this.#takeLeave(sessionId, session.tenant, browser))
    return { released: this.drop(sessionId, 'released'), ...defined({ use }) }
  }

  async #takeLeave(sessionId: string, tenant: string, browser: B) {
    const [use] = await Promise.all([
      this.#log.useOf(browser),
      this.#log.beforeRelease(sessionId, tenant, browser),
    ])
    return use
  }

  /** Closes the browser in order. Throws `not_found` if nothing is left of it. */
  async saveProfile({
    sessionId,
    epoch,
    blob,
    bytesMax,
  }: NodeVerbs['save_profile']['request']): Promise<SavedProfile> {
    const session = this.#live.get(sessionId)
    if (session) this.#fence(session, epoch)
    const browser = session?.holding?.browser
    if (browser?.profile) await this.#log.beforeRelease(sessionId, session!.tenant, browser)
    const profile = browser?.profile ?? this.#closed.get(sessionId)
    if (profile) return profile.save(blob, bytesMax)
    const text = 'The host of the browser has nothing left of it; the profile is as it was before.'
    throw new ServiceError('not_found', text)
  }

  holds({ sessionId, epoch }: FencedOrder): NodeVerbs['holds']['reply'] {
    const session = this.#live.get(sessionId)
    if (session) this.#fence(session, epoch)
    return { browserId: session?.holding?.browser.id ?? null }
  }

  async pages(request: FencedOrder): Promise<readonly PageInfo[]> {
    return this.browserOf(request).pages()
  }

  /** The browser for a command of that epoch. Throws if the session has no browser here. */
  browserOf({ sessionId, epoch }: FencedOrder): B {
    if (this.#ended.has(sessionId)) throw sessionEndedError()
    const session = this.#live.get(sessionId)
    if (!session?.holding) throw new ServiceError('not_found', 'This host has no such session.')
    this.#fence(session, epoch)
    return session.holding.browser
  }

  holdsBrowser(sessionId: string): boolean {
    return this.#live.get(sessionId)?.holding !== undefined
  }

  /** The browser for read-only operations. Throws if the session has no browser here. */
  heldBy(sessionId: string): B {
    const browser = this.#live.get(sessionId)?.holding?.browser
    if (!browser) throw new ServiceError('not_found', 'This host has no such session.')
    return browser
  }

  /** Empty if the session is not here, or if its claim named none. */
  tenantOf(sessionId: string): string {
    return this.#live.get(sessionId)?.tenant ?? ''
  }

  /** Ends a session here, whether it has a browser or is waiting for one. */
  drop(sessionId: string, why: string): boolean {
    const browser = this.#live.get(sessionId)?.holding?.browser
    browser?.profile?.giveUp()
    this.#closed.get(sessionId)?.giveUp()
    return this.#end(sessionId, why)
  }

  /** Ends the session of a browser that has ended; `told` is what the browser has used. */
  lost(browser: B): { readonly sessionId: string; readonly told: Promise<void> } | undefined {
    for (const [sessionId, { holding }] of this.#live) {
      if (holding?.browser !== browser) continue
      const { profile } = browser
      if (profile) {
        this.#closed.set(sessionId, profile)
        void profile.done.then(() => this.#closed.delete(sessionId))
      }
      const told = this.#log.tellUse(sessionId, browser)
      this.#end(sessionId, 'gone')
      return { sessionId, told }
    }
    return undefined
  }

  #end(sessionId: string, why: string): boolean {
    this.#ended.set(sessionId, true)
    const session = this.#live.get(sessionId)
    if (!session) return false
    this.#live.delete(sessionId)
    session.abort.abort()
    if (session.holding) this.#pool.drain(session.holding.browser, why)
    this.#log.end(sessionId)
    return true
  }

  /** The sessions that have a browser. */
  held(): readonly { readonly sessionId: string; readonly browser: B }[] {
    return [...this.#live].flatMap(([sessionId, { holding }]) =>
      holding ? [{ sessionId, browser: holding.browser }] : [],
    )
  }

  ids(): readonly string[] {
    return [...this.#live.keys()]
  }

  /** The data for checking a byte channel's ticket. */
  access(sessionId: string) {
    const session = this.#live.get(sessionId)
    return session?.holding && { ...session.holding, epoch: session.epoch }
  }

  async #claim(session: Session<B>, request: Claim): Promise<BrowserClaim> {
    const { sessionId, tenant, options, waitMs } = request
    try {
      const signal = session.abort.signal
      // Its storage state follows, which takes as much of the processors as a boot.
      const calmMs = options.storageState && hostedSessionLimits.storageStateMs
      const shape = shapeFor(request)
      const browser = await this.#pool.take(shape, { tenant, waitMs, signal, calmMs })
      const ticketSecret = randomBytes(32).toString('hex')
      session.holding = { browser, ticketSecret }
      this.#log.begin(sessionId, session.tenant, browser, { options })
      await this.#applyOptions(browser, request)
      // The browser was released while it was being set up, so it is being torn down already.
      if (signal.aborted) throw sessionEndedError()
      browser.keepFor(sessionId, ticketSecret)
      return {
        ...this.#address,
        browserId: browser.id,
        devtoolsPort: browser.devtools.port,
        devtoolsPath: browser.devtools.path,
        ...defined({ devtoolsSocket: browser.devtools.socket }),
        ticketSecret,
        downloadsDir: browser.scratch.downloads,
        ownContextId: browser.ownContextId,
        ...(browser.display && { display: browser.display }),
        ...(request.extensions && { extensions: request.extensions.map(shownExtension) }),
      }
    } catch (error) {
      // A refused claim leaves no trace, so the session may be claimed again, here or elsewhere.
      this.#live.delete(sessionId)
      if (session.holding) this.#pool.drain(session.holding.browser, 'unfit')
      this.#log.end(sessionId)
      throw error
    }
  }

  async #applyOptions(browser: B, { options, extensions }: Claim): Promise<void> {
    try {
      await browser.applyOptions(options, extensions)
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      const message = 'The browser could not be set up as requested; try again.'
      throw new ServiceError('browser_start_failed', message, {}, cause)
    }
  }

  #fence(session: Session<B>, epoch: number): void {
    if (epoch < session.epoch) {
      const message = 'This session has a newer owner; this request is outdated.'
      throw new ServiceError('conflict', message, { epoch: session.epoch })
    }
    session.epoch = epoch
  }
}

const shownExtension = ({ chromiumId, name, version }: ExtensionSource): SessionExtension => ({
  ...{ chromiumId, name, version },
})

function shapeFor({ sessionId, options, profile: source }: Claim): BrowserShape {
  return { ...shapeOf(options), ...(source && { profile: { sessionId, source } }) }
}

function sessionEndedError(): ServiceError {
  return new ServiceError('session_ended', 'This session has ended on this host.')
}
