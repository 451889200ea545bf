/** What hands of one session do, each begun when the one before has ended, one way or the other. */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'

export class InOrder {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#waiting >= limits.inputActionsQueued) {
      const limit = limits.inputActionsQueued
      const message = `${limit} input actions of this session are still waiting; try again later.`
      return Promise.reject(new ServiceError('busy', message, { limit }))
    }
    this.#waiting++
    const result = this.#last.then(action).finally(() => this.#waiting--)
    // The next one does not care how this one ended; its caller is told.
    this.#last = result.catch(() => undefined)
    return result
  }
}
