/** The live views of this gateway: admits viewers and manages their sockets. */
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import { DialFailed } from '../../runtime/browser-host/channel/channel.ts'
import { isFinal } from '../../proto/session/session.ts'
import type { TaskView } from '../../proto/task/task.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { SocketGrant } from '../routing/auth/auth.ts'
import type { KeyValidity } from '../routing/auth/key-validity.ts'
import type { AttachedSession, Attachments } from '../sessions/sockets/attachments.ts'
import type { HttpRequest } from '../server/http.ts'
import type { BrowserDialing } from '../sessions/sockets/browser-dialing.ts'
import type { RequestAudit } from '../service-audit/request-audit.ts'
import type { ClientNoter, ClientNotes } from '../session-events/client-notes.ts'
import { openedClient } from '../session-events/opened-client.ts'
import { StandingSockets } from '../sessions/sockets/standing-sockets.ts'
import { Audience, type AudienceDeps } from './audience.ts'
import { SessionActions, type ActingViewer, type SessionActionsDeps } from './session-actions.ts'
import { ViewerRequests, type TaskAnswers } from './viewer-requests.ts'
import { DesktopStream } from './desktop/desktop.ts'
import { linkUse, type LiveLinks, type OpenLink } from '../sessions/tokens/links.ts'
import type { SessionService } from '../sessions/sessions.ts'
import type { OpenQuestion } from './messages.ts'
import type { ViewSource } from './view-source.ts'
import { Screencast } from './screencast/screencast.ts'
import { Viewer } from './viewer.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import type { TaskViews } from '../tasks/task-views.ts'
import { liveLimits } from './limits.ts'

export interface LiveDeps extends AudienceDeps, SessionActionsDeps {
  readonly sessions: Pick<SessionService, 'end' | 'useLiveLink'>
  readonly attachments: Attachments
  readonly reach: BrowserDialing
  readonly views: SessionViews
  readonly links: LiveLinks
  readonly keyValidity: KeyValidity
  readonly audit: RequestAudit
  readonly noter: ClientNoter
  readonly tasks: TaskAnswers
  readonly taskViews: TaskViews
  readonly clock: Clock
  readonly log: Logger
}

const socketPath = /^\/live\/([^/]+)\/socket$/
export const isLiveSocketPath = (path: string) => socketPath.test(path)

export class LiveEndpoint {
  readonly #deps: LiveDeps
  readonly #viewers: StandingSockets<Viewer>
  readonly #audience: Audience
  /** Those whom the audit and the session's log know. */
  readonly #clients = new WeakMap<Viewer, ClientNotes>()
  readonly #unwatch: readonly (() => void)[]

  constructor(deps: LiveDeps) {
    this.#deps = deps
    this.#viewers = new StandingSockets(deps, (sessionId) => this.#counted(sessionId))
    this.#audience = new Audience(
      deps,
      (sessionId) => this.#viewers.of(sessionId).size,
      (sessionId) => this.#tellCount(sessionId),
    )
    this.#unwatch = [
      deps.taskViews.onChange((view) => {
        if (view?.sessionId !== undefined) this.#tellQuestion(view.tenant, view.sessionId)
      }),
      deps.views.onChange((_, sessionId) => this.#sendTimeLeft(sessionId)),
    ]
  }

  get sockets(): number {
    return this.#viewers.size
  }

  /**
   * Connects to the picture's source and returns the viewer's socket. Throws the error that refuses
   * the upgrade.
   */
  async connect(request: HttpRequest) {
    const { path, query } = request
    const { links, attachments, audit } = this.#deps
    const sessionId = socketPath.exec(path)?.[1] ?? ''
    const right = links.read(sessionId, query.get('token') ?? '')
    if (!right) throw expiredLinkError()
    await this.#use(right, sessionId, query)
    const grant = { sessionId, keyId: right.keyId }
    const attached = await attachments.join(grant)
    const facts = audit.socketFacts(request, grant, attached)
    const viewer = this.#viewer({
      ...{ sessionId, attached, facts, link: right },
      // A session created as view-only stays so, even for a token with control.
      mode: attached.options.liveViewReadOnly ? 'view' : right.mode,
      viewUrl: links.url(request, sessionId, ''),
    })
    try {
      // Added before dialling, so that the limit also holds for viewers that connect at the same
      // time.
      this.#viewers.add(sessionId, viewer, right, liveLimits.liveViewersPerSession)
    } catch (error) {
      attachments.leave(sessionId)
      throw error
    }
    try {
      viewer.attachSource(await this.#dial(grant, attached, viewer))
      const { mode } = viewer
      this.#clients.set(viewer, openedClient(this.#deps, { kind: 'live', facts, attached, mode }))
      return { handler: viewer, keyId: right.keyId }
    } catch (error) {
      this.#remove(sessionId, viewer)
      throw error
    }
  }

  /** Throws if it is a one-time link that another viewer has opened. */
  async #use({ once }: OpenLink, sessionId: string, query: HttpRequest['query']): Promise<void> {
    if (once === undefined) return
    const use = linkUse(query.get('token') ?? '', query.get('viewer') ?? '')
    if (!(await this.#deps.sessions.useLiveLink(sessionId, use))) throw usedLinkError()
  }

  async drain(): Promise<void> {
    for (const unwatch of this.#unwatch) unwatch()
    this.#viewers.drain()
    this.#audience.stop()
    await this.#deps.attachments.settled()
  }

  #viewer(acting: ActingViewer & { readonly attached: AttachedSession }): Viewer {
    const { commands, tasks, log } = this.#deps
    const { sessionId, attached, mode, link } = acting
    const { tenant, options } = attached
    const actions = new SessionActions(this.#deps, acting)
    const viewer = new Viewer({
      picture: options.headless ? 'page' : 'desktop',
      mode,
      rights: actions.rights,
      isRecorded: options.recording ?? false,
      linkExpiresAtMs: link.expiresAtMs,
      requests: new ViewerRequests({ commands, tasks, actions, tenant, sessionId, log }),
      onOpened: () => {
        this.#counted(sessionId)
        this.#sendTimeLeft(sessionId)
        this.#tellQuestion(tenant, sessionId)
      },
      onAct: (act) => this.#clients.get(viewer)?.did(act),
      onLost: (lost) => void this.#explain(lost, sessionId, attached),
      onClosed: (closed) => this.#remove(sessionId, closed),
    })
    return viewer
  }

  async #dial(grant: SocketGrant, attached: AttachedSession, viewer: Viewer) {
    const { reach, clock } = this.#deps
    try {
      return await reach.dial<ViewSource>(grant, attached, ({ dialer, claim, options }) =>
        options.headless
          ? Screencast.open(dialer, claim.devtoolsPath, viewer, clock)
          : DesktopStream.open(dialer, viewer, viewer.mode),
      )
    } catch (error) {
      if (!(error instanceof DialFailed)) throw error
      throw await reach.unreachable(grant.sessionId, attached, error)
    }
  }

  async #explain(viewer: Viewer, sessionId: string, attached: AttachedSession): Promise<void> {
    const peer = attached.options.headless ? 'browser' : 'desktop'
    const { code, reason } = await this.#deps.reach.whyLost(sessionId, attached, peer)
    viewer.end(code, reason)
  }

  #remove(sessionId: string, viewer: Viewer): void {
    if (!this.#viewers.delete(sessionId, viewer)) return
    this.#deps.attachments.leave(sessionId)
    this.#clients.get(viewer)?.left()
    this.#clients.delete(viewer)
    this.#counted(sessionId)
  }

  /** Called when the number of viewers on this gateway has changed. */
  #counted(sessionId: string): void {
    this.#tellCount(sessionId)
    void this.#audience.tell(sessionId)
  }

  #tellQuestion(tenant: string, sessionId: string): void {
    const viewers = this.#viewers.of(sessionId)
    if (viewers.size === 0) return
    const question = openQuestion(this.#deps.tasks.ofSession(tenant, sessionId))
    for (const viewer of viewers) viewer.ask(question)
  }

  #sendTimeLeft(sessionId: string): void {
    const viewers = this.#viewers.of(sessionId)
    const view = viewers.size > 0 && this.#deps.views.get(sessionId)
    if (!view || isFinal(view.status)) return
    for (const viewer of viewers)
      viewer.sendTimeLeft(view.expiresAtMs ?? null, this.#deps.clock.now())
  }

  #tellCount(sessionId: string): void {
    const count = this.#audience.of(sessionId)
    for (const viewer of this.#viewers.of(sessionId)) viewer.tell({ type: 'viewers', count })
  }
}

/** Only one task at a time runs in a session, so at most one of them has a question. */
function openQuestion(tasks: readonly TaskView[]): OpenQuestion | null {
  const asking = tasks.find((task) => task.question)
  if (!asking?.question) return null
  const { id, kind, action, text } = asking.question
  return { task_id: asking.id, id, kind, ...(action && { action }), text }
}

export function expiredLinkError(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'This live view link is invalid or has expired; ask the person who sent it for a new one.',
  )
}

export function usedLinkError(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'This live view link works once and has been opened by someone else; ask the person who sent ' +
      'it for a new one.',
  )
}
