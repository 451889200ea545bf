/** The CDP endpoint of the gateway: admits clients and manages their connections. */
import { ServiceError } from '../../proto/errors.ts'
import { DialFailed } from '../../runtime/browser-host/channel/channel.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { SocketGrant } from '../routing/auth/auth.ts'
import type { KeyValidity } from '../routing/auth/key-validity.ts'
import type { HttpRequest, SocketHandler } from '../server/http.ts'
import type { BrowserDialing } from '../sessions/sockets/browser-dialing.ts'
import type { RequestAudit } from '../service-audit/request-audit.ts'
import { StandingSockets } from '../sessions/sockets/standing-sockets.ts'
import type { AttachedSession, Attachments } from '../sessions/sockets/attachments.ts'
import type { ClientNoter, ClientNotes } from '../session-events/client-notes.ts'
import { openedClient } from '../session-events/opened-client.ts'
import { CdpProxy, type CdpTraffic } from './proxy.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import { cdpLimits } from './limits.ts'

export interface EndpointDeps {
  readonly attachments: Attachments
  readonly reach: BrowserDialing
  readonly views: SessionViews
  readonly keyValidity: KeyValidity
  readonly audit: RequestAudit
  readonly noter: ClientNoter
  readonly clock: Clock
}

const pagePath = /^\/devtools\/page\/[A-Za-z0-9-]{1,64}$/
const browserPath = /^\/(devtools\/browser\/[^/]*)?$/

export class CdpEndpoint {
  readonly traffic: CdpTraffic = { toBrowserBytes: 0, fromBrowserBytes: 0 }
  readonly #deps: EndpointDeps
  readonly #proxies: StandingSockets<CdpProxy>
  /** Those whose clients the audit and the session's log know. */
  readonly #clients = new WeakMap<CdpProxy, ClientNotes>()

  constructor(deps: EndpointDeps) {
    this.#deps = deps
    this.#proxies = new StandingSockets(deps)
  }

  get sockets(): number {
    return this.#proxies.size
  }

  /**
   * Dials the browser and returns the client's socket; `onLeft` is called when that has closed.
   * Throws the error that refuses the upgrade.
   */
  async connect(
    request: HttpRequest,
    grant: SocketGrant,
    onLeft?: () => void,
  ): Promise<SocketHandler> {
    const { attachments, audit } = this.#deps
    const attached = await attachments.join(grant)
    const { sessionId } = grant
    const facts = audit.socketFacts(request, grant, attached)
    const { downloadsDir, extensions, ownContextId } = attached.claim
    /** The path of a page's own socket; undefined for that of the browser. */
    const page = pagePath.test(request.path) ? request.path : undefined
    const proxy = new CdpProxy({
      rules: { downloadsDir, extensions, onAct: (act) => this.#clients.get(proxy)?.did(act) },
      ownContextId,
      traffic: this.traffic,
      onLost: (lost) => void this.#explain(lost, grant, attached, page),
      onRefused: (method) => audit.cdpRefused(facts, method),
      onClosed: (closed) => {
        onLeft?.()
        this.#remove(sessionId, closed)
      },
    })
    try {
      // Added before dialling, so that the limit also holds for clients that connect at the same
      // time.
      this.#proxies.add(sessionId, proxy, grant, cdpLimits.cdpClientsPerSession)
    } catch (error) {
      attachments.leave(sessionId)
      throw error
    }
    try {
      proxy.connect(await this.#dial(page, grant, attached, proxy))
      this.#clients.set(proxy, openedClient(this.#deps, { kind: 'cdp', facts, attached }))
      return proxy
    } catch (error) {
      this.#remove(sessionId, proxy)
      throw error
    }
  }

  /**
   * Asks every client to reconnect elsewhere; resolves when the session actors have been notified.
   */
  async drain(): Promise<void> {
    this.#proxies.drain()
    await this.#deps.attachments.settled()
  }

  async #dial(
    page: string | undefined,
    grant: SocketGrant,
    attached: AttachedSession,
    proxy: CdpProxy,
  ) {
    const { reach } = this.#deps
    try {
      return await reach.dial(grant, attached, ({ dialer, claim }) =>
        dialer.dial(page ?? claim.devtoolsPath, proxy),
      )
    } catch (error) {
      if (!(error instanceof DialFailed)) throw error
      if (error.refused && page !== undefined) {
        throw new ServiceError(
          'not_found',
          'This session has no page with this id; see /json/list.',
        )
      }
      throw await reach.unreachable(grant.sessionId, attached, error)
    }
  }

  async #explain(
    proxy: CdpProxy,
    { sessionId }: SocketGrant,
    attached: AttachedSession,
    page: string | undefined,
  ): Promise<void> {
    const peer = page === undefined ? 'browser' : 'page'
    const { code, reason } = await this.#deps.reach.whyLost(sessionId, attached, peer)
    proxy.end(code, reason)
  }

  #remove(sessionId: string, proxy: CdpProxy): void {
    if (!this.#proxies.delete(sessionId, proxy)) return
    this.#deps.attachments.leave(sessionId)
    this.#clients.get(proxy)?.left()
    this.#clients.delete(proxy)
  }
}

export function isCdpPath(path: string): boolean {
  return browserPath.test(path) || pagePath.test(path)
}
