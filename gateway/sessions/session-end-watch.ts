/** Watches for the end of a session during an operation on its browser. */
import type { SessionView } from '../../proto/session/session.ts'
import { settleWithin, type Clock } from '../../runtime/lib/clock.ts'
import type { SessionViews } from './session-views.ts'

export class SessionEndWatch {
  /** Resolves with the session's view once the session has ended. */
  readonly ended: Promise<SessionView>
  readonly #clock: Clock
  #view: SessionView | undefined
  #stop = () => {}

  constructor(sessionId: string, views: SessionViews, clock: Clock) {
    this.#clock = clock
    this.ended = new Promise((resolve) => {
      const look = (view: SessionView | undefined) => {
        if (view?.reason === undefined) return
        this.#view ??= view
        resolve(view)
      }
      this.#stop = views.onChange((view, id) => id === sessionId && look(view))
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
