/**
 * The browser of a task's session, for the time of one effect. The session's actor is asked again
 * whose turn it is when its epoch has moved on, or its host does not answer: that also says when
 * there is no session any more.
 */
import type { Action, CommandOutput } from '../../proto/commands/catalogue.ts'
import type { Reply } from '../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { ByTask, Fenced, NetworkPolicy, NodeVerbs } from '../../proto/node.ts'
import { sessionActor, type SessionTurn } from '../../proto/session-protocol.ts'
import { unlessAborted } from '../../runtime/abort.ts'
import { NoResponders, type Bus } from '../../runtime/bus.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Directory } from '../../runtime/directory.ts'
import { askNode, isOutdated } from '../../runtime/node-client.ts'

export interface BrowserDeps {
  readonly bus: Bus
  readonly clock: Clock
  readonly directory: Pick<Directory, 'ask' | 'create'>
}

export interface Actor {
  readonly actorId: string
  readonly epoch: number
  readonly signal: AbortSignal
}

type TaskVerb = 'run' | 'restrict'
type RequestOf<V extends TaskVerb> = NodeVerbs[V]['request']
type OrderOf<V extends TaskVerb> = Omit<RequestOf<V>, keyof Fenced | keyof ByTask>

interface Manner {
  readonly withinMs: number
  readonly repeat: 'safe' | 'once'
}

/** It was sent and nobody knows what came of it. */
export class Unanswered extends Error {
  constructor(cause: unknown) {
    super('The browser’s host did not answer: it may have been done.', { cause })
    this.name = 'Unanswered'
  }
}

export class TaskBrowser {
  readonly #deps: BrowserDeps
  readonly #actor: Actor
  #turn: SessionTurn

  constructor(deps: BrowserDeps, actor: Actor, turn: SessionTurn) {
    this.#deps = deps
    this.#actor = actor
    this.#turn = turn
  }

  /** As fresh as the last that was done through it. */
  get turn(): SessionTurn {
    return this.#turn
  }

  /** Answers up to and with the first failure. */
  run(actions: readonly Action[], repeat: 'safe' | 'once'): Promise<readonly Reply[]> {
    const withinMs = limits.commandMs
    return this.#reach('run', { actions, withinMs }, { withinMs, repeat })
  }

  /** What its pages may reach from now on. */
  async restrict(policy: NetworkPolicy): Promise<void> {
    await this.#reach('restrict', { policy }, { withinMs: limits.restrictMs, repeat: 'safe' })
  }

  /** `lingers`: when the pages that are open now are closed or blank, not before. */
  async lift(lingers: boolean): Promise<void> {
    const order = { policy: null, ...(lingers && { lingers }) }
    await this.#reach('restrict', order, { withinMs: limits.restrictMs, repeat: 'safe' })
  }

  /** Of the selected tab; empty when there is none. */
  async url(): Promise<string> {
    const [reply] = await this.run([{ command: 'tab_list', input: {} }], 'safe')
    if (!reply!.ok) throw fromWireError(reply!.error)
    const { tabs } = reply!.value as CommandOutput<'tab_list'>
    return tabs.find((tab) => tab.selected)?.url ?? ''
  }

  /**
   * What was certainly not begun is tried again for a while, and so is what may be done twice;
   * throws {@link Unanswered} for what may have been done.
   */
  async #reach<V extends TaskVerb>(verb: V, order: OrderOf<V>, { withinMs, repeat }: Manner) {
    const { clock } = this.#deps
    const untilMs = clock.monotonic() + limits.taskReachMs
    for (let attempt = 1; ; attempt++) {
      this.#actor.signal.throwIfAborted()
      try {
        return await this.#ask(verb, order, withinMs)
      } catch (error) {
        const mayTry = wasNotBegun(error) || (repeat === 'safe' && error instanceof Unanswered)
        if (!mayTry || clock.monotonic() > untilMs) throw error
        // Whoever is outdated asks anew at once, and finds the same if it is the task that is.
        const isQuick = isOutdated(error) && attempt === 1
        if (!isQuick) await sleep(clock, limits.taskReachRetryMs, this.#actor.signal)
      }
      this.#turn = await this.#askTurn()
    }
  }

  /** In the name of this owner of the task: the agent does not hear one that was before it. */
  async #ask<V extends TaskVerb>(verb: V, order: OrderOf<V>, withinMs: number) {
    const { sessionId, nodeId, epoch } = this.#turn
    const { actorId: id, epoch: taskEpoch, signal } = this.#actor
    const request = { sessionId, epoch, by: { id, epoch: taskEpoch }, ...order } as RequestOf<V>
    try {
      const asked = askNode(this.#deps.bus, nodeId, verb, request, withinMs, signal)
      // What was sent is done all the same; nobody waits for its answer.
      return await unlessAborted(asked, signal)
    } catch (error) {
      throw isUnanswered(error) ? new Unanswered(error) : error
    }
  }

  async #askTurn(): Promise<SessionTurn> {
    const message = { type: 'task.enter', task: this.#actor.actorId } as const
    const { sessionId } = this.#turn
    const { turn } = await this.#deps.directory.ask(sessionActor, sessionId, message)
    if (turn) return turn
    throw new ServiceError('unavailable', 'The session has no browser now; try again.')
  }
}

/** The host was not there to begin it (all that is a 503), or refused it as a whole. */
function wasNotBegun(error: unknown): boolean {
  return isOutdated(error) || (error instanceof ServiceError && error.status === 503)
}

function isUnanswered(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.cause === undefined) return false
  return error.type === 'unavailable' && !(error.cause instanceof NoResponders)
}
