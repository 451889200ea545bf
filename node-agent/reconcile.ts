/**
 * The agent is the truth about its browsers and keeps the session actors to it. A browser that
 * ended is reported until the actor has heard; a browser that is held is offered for question again
 * and again, so that whatever either side missed while it was away is put right.
 */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { ServiceError } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'
import type { NodeEvent } from '../proto/node.ts'
import type { ReportReply } from '../proto/session-reply.ts'
import type { Clock, Timer } from '../runtime/clock.ts'
import type { BrowserExit } from './browser/start.ts'
import type { SessionBrowser, Sessions } from './sessions.ts'

/** The part of the directory that is needed here. */
export interface Asks {
  ask<T>(
    kind: string,
    id: string,
    command: NodeEvent | { readonly type: 'end'; readonly reason: 'draining' },
    options: { timeoutMs: number; untilSettled?: boolean },
  ): Promise<T>
}

export interface ReconcileOptions {
  readonly sessions: Sessions
  readonly directory: Asks
  readonly clock: Clock
  readonly log: Logger
}

type Gone = Extract<NodeEvent, { type: 'browser.gone' }>

export class Reconciler {
  readonly #options: ReconcileOptions
  /** By session, until its actor has answered. */
  readonly #unheard = new LRUCache<string, Gone>({ max: limits.endedSessionsRemembered })
  #timer: Timer | undefined
  #round: Promise<void> | undefined
  #stopped = false

  constructor(options: ReconcileOptions) {
    this.#options = options
    this.#arm()
  }

  /** A claimed browser has ended without our asking. */
  browserGone(browser: SessionBrowser, exit: BrowserExit): void {
    const sessionId = this.#options.sessions.lost(browser)
    if (sessionId === undefined) return
    const event = goneEvent(browser, exit)
    if (event.cause === 'crashed') {
      const { log } = this.#options
      const { stderr } = exit
      log.warn({ session: sessionId, browser: browser.id, stderr }, event.detail)
    }
    this.#unheard.set(sessionId, event)
    void this.#tellGone(sessionId)
  }

  /** Compares notes with every session actor now, for instance after the store was away. */
  now(): Promise<void> {
    this.#round ??= this.#compare().finally(() => (this.#round = undefined))
    return this.#round
  }

  /**
   * Tells every session that this host is going, and waits until it is over. What fails, this
   * host's death settles.
   */
  async announceDrain(): Promise<void> {
    const { sessions, directory } = this.#options
    await Promise.allSettled(
      sessions
        .held()
        .map(({ sessionId }) =>
          directory.ask(
            'session',
            sessionId,
            { type: 'end', reason: 'draining' },
            { timeoutMs: limits.reportMs, untilSettled: true },
          ),
        ),
    )
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #arm(): void {
    this.#timer = this.#options.clock.timer(limits.reconcileMs, () => {
      void this.now().finally(() => this.#stopped || this.#arm())
    })
  }

  async #compare(): Promise<void> {
    const held = this.#options.sessions.held()
    await Promise.all([
      ...[...this.#unheard.rkeys()].map((sessionId) => this.#tellGone(sessionId)),
      ...held.map(({ sessionId, browser }) => this.#report(sessionId, browser)),
    ])
  }

  async #tellGone(sessionId: string): Promise<void> {
    const event = this.#unheard.get(sessionId)
    if (!event) return
    const answer = await this.#ask(sessionId, event)
    if (answer.heard) this.#unheard.delete(sessionId)
  }

  async #report(sessionId: string, browser: SessionBrowser): Promise<void> {
    const event = { type: 'browser.report', browserId: browser.id } as const
    const answer = await this.#ask<ReportReply>(sessionId, event)
    if (!answer.heard || answer.value?.keep) return
    const { sessions, log } = this.#options
    log.info({ session: sessionId, browser: browser.id }, 'browser is not wanted any more')
    sessions.drop(sessionId, 'unwanted')
  }

  /**
   * Unheard is what may still be heard at the next round; a session that does not exist has been
   * heard of.
   */
  async #ask<T>(sessionId: string, event: NodeEvent): Promise<{ heard: boolean; value?: T }> {
    const { directory, log } = this.#options
    try {
      const timeoutMs = limits.reportMs
      return {
        heard: true,
        value: await directory.ask<T>('session', sessionId, event, { timeoutMs }),
      }
    } catch (error) {
      const type = error instanceof ServiceError ? error.type : undefined
      if (type === 'not_found' || type === 'session_ended') return { heard: true }
      log.warn({ session: sessionId, event: event.type, err: error }, 'session did not hear')
      return { heard: false }
    }
  }
}

/**
 * Exit code 0 without our asking: a client sent Browser.close. Anything else is a crash. The session
 * tells this to its tenant, so nothing is in it of what Chromium wrote about this machine.
 */
function goneEvent(browser: SessionBrowser, { code, signal, fallen }: BrowserExit): Gone {
  const gone = { type: 'browser.gone', browserId: browser.id } as const
  if (fallen !== undefined) return { ...gone, cause: 'crashed', detail: fallen }
  if (code === 0) return { ...gone, cause: 'closed', detail: 'A client closed the browser.' }
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`
  return { ...gone, cause: 'crashed', detail: `The browser crashed (${how}).` }
}
