/**
 * The calls of an agent and their outcomes. Calls are processed in order; a repeated request for an
 * outcome finds it here.
 */
import { LRUCache } from 'lru-cache'
import type { AgentCallOutcome } from '../../../../proto/task/agent-calls.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { taskRunLimits } from '../../limits.ts'

export interface AgentCall {
  readonly id: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

interface Entry {
  readonly call: AgentCall
  readonly outcome: Promise<AgentCallOutcome>
  readonly settle: (outcome: AgentCallOutcome) => void
}

export class AgentCalls {
  /** The latest calls; only a few of them are unanswered. */
  readonly #entries = new LRUCache<string, Entry>({ max: taskRunLimits.agentCallsKnown })
  #waiting: Entry[] = []
  readonly #onCall: () => void
  #end: AgentCallOutcome | undefined

  /** `onCall` is called for each new call. */
  constructor(onCall: () => void) {
    this.#onCall = onCall
  }

  /** Number of remembered calls, because an agent must not use unlimited memory. */
  get size(): number {
    return this.#entries.size
  }

  /** Resolves with the outcome; repeats of a call wait for the same one. */
  make(call: AgentCall): Promise<AgentCallOutcome> {
    const there = this.#entries.peek(call.id)
    if (there) return there.outcome
    if (this.#end) return Promise.resolve(this.#end)
    if (this.#waiting.length >= taskRunLimits.agentCallsWaiting) {
      const text = 'Too many calls at once: wait for the answer to each.'
      throw new ServiceError('busy', text, { limit: taskRunLimits.agentCallsWaiting })
    }
    let settle!: Entry['settle']
    const outcome = new Promise<AgentCallOutcome>((resolve) => (settle = resolve))
    const entry = { call, outcome, settle }
    this.#entries.set(call.id, entry)
    this.#waiting.push(entry)
    this.#onCall()
    return outcome
  }

  /** The caller has left: a call that was not taken yet is dropped. */
  drop(id: string): void {
    const entry = this.#waiting.find(({ call }) => call.id === id)
    if (!entry) return
    this.#waiting = this.#waiting.filter((each) => each !== entry)
    this.#entries.delete(id)
    entry.settle({ text: 'The call was cancelled before it ran.', isError: true })
  }

  take(): AgentCall | undefined {
    return this.#waiting.shift()?.call
  }

  answer(id: string, outcome: AgentCallOutcome): void {
    this.#entries.peek(id)?.settle(outcome)
  }

  /** Answers every waiting call with the reason why it will not be done. */
  close(text: string): void {
    this.#end = { text, isError: true }
    for (const { settle } of this.#entries.values()) settle(this.#end)
    this.#waiting = []
  }
}
