/**
 * Requests of a viewer about the session itself: its tabs, its end, links for others. A viewer in
 * control may do this as far as the key that the link was made with allows; other viewers only get
 * the title of the page.
 */
import type { CommandInput, CommandName, CommandOutput } from '../../proto/commands/catalogue.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'
import type { KeyValidity } from '../routing/auth/key-validity.ts'
import type { RequestAudit, SocketFacts } from '../service-audit/request-audit.ts'
import { noSuchSession } from '../sessions/no-such-session.ts'
import type { SessionService } from '../sessions/sessions.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import type { AttachedSession } from '../sessions/sockets/attachments.ts'
import type { LiveMode } from '../sessions/tokens/live-token.ts'
import type { LiveLinks, OpenLink } from '../sessions/tokens/links.ts'
import { liveLimits } from './limits.ts'
import type { NewLink, SessionTab, ViewerRight } from './messages.ts'

/** Runs a command on the browser of a session. Throws the command's error. */
export interface CommandRunner {
  one<N extends CommandName>(
    caller: { readonly keyId: string; readonly tenant: string },
    sessionId: string,
    command: N,
    input: CommandInput<N>,
  ): Promise<CommandOutput<N>>
}

export interface SessionActionsDeps {
  readonly commands: CommandRunner
  readonly sessions: Pick<SessionService, 'end'>
  readonly links: LiveLinks
  readonly views: SessionViews
  readonly keyValidity: KeyValidity
  readonly audit: RequestAudit
  readonly clock: Clock
}

/** The viewer that sends the request, and its session. */
export interface ActingViewer {
  readonly sessionId: string
  readonly attached: Pick<AttachedSession, 'tenant' | 'dialer'>
  readonly mode: LiveMode
  readonly link: OpenLink
  /** The URL of the view up to its token. */
  readonly viewUrl: string
  readonly facts: SocketFacts
}

const minuteMs = 60_000

export class SessionActions {
  readonly #deps: SessionActionsDeps
  readonly #viewer: ActingViewer
  #title: { readonly text: Promise<string>; readonly sinceMs: number } | undefined

  constructor(deps: SessionActionsDeps, viewer: ActingViewer) {
    this.#deps = deps
    this.#viewer = viewer
  }

  /**
   * Only the session's own link may end the session, not a link that was created for others. One for
   * a single viewer makes no others.
   */
  get rights(): readonly ViewerRight[] {
    const { mode, link } = this.#viewer
    if (mode !== 'control') return []
    const isOwn = link.expiresAtMs === undefined
    const mayEnd = isOwn && this.#deps.keyValidity.scopesOf(link.keyId).includes('sessions')
    const rights: ViewerRight[] = link.once === undefined ? ['tabs', 'share'] : ['tabs']
    return mayEnd ? [...rights, 'end'] : rights
  }

  /** The title of the page in front; '' if it cannot be read. Cached for a while. */
  title(): Promise<string> {
    const nowMs = this.#deps.clock.monotonic()
    if (!this.#title || nowMs - this.#title.sinceMs >= liveLimits.titleFreshMs) {
      this.#title = { text: this.#readTitle(), sinceMs: nowMs }
    }
    return this.#title.text
  }

  async tabs(): Promise<readonly SessionTab[]> {
    this.#require('tabs')
    const { tabs } = await this.#run('tab_list', {})
    return tabs.slice(0, liveLimits.tabsShown)
  }

  async selectTab(tab: string): Promise<void> {
    this.#require('tabs')
    await this.#run('tab_select', { tab })
  }

  /** Creates a link for somebody else, which expires with this viewer's own link at the latest. */
  share(mode: LiveMode, minutes: number): NewLink {
    this.#require('share')
    const { views, links, audit, clock } = this.#deps
    const { sessionId, link, viewUrl, facts } = this.#viewer
    const view = views.get(sessionId)
    if (!view) throw noSuchSession()
    const wantedMs = clock.now() + minutes * minuteMs
    const expiresAtMs = Math.min(wantedMs, link.expiresAtMs ?? wantedMs)
    const token = links.mint(view, { mode, keyId: link.keyId, expiresAtMs })
    audit.acted('token.create', facts, { mode })
    return { mode, live_view_url: viewUrl + token, expires_at: toIsoTime(expiresAtMs) }
  }

  async end(): Promise<void> {
    this.#require('end')
    const { sessions, audit } = this.#deps
    const { sessionId, attached, facts } = this.#viewer
    await sessions.end(attached.tenant, sessionId)
    audit.acted('session.end', facts)
  }

  #require(right: ViewerRight): void {
    if (this.rights.includes(right)) return
    throw new ServiceError(
      'forbidden',
      'This link does not allow that; ask its sender for one that does.',
    )
  }

  /** Chromium lists pages in the order in which they were shown, the last one first. */
  async #readTitle(): Promise<string> {
    try {
      const list = await this.#viewer.attached.dialer.get('/json/list')
      const targets = JSON.parse(list) as readonly {
        readonly type: string
        readonly title: string
      }[]
      const title = targets.find(({ type }) => type === 'page')?.title ?? ''
      return title.slice(0, liveLimits.titleChars)
    } catch {
      return '' // The view works without a title, and requests it again.
    }
  }

  #run<N extends CommandName>(command: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
    const { sessionId, attached, link } = this.#viewer
    const caller = { keyId: link.keyId, tenant: attached.tenant }
    return this.#deps.commands.one(caller, sessionId, command, input)
  }
}
