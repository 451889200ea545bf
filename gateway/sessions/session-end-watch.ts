/**
 * Watches for the end of a session, and for the loss of contact to its host, during an operation on
 * its browser.
 */
import type { SessionView } from '../../proto/session/session.ts'
import { settleWithin, type Clock } from '../../runtime/lib/clock.ts'
import type { SessionViews } from './session-views.ts'

export class SessionEndWatch {
  /** Resolves with the session's view once the session has ended. */
  readonly ended: Promise<SessionView>
  /** Resolves when the session becomes unreachable from now on. */
  readonly outOfContact: Promise<void>
  readonly #clock: Clock
  #view: SessionView | undefined
  #stop = () => {}

  constructor(sessionId: string, views: SessionViews, clock: Clock) {
    this.#clock = clock
    let loseContact = () => {}
    this.outOfContact = new Promise((resolve) => (loseContact = resolve))
    this.ended = new Promise((resolve) => {
      const look = (view: SessionView | undefined) => {
        if (view?.reason === undefined) return
        this.#view ??= view
        resolve(view)
      }
      this.#stop = views.onChange((view, id) => {
        if (id !== sessionId) return
        if (view?.status === 'unreachable') loseContact()
        look(view)
      })
      look(views.get(sessionId))
    })
  }

  /** The same view, if the session has ended or ends within `ms`; otherwise undefined. */
  async soon(ms: number): Promise<SessionView | undefined> {
    await settleWithin(this.#clock, ms, this.ended)
    return this.#view
  }

  stop(): void {
    this.#stop()
  }
}
