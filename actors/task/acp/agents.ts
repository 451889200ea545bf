/**
 * Command-line agents as models: which are available, which task has one, and how each is started,
 * connected to its MCP client and ended. No agent outlives its task or this process.
 */
import type { Logger } from 'pino'
import type { AgentRequest } from '../../../proto/agent-calls.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { agentName } from '../../../proto/credential.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { toWireError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import { aborted } from '../../../runtime/abort.ts'
import type { Bus } from '../../../runtime/bus.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { Guard, type ProcessExit } from '../../../runtime/guard.ts'
import { ModelFailure, type Model, type ModelChoice, type ModelTask } from '../model.ts'
import type { Agent } from './agent.ts'
import { doorFor, type DoorDeps } from './door.ts'
import { findProgram, type AgentSpec } from './registry.ts'
import { Seat, type AgentStart } from './seat.ts'

export interface AgentsDeps extends DoorDeps {
  /** The agents that may be used. */
  readonly specs: ReadonlyMap<string, AgentSpec>
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Logger
}

export class Agents {
  readonly #deps: AgentsDeps
  readonly #seats = new Map<string, Seat>()
  readonly #leaving = new Set<Promise<void>>()
  #guard: Guard | undefined
  #started = 0
  #running = 0

  constructor(deps: AgentsDeps) {
    this.#deps = deps
  }

  /** Throws a {@link ModelFailure} if the agent may not be used here, or is not installed. */
  async open(choice: ModelChoice): Promise<Model> {
    const { provider, model = '', task } = choice
    const spec = this.#specOf(agentName(provider))
    const program = programOf(spec)
    return {
      provider,
      model,
      ask: (request, signal) => {
        const seat = this.#seats.get(task.id)
        if (!seat || seat.task.epoch !== task.epoch) {
          throw new ModelFailure('network', 'No place is reserved for the agent of this task yet.')
        }
        const start = (how: AgentStart) => this.#start(choice, spec, program, how)
        return seat.ask(request, start, signal)
      },
    }
  }

  /** Reserves a place for a task's agent and serves it until `signal` aborts. */
  async attend(task: ModelTask, signal: AbortSignal): Promise<void> {
    const { bus, clock } = this.#deps
    const seat = new Seat(task, clock)
    this.#seats.set(task.id, seat)
    const service = bus.serve(subjects.agent(task.id, task.epoch), (payload) =>
      replyOf(seat.serve(decode<AgentRequest>(payload))),
    )
    await aborted(signal)
    if (this.#seats.get(task.id) === seat) this.#seats.delete(task.id)
    const left = this.#leave(seat)
    this.#leaving.add(left)
    await left
    this.#leaving.delete(left)
    service.stop()
  }

  /** Ends all agents and waits for those that are ending already. */
  async close(): Promise<void> {
    const seats = [...this.#seats.values()]
    await Promise.all([...seats.map((seat) => this.#leave(seat)), ...this.#leaving])
    this.#guard?.stop()
  }

  async #leave(seat: Seat): Promise<void> {
    try {
      await seat.close()
    } catch (error) {
      const { id: taskId } = seat.task
      this.#deps.log.warn({ err: error, taskId }, 'ending an agent failed')
    }
  }

  #specOf(name: string): AgentSpec {
    const { specs } = this.#deps
    const spec = specs.get(name)
    if (spec) return spec
    const some = specs.size === 0 ? 'none may' : `only ${[...specs.keys()].join(', ')} may`
    const text = `The agent ${name} may not be used, ${some}: its operator allows it with ACP_AGENTS.`
    throw new ModelFailure('not_found', text)
  }

  async #start(
    { model, task }: ModelChoice,
    spec: AgentSpec,
    program: string,
    start: AgentStart,
  ): Promise<Agent> {
    const { clock, log } = this.#deps
    const door = doorFor(task, this.#deps)
    const { startAgent } = await import('./start.ts')
    // `onStart` counts the agent before anything is awaited, so that simultaneous starts are
    // counted too.
    if (this.#running >= limits.agentsPerHost) {
      const text = `This host runs ${this.#running} agents already, which is its maximum.`
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
    const starting = { spec, program, model, door, guard: this.#guard, key, clock, onStart }
    return startAgent(starting, start)
  }
}

function programOf({ name, command, install }: AgentSpec): string {
  const program = findProgram(command, process.env['PATH'] ?? '')
  if (program !== undefined) return program
  const text = `The agent ${name} is not installed where tasks run: ${command} is not found; ${install}.`
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
