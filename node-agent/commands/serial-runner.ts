/** Runs the input actions of one session one after the other, also after failures. */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'

export class SerialRunner {
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
    // The next action runs even if this one fails; the error goes to this one's caller.
    this.#last = result.catch(() => undefined)
    return result
  }
}
