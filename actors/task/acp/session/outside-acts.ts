/**
 * Counts what an agent does besides calling the tools of its task: calls of its own tools, model
 * calls without a tool call, refused permissions, snapshots. They are not steps of the task, so they
 * are counted between two calls; above a limit, the task ends with the reason.
 */
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { errorExcerpt } from '../../models/faults/excerpt.ts'
import { taskRunLimits } from '../../limits.ts'

export class OutsideActs {
  #toolCalls = 0
  #modelCalls = 0
  #snapshots = 0
  #refusals = 0
  /** Title of the latest act that was refused, or else announced. */
  #last = ''

  observe(update: SessionUpdate): void {
    if (update.sessionUpdate === 'tool_call') {
      this.#toolCalls++
      if (this.#refusals === 0) this.#last = update.title
    } else if (update.sessionUpdate === 'agent_message_chunk' && update._meta?.['usage']) {
      // Qwen Code reports each of its model calls in this way.
      this.#modelCalls++
    }
  }

  recordRefusal(title: string): void {
    this.#refusals++
    this.#last = title
  }

  /** A snapshot changes nothing, so an agent must not request snapshots without limit. */
  recordSnapshot(): void {
    this.#snapshots++
  }

  /** Called when the agent has called a tool of its task. */
  reset(): void {
    this.#toolCalls = 0
    this.#modelCalls = 0
    this.#snapshots = 0
    this.#refusals = 0
    this.#last = ''
  }

  /**
   * Why the agent `name` must stop; undefined if it may go on. The limit is the number of steps that
   * its task has left, within a minimum and a maximum.
   */
  problem(name: string, stepsLeft: number, secret: string): string | undefined {
    const { agentRefusals, agentOutsideActs, agentOutsideActsMin } = taskRunLimits
    const last = this.#last === '' ? '' : ` The last one: ${errorExcerpt(this.#last, secret)}`
    if (this.#refusals >= agentRefusals) {
      return (
        `${name} was refused ${this.#refusals} times in a row: it can only use the tools of its ` +
        `task.${last}`
      )
    }
    const most = Math.max(agentOutsideActsMin, Math.min(agentOutsideActs, stepsLeft))
    const acts = Math.max(this.#toolCalls, this.#modelCalls, this.#snapshots)
    if (acts <= most) return undefined
    return `${name} did ${acts} things in a row without calling an acting tool of its task.${last}`
  }
}
