/** Runs the input actions of one session one after the other, also after failures. */
import { ServiceError } from '../../proto/errors.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import { agentCommandLimits } from './limits.ts'

export class SerialRunner {
  readonly #queue = new SerialQueue()

  run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#queue.size >= agentCommandLimits.inputActionsQueued) {
      const limit = agentCommandLimits.inputActionsQueued
      const message = `${limit} input actions of this session are already waiting; try again later.`
      return Promise.reject(new ServiceError('busy', message, { limit }))
    }
    return this.#queue.run(action)
  }
}
