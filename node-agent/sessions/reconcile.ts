/**
 * Keeps the session actors consistent with this agent, which knows the true state of its browsers.
 * A browser that ended is reported until its actor has answered; browsers that are held are
 * reported periodically, so that anything missed by either side is corrected.
 *
 * The answer that a session does not exist ends its browser, which cannot be undone, so a single
 * one is not trusted: several in a row must say so, and the store must have no record of the
 * session.
 */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { AgentReport, ReportAnswers } from '../../proto/browser-host/agent-reports.ts'
import { isGone, isNotFound } from '../../proto/errors.ts'
import type { BrowserGone } from '../../proto/session/session-protocol.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { exitCause } from '../browser/exit-cause.ts'
import type { BrowserExit } from '../browser/running.ts'
import type { SessionReports } from './session-reports.ts'
import type { SessionBrowser, AgentSessions } from './sessions.ts'
import { hostedSessionLimits } from './limits.ts'

export interface ReconcileOptions {
  readonly sessions: AgentSessions
  readonly reports: SessionReports
  readonly clock: Clock
  readonly log: Logger
}

type Report = Extract<AgentReport, { type: 'browser.gone' | 'browser.report' }>

/** `unanswered`: try again in the next round. `over`: the session no longer exists. */
type Answer<T> =
  | { readonly type: 'answered'; readonly value: T }
  | { readonly type: 'over' }
  | { readonly type: 'unanswered' }

export class Reconciler {
  readonly #options: ReconcileOptions
  /** By session: ended browsers whose actor has not answered yet. */
  readonly #unanswered = new LRUCache<string, BrowserGone>({
    max: hostedSessionLimits.endedSessionsRemembered,
  })
  /** By session: the number of consecutive answers that it does not exist. */
  readonly #notFound = new LRUCache<string, number>({
    max: hostedSessionLimits.endedSessionsRemembered,
  })
  #timer: Timer | undefined
  #round: Promise<void> | undefined
  #stopped = false

  constructor(options: ReconcileOptions) {
    this.#options = options
    this.#arm()
  }

  /** A claimed browser has ended without having been released. */
  browserGone(browser: SessionBrowser, exit: BrowserExit): void {
    const lost = this.#options.sessions.lost(browser)
    // Its session has asked for its end.
    if (lost === undefined || browser.profile?.isSaving) return
    const { sessionId, told } = lost
    const event = goneEvent(browser, exit)
    if (event.cause === 'crashed') {
      const { log } = this.#options
      const { stderr } = exit
      log.warn({ session: sessionId, browser: browser.id, stderr }, event.detail)
    }
    this.#unanswered.set(sessionId, event)
    // An ended session hears nothing more.
    void told.then(() => this.#tellGone(sessionId))
  }

  /** A browser is gone that was never among the sessions of this agent. */
  async report(sessionId: string, event: BrowserGone): Promise<void> {
    this.#unanswered.set(sessionId, event)
    await this.#tellGone(sessionId)
  }

  /** Reports to every session actor now, for instance after the store was unreachable. */
  now(): Promise<void> {
    this.#round ??= this.#compare().finally(() => (this.#round = undefined))
    return this.#round
  }

  /**
   * Tells every session that this host is shutting down, and waits for the answers. Sessions that
   * cannot be reached notice the host's end later.
   */
  async announceDrain(): Promise<void> {
    const { sessions, reports } = this.#options
    await Promise.allSettled(
      sessions
        .held()
        .map(({ sessionId, browser }) =>
          reports.send(sessionId, { type: 'browser.draining', browserId: browser.id }),
        ),
    )
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #arm(): void {
    const { reconcileMs, notFoundRetryMs, notFoundAnswers } = hostedSessionLimits
    // A session whose creation failed after its claim has a browser that nobody can use.
    const isInDoubt = [...this.#notFound.values()].some((answers) => answers < notFoundAnswers)
    this.#timer = this.#options.clock.timer(isInDoubt ? notFoundRetryMs : reconcileMs, () => {
      void this.now().finally(() => this.#stopped || this.#arm())
    })
  }

  async #compare(): Promise<void> {
    const held = this.#options.sessions.held()
    await Promise.all([
      ...[...this.#unanswered.rkeys()].map((sessionId) => this.#tellGone(sessionId)),
      ...held.map(({ sessionId, browser }) => this.#report(sessionId, browser)),
    ])
  }

  async #tellGone(sessionId: string): Promise<void> {
    const event = this.#unanswered.get(sessionId)
    if (!event) return
    const answer = await this.#ask(sessionId, event)
    if (answer.type !== 'unanswered') this.#unanswered.delete(sessionId)
  }

  async #report(sessionId: string, browser: SessionBrowser): Promise<void> {
    const event = { type: 'browser.report', browserId: browser.id } as const
    const answer = await this.#ask(sessionId, event)
    if (answer.type === 'unanswered' || (answer.type === 'answered' && answer.value.keep)) return
    const { sessions, log } = this.#options
    log.info({ session: sessionId, browser: browser.id }, 'browser is not wanted any more')
    sessions.drop(sessionId, 'unwanted')
  }

  async #ask<R extends Report>(
    sessionId: string,
    event: R,
  ): Promise<Answer<ReportAnswers[R['type']]>> {
    const { reports, log } = this.#options
    try {
      const value = await reports.send(sessionId, event)
      this.#notFound.delete(sessionId)
      return { type: 'answered', value }
    } catch (error) {
      if (isNotFound(error)) return this.#confirm(sessionId)
      this.#notFound.delete(sessionId)
      if (isGone(error)) return { type: 'over' }
      log.warn({ session: sessionId, event: event.type, err: error }, 'session did not hear')
      return { type: 'unanswered' }
    }
  }

  /** Called for each answer that the session does not exist. */
  async #confirm(sessionId: string): Promise<Answer<never>> {
    const { reports, log } = this.#options
    const answers = (this.#notFound.get(sessionId) ?? 0) + 1
    this.#notFound.set(sessionId, answers)
    if (answers < hostedSessionLimits.notFoundAnswers) return { type: 'unanswered' }
    try {
      if (!(await reports.send(sessionId, { type: 'session.recorded' }))) {
        this.#notFound.delete(sessionId)
        return { type: 'over' }
      }
      log.warn({ session: sessionId }, 'session is called unknown, though the store has it')
    } catch (error) {
      log.warn({ session: sessionId, err: error }, 'whether the session exists is not known')
    }
    return { type: 'unanswered' }
  }
}

/**
 * Exit code 0 without a release means that a client sent Browser.close; anything else is a crash.
 * The text is shown to the tenant, so it contains nothing that Chromium wrote about this machine.
 */
function goneEvent(browser: SessionBrowser, exit: BrowserExit): BrowserGone {
  const { code, signal, failure, overrun } = exit
  const cause = exitCause(exit)
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`
  const plain =
    cause === 'closed' ? 'A client closed the browser.' : `The browser crashed (${how}).`
  const detail = overrun ?? failure ?? plain
  return { type: 'browser.gone', browserId: browser.id, cause, detail }
}
