/** The end of a session, as those hear of it who were about to do something with its browser. */
import type { ServiceError } from '../proto/errors.ts'
import { endedError, type SessionView } from '../proto/session.ts'
import { sleep, type Clock } from '../runtime/clock.ts'
import type { SessionViews } from './sessions.ts'

export class EndWatch {
  /** Resolves with what to tell a caller, once the session's view says that it has ended. */
  readonly ended: Promise<ServiceError>
  readonly #clock: Clock
  #stop = () => {}

  constructor(sessionId: string, views: SessionViews, clock: Clock) {
    this.#clock = clock
    this.ended = new Promise((resolve) => {
      const look = (view: SessionView | undefined) => {
        if (view?.reason !== undefined) resolve(endedError(view))
      }
      this.#stop = views.onChange((view, id) => id === sessionId && look(view))
      look(views.get(sessionId))
    })
  }

  /** What to tell, when the end is known now or within `ms`. */
  soon(ms: number): Promise<ServiceError | undefined> {
    return Promise.race([this.ended, sleep(this.#clock, ms).then(() => undefined)])
  }

  stop(): void {
    this.#stop()
  }
}
