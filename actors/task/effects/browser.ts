/**
 * The browser of a task's session, for one effect. If the session's epoch has changed or its host
 * does not answer, the session's actor is asked again whose turn it is, which also shows whether
 * the session has ended.
 */
import type { CommandCall, CommandOutput } from '../../../proto/commands/catalogue.ts'
import { defined } from '../../../proto/defined.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type {
  IssuedByTask,
  FencedOrder,
  NetworkPolicy,
  NodeVerbs,
} from '../../../proto/browser-host/node.ts'
import { sessionActor, type SessionTurn } from '../../../proto/session/session-protocol.ts'
import { raceAbort } from '../../../runtime/lib/abort.ts'
import type { Bus } from '../../../runtime/store/bus.ts'
import { sleep, type Clock } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import { askNode, isOutdated, isUnanswered } from '../../../runtime/browser-host/node-client.ts'
import { taskRunLimits } from '../limits.ts'

export interface BrowserDeps {
  readonly bus: Bus
  readonly clock: Clock
  readonly directory: Pick<Directory, 'ask' | 'create'>
}

export interface FencedActor {
  readonly actorId: string
  readonly epoch: number
  readonly signal: AbortSignal
  /** The step that is carried out, if it is one. */
  readonly step?: number
}

type TaskVerb = 'run' | 'restrict'
type RequestOf<V extends TaskVerb> = NodeVerbs[V]['request']
type OrderOf<V extends TaskVerb> = Omit<RequestOf<V>, keyof FencedOrder | keyof IssuedByTask>

interface RequestOptions {
  readonly withinMs: number
  readonly repeat: 'safe' | 'once'
}

/** A request was sent and its outcome is unknown. */
export class UnansweredError extends Error {
  constructor(cause: unknown) {
    super('The browser’s host did not answer: it may have been done.', { cause })
    this.name = 'UnansweredError'
  }
}

export class TaskBrowser {
  readonly #deps: BrowserDeps
  readonly #actor: FencedActor
  #turn: SessionTurn

  constructor(deps: BrowserDeps, actor: FencedActor, turn: SessionTurn) {
    this.#deps = deps
    this.#actor = actor
    this.#turn = turn
  }

  /** The turn as of the last successful request. */
  get turn(): SessionTurn {
    return this.#turn
  }

  /** Returns the replies up to and including the first failure. */
  run(
    actions: readonly CommandCall[],
    repeat: 'safe' | 'once',
    loginTickets?: Readonly<Record<string, string>>,
  ): Promise<readonly Reply[]> {
    const withinMs = limits.commandMs
    const order = { actions, withinMs, ...defined({ loginTickets }) }
    return this.#request('run', order, { withinMs, repeat })
  }

  /** Restricts what its pages may reach from now on. */
  async restrict(policy: NetworkPolicy): Promise<void> {
    await this.#request(
      'restrict',
      { policy },
      { withinMs: taskRunLimits.restrictMs, repeat: 'safe' },
    )
  }

  /** `lingers`: not before the pages that are open now are closed or blank. */
  async lift(lingers: boolean): Promise<void> {
    const order = { policy: null, ...(lingers && { lingers }) }
    await this.#request('restrict', order, { withinMs: taskRunLimits.restrictMs, repeat: 'safe' })
  }

  /** URL of the selected tab; empty if there is none. */
  async url(): Promise<string> {
    const [reply] = await this.run([{ command: 'tab_list', input: {} }], 'safe')
    if (!reply!.ok) throw fromWireError(reply!.error)
    const { tabs } = reply!.value as CommandOutput<'tab_list'>
    return tabs.find((tab) => tab.selected)?.url ?? ''
  }

  /**
   * Retries requests that certainly did not start, and those that may be done twice; throws {@link
   * Unanswered} for one that may have been done.
   */
  async #request<V extends TaskVerb>(
    verb: V,
    order: OrderOf<V>,
    { withinMs, repeat }: RequestOptions,
  ) {
    const { clock } = this.#deps
    let untilMs = clock.monotonic() + taskRunLimits.taskReachMs
    for (let attempt = 1; ; attempt++) {
      this.#actor.signal.throwIfAborted()
      try {
        return await this.#ask(verb, order, withinMs)
      } catch (error) {
        const mayTry =
          wasNotStarted(error) || (repeat === 'safe' && error instanceof UnansweredError)
        if (!mayTry || clock.monotonic() > untilMs) throw error
        // An outdated turn is refreshed at once; if the task itself is outdated, the error stays
        // the same.
        const isQuick = isOutdated(error) && attempt === 1
        if (!isQuick) await sleep(clock, taskRunLimits.taskReachRetryMs, this.#actor.signal)
      }
      const { turn, isUnreachable } = await this.#askTurn()
      this.#turn = turn
      // Its end, by the host's return or loss, is told to the task.
      if (isUnreachable) untilMs = clock.monotonic() + taskRunLimits.taskReachMs
    }
  }

  /** Names this owner of the task, because the agent refuses previous owners. */
  async #ask<V extends TaskVerb>(verb: V, order: OrderOf<V>, withinMs: number) {
    const { sessionId, nodeId, epoch } = this.#turn
    const { actorId: id, epoch: taskEpoch, signal, step } = this.#actor
    const by = { id, epoch: taskEpoch, ...defined({ step }) }
    const request = { sessionId, epoch, by, ...order } as RequestOf<V>
    try {
      const asked = askNode(this.#deps.bus, nodeId, verb, request, withinMs, { signal })
      // A request that was sent is carried out all the same; only its answer is not awaited.
      return await raceAbort(asked, signal)
    } catch (error) {
      throw isUnanswered(error) ? new UnansweredError(error) : error
    }
  }

  async #askTurn() {
    const message = { type: 'task.enter', task: this.#actor.actorId } as const
    const { sessionId } = this.#turn
    const { turn, view } = await this.#deps.directory.ask(sessionActor, sessionId, message)
    if (turn) return { turn, isUnreachable: view.status === 'unreachable' }
    throw new ServiceError('unavailable', 'The session has no browser at the moment; try again.')
  }
}

/** The host could not start it (every 503), or refused it as a whole. */
function wasNotStarted(error: unknown): boolean {
  return isOutdated(error) || (error instanceof ServiceError && error.status === 503)
}
