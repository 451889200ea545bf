/**
 * The agent of one task, used like a model: a request is answered with the agent's next call, and
 * the call's outcome is part of the next request. The agent is started with the first request; if
 * it has died, it is restarted and gets the whole prompt, with everything done so far.
 */
import type {
  AgentCallOutcome,
  AgentRequest,
  AgentTool,
} from '../../../../proto/task/agent-calls.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { limits } from '../../../../proto/limits.ts'
import { raceAbort } from '../../../../runtime/lib/abort.ts'
import { sleep, withDeadline, type Clock } from '../../../../runtime/lib/clock.ts'
import { askTool } from '../../prompting/tools.ts'
import {
  ModelFailure,
  type BudgetLeft,
  type ModelAnswer,
  type ModelRequest,
  type ModelTask,
  type ModelUsage,
} from '../../models/model.ts'
import type { AcpAgent, TurnEnd } from '../agent.ts'
import { AgentCalls, type AgentCall } from './calls.ts'
import type { AskPerson } from './elicitation.ts'
import { followUpBlocks, callOutcomeOf, fullPromptBlocks } from './prompt.ts'
import { snapshotTool } from './tools.ts'
import { taskRunLimits } from '../../limits.ts'

/** What is needed to start an agent. */
export interface AgentStart {
  readonly tools: readonly AgentTool[]
  /** Resolves when the agent has listed its tools. */
  readonly listed: Promise<void>
  /** Absent: no person can be asked. */
  readonly askPerson: AskPerson | undefined
  readonly onChange: () => void
  /** Aborts when the task no longer needs an agent. */
  readonly signal: AbortSignal
}

/** Throws a {@link ModelFailure}, and then leaves nothing behind. */
export type StartAgent = (start: AgentStart) => Promise<AcpAgent>

export class AgentSession {
  readonly task: ModelTask
  readonly #clock: Clock
  readonly #life = new AbortController()
  #opening: Promise<AcpAgent> | undefined
  #starts = 0
  /** True until it has got its first prompt. */
  #isFresh = true
  #calls: AgentCalls
  #tools: readonly AgentTool[] = []
  #page = ''
  #onListed = () => {}
  /** The call in progress, and the request that it answered. */
  #taken: { readonly question: string; readonly call: AgentCall } | undefined
  #wake = () => {}

  constructor(task: ModelTask, clock: Clock) {
    this.task = task
    this.#clock = clock
    this.#calls = this.#newCalls()
  }

  /** Throws a {@link ModelFailure}; an abort ends the wait, but not the agent. */
  async ask(
    request: ModelRequest,
    start: StartAgent,
    signal: AbortSignal,
    budget: BudgetLeft = { steps: Infinity },
  ): Promise<ModelAnswer> {
    this.#page = request.page
    this.#tools = [...request.tools, snapshotTool]
    const waits = AbortSignal.any([signal, this.#life.signal])
    const agent = await this.#opened(start, waits)
    if (this.#taken?.question === request.question) return this.#answer(agent, this.#taken.call)
    this.#prompt(agent, request)
    for (;;) {
      const call = this.#calls.take()
      if (call) {
        this.#taken = { question: request.question, call }
        agent.outside.reset()
        return this.#answer(agent, call)
      }
      const end = agent.takeTurnEnd()
      if (agent.isGone) throw await this.#died(agent, end)
      if (end) return this.#turnAnswer(agent, end)
      const problem = agent.outsideProblem(budget.steps)
      if (problem) throw problem
      // An answer without a call: the task adds its usage and finds that it is over.
      if (isSpent(budget, agent.output.usage)) return { ...this.#textAnswer(agent), calls: [] }
      await this.#change(agent, waits)
    }
  }

  /** Handles a request of the agent's MCP client. Throws a `ServiceError`. */
  async serve(request: AgentRequest): Promise<unknown> {
    if (request.sessionId !== this.task.sessionId) {
      throw new ServiceError('unauthorized', 'This token is for another session.')
    }
    switch (request.type) {
      case 'greet':
        return null
      case 'tools':
        this.#onListed()
        return this.#tools
      case 'call':
        return this.#outcome({ id: request.callId, tool: request.tool, input: request.input })
      case 'leave':
        this.#calls.drop(request.callId)
        return null
      default:
        return request satisfies never
    }
  }

  /** Ends the agent; resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#life.abort()
    this.#calls.close('The task is over.')
    // An agent that failed to open has left nothing behind.
    const agent = await this.#opening?.catch(() => undefined)
    await agent?.end()
  }

  async #outcome(call: AgentCall): Promise<AgentCallOutcome | null> {
    if (call.tool === snapshotTool.name) return this.#answerSnapshot()
    const over = new AbortController()
    const late = sleep(this.#clock, limits.agentPollMs, over.signal).then(() => null)
    try {
      return await Promise.race([this.#calls.make(call), late])
    } finally {
      over.abort()
    }
  }

  #answerSnapshot(): AgentCallOutcome {
    const count = ({ outside }: AcpAgent) => {
      outside.recordSnapshot()
      this.#wake()
    }
    // If it failed to open, the callers that wait for it get the error.
    this.#opening?.then(count, () => {})
    return { text: this.#page, isError: false }
  }

  /** Sends the outcome of its last call; or the whole prompt if it has got nothing yet. */
  #prompt(agent: AcpAgent, request: ModelRequest): void {
    if (this.#taken) {
      const { id } = this.#taken.call
      this.#taken = undefined
      this.#calls.answer(id, callOutcomeOf(request))
    } else if (agent.isIdle) {
      agent.prompt(
        this.#isFresh ? fullPromptBlocks(request, agent.takesPictures) : followUpBlocks(request),
      )
      this.#isFresh = false
    }
  }

  #answer(agent: AcpAgent, call: AgentCall): ModelAnswer {
    const { id, tool: name, input } = call
    return { ...this.#textAnswer(agent), calls: [{ id, name, arguments: JSON.stringify(input) }] }
  }

  #textAnswer(agent: AcpAgent): Omit<ModelAnswer, 'calls'> {
    const { output, model } = agent
    return { text: output.take(), usage: output.takeUsage(), model }
  }

  #turnAnswer(agent: AcpAgent, end: TurnEnd): ModelAnswer {
    if ('failed' in end) throw agent.failure('its turn', end.failed)
    switch (end.stop) {
      case 'end_turn':
        return { ...this.#textAnswer(agent), calls: [] }
      case 'max_tokens':
      case 'max_turn_requests':
        throw new ModelFailure('truncated', `The agent stopped at a limit of its own: ${end.stop}.`)
      case 'refusal':
        throw new ModelFailure('refused', 'The agent refused to continue.')
      case 'cancelled':
        throw new ModelFailure('stalled', 'The agent stopped as if it had been cancelled.')
      default:
        end.stop satisfies never
        throw new ModelFailure('stalled', 'The agent stopped for an unknown reason.')
    }
  }

  /** Clears the agent, so that the next request starts another one. */
  async #died(agent: AcpAgent, end: TurnEnd | undefined): Promise<ModelFailure> {
    this.#opening = undefined
    this.#taken = undefined
    this.#calls.close('The agent has ended.')
    const words = await agent.exitReason(end)
    await agent.end()
    const text = `The agent ended in the middle of its work.${words}`
    return this.#lasting(new ModelFailure('network', text))
  }

  /** Makes the failure final after a number of restarts. */
  #lasting(failure: unknown): ModelFailure {
    if (!(failure instanceof ModelFailure)) throw failure
    if (failure.kind !== 'network' || this.#starts < taskRunLimits.agentStarts) return failure
    const { message, usage } = failure
    const text = `${message} It was started ${this.#starts} times.`
    return new ModelFailure('rejected', text, { usage, cause: failure })
  }

  async #opened(start: StartAgent, signal: AbortSignal): Promise<AcpAgent> {
    signal.throwIfAborted()
    this.#opening ??= this.#open(start)
    const opening = this.#opening
    try {
      return await raceAbort(opening, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (this.#opening === opening) this.#opening = undefined
      throw this.#lasting(error)
    }
  }

  async #open(start: StartAgent): Promise<AcpAgent> {
    this.#starts++
    this.#isFresh = true
    this.#calls = this.#newCalls()
    const listed = new Promise<void>((resolve) => (this.#onListed = resolve))
    const onChange = () => this.#wake()
    const { signal } = this.#life
    const mayAsk = this.#tools.some(({ name }) => name === askTool.name)
    const askPerson = mayAsk ? (question: string) => this.#askPerson(question) : undefined
    return start({ tools: this.#tools, listed, askPerson, onChange, signal })
  }

  /** The same as the tool `ask`. */
  #askPerson(question: string): Promise<AgentCallOutcome> {
    return this.#calls.make({ id: newId('ask'), tool: askTool.name, input: { question } })
  }

  #newCalls(): AgentCalls {
    return new AgentCalls(() => this.#wake())
  }

  /** Resolves with the next call, or other sign of life. */
  async #change(agent: AcpAgent, signal: AbortSignal): Promise<void> {
    const { agentSilenceMs: ms } = taskRunLimits
    const change = raceAbort(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
    await withDeadline(this.#clock, ms, change, () => agent.silentProblem(ms))
  }
}

function isSpent({ tokens = Infinity, costUsd = Infinity }: BudgetLeft, used: ModelUsage): boolean {
  return used.inputTokens + used.outputTokens >= tokens || (used.costUsd ?? 0) >= costUsd
}
