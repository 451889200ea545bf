/** The CDP side of the gateway: who may connect to what, and every connection that stands. */
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { SessionView } from '../../proto/session.ts'
import type { SessionReply } from '../../proto/session-reply.ts'
import { DialFailed, type ByteChannel } from '../../runtime/channel/channel.ts'
import type { Clock, Timer } from '../../runtime/clock.ts'
import type { Directory } from '../../runtime/directory.ts'
import type { SocketGrant } from '../auth.ts'
import type { SocketHandler } from '../http.ts'
import type { SessionViews } from '../sessions.ts'
import type { Attached, Attachments } from './attachments.ts'
import { closingOf, gatewayDraining, whyLost } from './closing.ts'
import { CdpProxy, type Traffic } from './proxy.ts'

export interface EndpointDeps {
  readonly attachments: Attachments
  readonly directory: Pick<Directory, 'ask'>
  readonly views: SessionViews
  readonly clock: Clock
  readonly log: Logger
}

const pagePath = /^\/devtools\/page\/[A-Za-z0-9-]{1,64}$/
const browserPath = /^\/(devtools\/browser\/[^/]*)?$/

export class CdpEndpoint {
  readonly traffic: Traffic = { toBrowserBytes: 0, fromBrowserBytes: 0 }
  readonly #deps: EndpointDeps
  readonly #proxies = new Map<string, Set<CdpProxy>>()
  readonly #unwatch: () => void
  #heartbeat: Timer

  constructor(deps: EndpointDeps) {
    this.#deps = deps
    this.#unwatch = deps.views.onChange((view, id) => this.#onView(view, id))
    this.#heartbeat = this.#beat()
  }

  get sockets(): number {
    return [...this.#proxies.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * A client's socket for that path, its browser already dialled. Throws what refuses the upgrade.
   */
  async connect(path: string, grant: SocketGrant): Promise<SocketHandler> {
    if (!isCdpPath(path)) {
      throw new ServiceError('not_found', 'No socket is served at this path; see /openapi.json.')
    }
    const { attachments } = this.#deps
    const attached = await attachments.join(grant)
    try {
      return await this.#open(path, grant, attached)
    } catch (error) {
      attachments.leave(grant.sessionId)
      throw error
    }
  }

  /** Asks every client to connect again elsewhere; resolves when the actors know. */
  async drain(): Promise<void> {
    this.#unwatch()
    this.#heartbeat.cancel()
    const { code, reason } = gatewayDraining
    for (const proxies of this.#proxies.values()) {
      for (const proxy of proxies) proxy.end(code, reason)
    }
    await this.#deps.attachments.settled()
  }

  async #open(path: string, grant: SocketGrant, attached: Attached): Promise<CdpProxy> {
    const { sessionId } = grant
    const proxies = this.#proxies.get(sessionId) ?? new Set<CdpProxy>()
    if (proxies.size >= limits.cdpClientsPerSession) {
      const details = { current: proxies.size, limit: limits.cdpClientsPerSession }
      throw new ServiceError('rate_limited', 'Too many clients on this session.', details)
    }
    const proxy = new CdpProxy({
      downloadsDir: attached.claim.downloadsDir,
      traffic: this.traffic,
      onLost: (lost) => void this.#explain(lost, sessionId, attached),
      onClosed: (closed) => this.#remove(sessionId, closed),
    })
    // Counted before it is dialled, so that a crowd that comes at once is counted too.
    this.#proxies.set(sessionId, proxies.add(proxy))
    try {
      proxy.connect(await this.#dial(path, grant, attached, proxy))
      return proxy
    } catch (error) {
      this.#forget(sessionId, proxy)
      throw error
    }
  }

  /** Once more after asking the actor anew, when the browser's host would not have our ticket. */
  async #dial(path: string, grant: SocketGrant, attached: Attached, proxy: CdpProxy) {
    const reach = (to: Attached): Promise<ByteChannel> =>
      to.door.dial(pagePath.test(path) ? path : to.claim.devtoolsPath, proxy)
    try {
      return await reach(attached).catch(async (error: unknown) => {
        if (!(error instanceof DialFailed) || !error.refused) throw error
        return reach(await this.#deps.attachments.renew(grant))
      })
    } catch (error) {
      if (!(error instanceof DialFailed)) throw error
      throw await this.#unreachable(path, grant.sessionId, attached, error)
    }
  }

  /** The browser could not be dialled: usually because the session has just ended. */
  async #unreachable(path: string, sessionId: string, attached: Attached, cause: DialFailed) {
    if (cause.refused && pagePath.test(path)) {
      return new ServiceError('not_found', 'This session has no such page; see /json/list.')
    }
    const { reason } = await this.#why(sessionId, attached)
    const view = this.#deps.views.get(sessionId)
    if (view?.reason === undefined) {
      this.#deps.log.warn({ err: cause, sessionId }, 'browser not reachable')
      const message = 'The browser cannot be reached from this gateway; try again.'
      return new ServiceError('unavailable', message, {}, cause)
    }
    const message = `The session has ended (${reason}); create another one.`
    return new ServiceError('session_ended', message, { reason: view.reason })
  }

  async #explain(proxy: CdpProxy, sessionId: string, attached: Attached): Promise<void> {
    const { code, reason } = await this.#why(sessionId, attached)
    proxy.end(code, reason)
  }

  #why(sessionId: string, { door }: Attached) {
    const { views, clock, directory } = this.#deps
    const ask = async () => {
      const answer = await directory.ask<SessionReply>(
        'session',
        sessionId,
        { type: 'get' },
        { timeoutMs: limits.closeReasonWaitMs },
      )
      return answer.view
    }
    return whyLost(sessionId, door, { views, clock, ask })
  }

  #onView(view: SessionView | undefined, id: string): void {
    const closing = closingOf(view)
    if (!closing) return
    for (const proxy of this.#proxies.get(id) ?? []) proxy.end(closing.code, closing.reason)
  }

  #remove(sessionId: string, proxy: CdpProxy): void {
    if (this.#forget(sessionId, proxy)) this.#deps.attachments.leave(sessionId)
  }

  #forget(sessionId: string, proxy: CdpProxy): boolean {
    const proxies = this.#proxies.get(sessionId)
    const known = proxies?.delete(proxy) ?? false
    if (proxies?.size === 0) this.#proxies.delete(sessionId)
    return known
  }

  #beat(): Timer {
    return this.#deps.clock.timer(limits.cdpPingIdleMs, () => {
      for (const proxies of this.#proxies.values()) {
        for (const proxy of proxies) proxy.tick(limits.cdpPingIdleMs)
      }
      this.#heartbeat = this.#beat()
    })
  }
}

export function isCdpPath(path: string): boolean {
  return browserPath.test(path) || pagePath.test(path)
}
