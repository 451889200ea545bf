/**
 * The mailbox of one actor: processes requests and events one after the other. Requests from
 * outside wait in a bounded queue; events of the runtime are always accepted.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import { FencedError } from '../log.ts'
import { actorLimits } from '../limits.ts'

export interface MailboxOptions {
  /** Once it aborts, nothing more is accepted. */
  readonly signal: AbortSignal
  readonly onFenced: (reason: string) => void
  /** An event of the runtime could not be processed. */
  readonly onError: (error: unknown) => void
}

export class Mailbox {
  readonly #options: MailboxOptions
  readonly #queue = new SerialQueue()

  constructor(options: MailboxOptions) {
    this.#options = options
  }

  get isBusy(): boolean {
    return this.#queue.size > 0
  }

  /** Adds work whose caller waits for it. */
  ask(work: () => Promise<void>): Promise<void> {
    if (this.#options.signal.aborted) return Promise.reject(new ActorMoved())
    if (this.#queue.size >= actorLimits.mailboxCommands) {
      const busy = new ServiceError('busy', 'Too many commands are waiting; try again shortly.')
      return Promise.reject(busy)
    }
    return this.#take(work)
  }

  /** Adds work of the runtime. */
  tell(work: () => Promise<void>): void {
    const { signal, onError } = this.#options
    if (signal.aborted) return
    this.#take(work).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) onError(error)
    })
  }

  /** Resolves when all accepted work is done. */
  settled(): Promise<void> {
    return this.#queue.settled()
  }

  #take(work: () => Promise<void>): Promise<void> {
    return this.#queue.run(async () => {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof FencedError)) throw error
        this.#options.onFenced(error.message)
        throw new ActorMoved(error)
      }
    })
  }
}

/** The actor has moved or is about to: the caller asks again and finds it. */
export class ActorMoved extends ServiceError {
  constructor(cause?: unknown) {
    super('draining', 'The actor is moving to another host; ask again.', {}, cause)
    this.name = 'ActorMoved'
  }
}
