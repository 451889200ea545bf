/**
 * Connects a task's agent to the process that runs the task, which provides the tools and carries
 * out the calls. A request without an answer has a token whose task is over.
 */
import { randomUUID } from 'node:crypto'
import type {
  AgentReplies,
  AgentRequest,
  AgentRequestType,
} from '../../../proto/task/agent-calls.ts'
import { decode, encode } from '../../../proto/codec.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { TaskGrant } from '../../../proto/task/task-token.ts'
import { BusTimeout, NoResponders, type Bus } from '../../../runtime/store/bus.ts'
import type { TaskTools } from '../task/task-server.ts'
import { mcpLimits } from '../limits.ts'

export class TaskAgents {
  readonly #bus: Bus

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** Throws `unauthorized` if no process serves this agent. */
  async greet(grant: TaskGrant): Promise<void> {
    const { sessionId } = grant
    await this.#ask(grant, { type: 'greet', sessionId }, mcpLimits.agentGreetMs)
  }

  toolsOf(grant: TaskGrant): TaskTools {
    const { sessionId } = grant
    return {
      list: () => this.#ask(grant, { type: 'tools', sessionId }, mcpLimits.agentGreetMs),
      call: (tool, input, signal) => this.#call(grant, { tool, input }, signal),
    }
  }

  /** A call may wait for a person's answer, so it is polled until the caller aborts. */
  async #call(
    grant: TaskGrant,
    { tool, input }: { tool: string; input: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ) {
    const { sessionId } = grant
    const callId = randomUUID()
    const request = { type: 'call', sessionId, callId, tool, input } as const
    const leave = () => {
      // A call that has already started is carried out anyway; its result is discarded.
      this.#ask(grant, { type: 'leave', sessionId, callId }, mcpLimits.agentGreetMs).catch(() => {})
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      for (;;) {
        signal.throwIfAborted()
        const outcome = await this.#ask(grant, request, limits.agentPollMs + mcpLimits.agentGreetMs)
        if (outcome) return outcome
      }
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  async #ask<T extends AgentRequestType>(
    { taskId, epoch }: TaskGrant,
    request: Extract<AgentRequest, { type: T }>,
    timeoutMs: number,
  ): Promise<AgentReplies[T]> {
    const message = encode(request)
    if (message.byteLength > mcpLimits.agentCallBytes) {
      const text = `A call can have at most ${mcpLimits.agentCallBytes} bytes.`
      throw new ServiceError('too_large', text, { limit_bytes: mcpLimits.agentCallBytes })
    }
    const reply = decode<Reply>(await this.#send(subjects.agent(taskId, epoch), message, timeoutMs))
    if (!reply.ok) throw fromWireError(reply.error)
    return reply.value as AgentReplies[T]
  }

  async #send(subject: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    try {
      return await this.#bus.request(subject, message, timeoutMs)
    } catch (error) {
      if (error instanceof NoResponders) {
        const text = 'The task of this token has ended, or continues with another agent.'
        throw new ServiceError('unauthorized', text, {}, error)
      }
      if (!(error instanceof BusTimeout)) throw error
      throw new ServiceError('unavailable', 'The task does not answer; try again.', {}, error)
    }
  }
}
