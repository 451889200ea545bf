/**
 * Command-line agents as models: which are available, which task has one, and how each is started,
 * connected to its MCP client and ended. No agent outlives its task or this process.
 */
import type { Logger } from 'pino'
import type { AgentRequest } from '../../../proto/task/agent-calls.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { agentName } from '../../../proto/accounts/credential.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { toWireError } from '../../../proto/errors.ts'
import { subjects } from '../../../proto/subjects.ts'
import { whenAborted } from '../../../runtime/lib/abort.ts'
import type { Bus } from '../../../runtime/store/bus.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { Guard, type ProcessExit } from '../../../runtime/process/guard.ts'
import { ModelFailure, type TaskModel, type ModelChoice, type ModelTask } from '../models/model.ts'
import type { AcpAgent } from './agent.ts'
import { mcpAccessFor, type McpAccessDeps } from './mcp-access.ts'
import { findProgram, type AgentSpec } from './registry.ts'
import { AgentSession, type AgentStart } from './session/agent-session.ts'
import { taskRunLimits } from '../limits.ts'

export interface AgentsDeps extends McpAccessDeps {
  /** The agents that may be used. */
  readonly specs: ReadonlyMap<string, AgentSpec>
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Logger
}

export class AcpAgents {
  readonly #deps: AgentsDeps
  readonly #sessions = new Map<string, AgentSession>()
  readonly #leaving = new Set<Promise<void>>()
  #guard: Guard | undefined
  #started = 0
  #running = 0

  constructor(deps: AgentsDeps) {
    this.#deps = deps
  }

  /** Throws a {@link ModelFailure} if the agent may not be used here, or is not installed. */
  async open(choice: ModelChoice): Promise<TaskModel> {
    const { provider, model = '', task } = choice
    const spec = this.#specOf(agentName(provider))
    const program = programOf(spec)
    checkModel(spec, choice)
    return {
      provider,
      model,
      ask: (request, signal) => {
        const session = this.#sessions.get(task.id)
        if (!session || session.task.epoch !== task.epoch) {
          throw new ModelFailure('network', 'No place is reserved for the agent of this task yet.')
        }
        const start = (how: AgentStart) => this.#start(choice, spec, program, how)
        return session.ask(request, start, signal, task.budget)
      },
    }
  }

  /** Reserves a place for a task's agent and serves it until `signal` aborts. */
  async attend(task: ModelTask, signal: AbortSignal): Promise<void> {
    const { bus, clock } = this.#deps
    const session = new AgentSession(task, clock)
    this.#sessions.set(task.id, session)
    const service = bus.serve(subjects.agent(task.id, task.epoch), (payload) =>
      replyOf(session.serve(decode<AgentRequest>(payload))),
    )
    await whenAborted(signal)
    if (this.#sessions.get(task.id) === session) this.#sessions.delete(task.id)
    const left = this.#close(session)
    this.#leaving.add(left)
    await left
    this.#leaving.delete(left)
    service.stop()
  }

  /** Ends all agents and waits for those that are ending already. */
  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    await Promise.all([...sessions.map((session) => this.#close(session)), ...this.#leaving])
    this.#guard?.stop()
  }

  async #close(session: AgentSession): Promise<void> {
    try {
      await session.close()
    } catch (error) {
      const { id: taskId } = session.task
      this.#deps.log.warn({ err: error, taskId }, 'ending an agent failed')
    }
  }

  #specOf(name: string): AgentSpec {
    const { specs } = this.#deps
    const spec = specs.get(name)
    if (spec) return spec
    const some = specs.size === 0 ? 'none is allowed' : `allowed: ${[...specs.keys()].join(', ')}`
    const text = `The agent ${name} is not allowed (${some}); allow it with ACP_AGENTS.`
    throw new ModelFailure('not_found', text)
  }

  async #start(
    { model, task }: ModelChoice,
    spec: AgentSpec,
    program: string,
    start: AgentStart,
  ): Promise<AcpAgent> {
    const { clock, log } = this.#deps
    const access = mcpAccessFor(task, this.#deps)
    const { startAgent } = await import('./start.ts')
    // `onStart` counts the agent before anything is awaited, so that simultaneous starts are
    // counted too.
    if (this.#running >= taskRunLimits.agentsPerHost) {
      const text = `This host already runs ${this.#running} agents, its maximum.`
      throw new ModelFailure('overloaded', text)
    }
    this.#guard ??= new Guard()
    const key = `agent-${task.id}-${++this.#started}`
    const onStart = (exited: Promise<ProcessExit>) => {
      this.#running++
      void exited.then((exit) => {
        this.#running--
        log.info({ taskId: task.id, agent: spec.name, ...exit }, 'an agent has ended')
      })
    }
    const starting = { spec, program, model, access, guard: this.#guard, key, clock, onStart }
    return startAgent(starting, start)
  }
}

function checkModel({ name, needsModel }: AgentSpec, { model = '' }: ModelChoice): void {
  if (!needsModel || model !== '') return
  const text =
    `${name} would choose a hosted model, and pages would be sent there: name a model; ${name} ` +
    'models lists them.'
  throw new ModelFailure('not_found', text)
}

function programOf({ name, command, install }: AgentSpec): string {
  const program = findProgram(command, process.env['PATH'] ?? '')
  if (program !== undefined) return program
  const text =
    `The agent ${name} is not installed on the host that runs tasks: ${command} was not found; ` +
    `${install}.`
  throw new ModelFailure('not_found', text)
}

async function replyOf(work: Promise<unknown>): Promise<Uint8Array> {
  let reply: Reply
  try {
    reply = { ok: true, value: await work }
  } catch (error) {
    reply = { ok: false, error: toWireError(error) }
  }
  return encode(reply)
}
