/** An agent's text and costs between two of its calls. */
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { ModelUsage } from '../../models/model.ts'
import { taskRunLimits } from '../../limits.ts'

export class AgentOutput {
  #said = ''
  /** The kind of the last part: agents send text in pieces, with thoughts in between. */
  #kind = ''
  #contextTokens = 0
  #costUsd = 0
  #toldTokens = 0
  #toldUsd = 0
  /** Counted by the agent for each of its model calls, since the last {@link takeUsage}. */
  #counted: { readonly input: number; readonly cached: number; readonly output: number } | undefined

  observe(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        this.#count(update._meta?.['usage'])
        if (update.content.type === 'text') this.#add(update.sessionUpdate, update.content.text)
        return
      case 'usage_update':
        this.#contextTokens = amount(update.used) ?? this.#contextTokens
        // For the whole session, in a currency that the agent chooses.
        if (update.cost?.currency === 'USD') {
          this.#costUsd = amount(update.cost.amount) ?? this.#costUsd
        }
        return
      default:
        return
    }
  }

  /** The text since the last call of this method. */
  take(): string {
    const said = this.#said.trim()
    this.#said = ''
    this.#kind = ''
    return said
  }

  /**
   * The usage since the last call of this method. Agents report how full their context is, not what
   * they were charged: its growth is the least that they have read and written.
   */
  takeUsage(): ModelUsage {
    const usage = this.usage
    this.#toldTokens = this.#contextTokens
    this.#toldUsd = this.#costUsd
    this.#counted &&= { input: 0, cached: 0, output: 0 }
    return usage
  }

  /** What the next {@link takeUsage} will return. */
  get usage(): ModelUsage {
    const costUsd = Math.max(0, this.#costUsd - this.#toldUsd)
    return { ...this.#tokens(), ...(costUsd > 0 && { costUsd }) }
  }

  #tokens(): ModelUsage {
    if (this.#counted) {
      const { input, cached, output } = this.#counted
      return { inputTokens: input, cachedTokens: cached, outputTokens: output }
    }
    const inputTokens = Math.max(0, this.#contextTokens - this.#toldTokens)
    return { inputTokens, cachedTokens: 0, outputTokens: 0, estimated: true }
  }

  /** Qwen Code adds the tokens of each model call to a piece of text. */
  #count(usage: unknown): void {
    if (typeof usage !== 'object' || usage === null) return
    const said = usage as Readonly<Record<string, unknown>>
    const of = (field: string) => amount(Number(said[field] ?? 0)) ?? 0
    const { input = 0, cached = 0, output = 0 } = this.#counted ?? {}
    this.#counted = {
      input: input + of('inputTokens'),
      cached: cached + of('cachedReadTokens'),
      output: output + of('outputTokens'),
    }
  }

  #add(kind: string, text: string): void {
    const gap = this.#said === '' || kind === this.#kind ? '' : '\n'
    this.#kind = kind
    this.#said = (this.#said + gap + text).slice(-taskRunLimits.agentOutputChars)
  }
}

/** Agents may report invalid numbers. */
const amount = (value: number) => (Number.isFinite(value) && value >= 0 ? value : undefined)
