/**
 * What an agent does besides calling the tools of its task: its own tools, model calls that lead
 * nowhere, refused permissions. Its task cannot see them as steps, so they are counted between two
 * calls, and an agent that goes on with them ends the task with the reason.
 */
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { errorExcerpt } from '../../models/faults/excerpt.ts'
import { taskRunLimits } from '../../limits.ts'

export class OutsideActs {
  #toolCalls = 0
  #modelCalls = 0
  #looks = 0
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

  refused(title: string): void {
    this.#refusals++
    this.#last = title
  }

  /** A look at the page changes nothing, so an agent may not do it for ever. */
  looked(): void {
    this.#looks++
  }

  /** It has called a tool of its task. */
  called(): void {
    this.#toolCalls = 0
    this.#modelCalls = 0
    this.#looks = 0
    this.#refusals = 0
    this.#last = ''
  }

  /**
   * Why the agent `name` may not go on; undefined if it may. What it does outside is bounded by the
   * steps that its task has left, within limits.
   */
  problem(name: string, stepsLeft: number, secret: string): string | undefined {
    const { agentRefusals, agentOutsideActs, agentOutsideActsMin } = taskRunLimits
    const last = this.#last === '' ? '' : ` The last one: ${errorExcerpt(this.#last, secret)}`
    if (this.#refusals >= agentRefusals) {
      return `${name} was refused ${this.#refusals} times in a row: it may use the tools of its task only.${last}`
    }
    const most = Math.max(agentOutsideActsMin, Math.min(agentOutsideActs, stepsLeft))
    const acts = Math.max(this.#toolCalls, this.#modelCalls, this.#looks)
    if (acts <= most) return undefined
    return `${name} has done ${acts} things in a row without calling a tool of its task that acts.${last}`
  }
}
