/**
 * Requests to sessions and tasks, also to those that have moved to the archive and have no actor any
 * more: answered as the ended actor would.
 */
import type {
  ActorView,
  AnswerOf,
  AnyActorProtocol,
  MessageTo,
  VerbName,
} from '../../proto/actor.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import { endedError, type SessionView } from '../../proto/session/session.ts'
import type { TaskView } from '../../proto/task/task.ts'
import type { AskOptions, Directory } from '../../runtime/actor/directory.ts'

interface Views<V> {
  get(id: string): V | undefined
}

export interface EndedActorsDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly views: Views<SessionView>
  readonly taskViews: Views<TaskView>
  /** While it is not complete, an actor that is not found may be in the archive. */
  readonly archive: { readonly isComplete: boolean }
}

export class EndedActors implements Pick<Directory, 'ask' | 'create'> {
  readonly create: Directory['create']
  readonly #deps: EndedActorsDeps

  constructor(deps: EndedActorsDeps) {
    this.#deps = deps
    this.create = deps.directory.create.bind(deps.directory)
  }

  async ask<P extends AnyActorProtocol, N extends VerbName<P>>(
    protocol: P,
    id: string,
    message: MessageTo<P, N>,
    options: AskOptions = {},
  ): Promise<AnswerOf<P, N>> {
    try {
      return await this.#deps.directory.ask<P, N>(protocol, id, message, options)
    } catch (error) {
      if (!isNotFound(error)) throw error
      const view = this.#ended(protocol.kind, id, error)
      if (options.tenant !== undefined && view.tenant !== options.tenant) throw error
      assertAccepted(protocol.kind, view, message.type)
      // The accepted messages are all answered with the view.
      return { view } as AnswerOf<P, N>
    }
  }

  #ended(kind: string, id: string, notFound: unknown): ActorView {
    const { views, taskViews, archive } = this.#deps
    const source = { session: views, task: taskViews }[kind]
    if (!source) throw notFound
    const view = source.get(id)
    if (view?.endedAtMs !== undefined) return view
    if (archive.isComplete) throw notFound
    const text = 'This gateway is still reading what has ended; try again in a moment.'
    throw new ServiceError('unavailable', text)
  }
}

const accepted: readonly string[] = ['get', 'end', 'cancel', 'disconnected']

function assertAccepted(kind: string, view: ActorView, message: string): void {
  if (accepted.includes(message)) return
  if (kind === 'session') throw endedError(view as SessionView)
  throw new ServiceError('conflict', `The task has ended (${(view as TaskView).end}).`)
}
