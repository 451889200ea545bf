/** What an agent says and what it costs, between two of its calls. */
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { limits } from '../../../proto/limits.ts'
import type { ModelUsage } from '../model.ts'

export class Speech {
  #said = ''
  /** What is behind `said`: agents send words in pieces, and thoughts beside them. */
  #kind = ''
  #contextTokens = 0
  #costUsd = 0
  #toldTokens = 0
  #toldUsd = 0

  hear(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        if (update.content.type === 'text') this.#add(update.sessionUpdate, update.content.text)
        return
      case 'usage_update':
        this.#contextTokens = amount(update.used) ?? this.#contextTokens
        // Of the whole session, in a currency of the agent's choice.
        if (update.cost?.currency === 'USD') {
          this.#costUsd = amount(update.cost.amount) ?? this.#costUsd
        }
        return
      default:
        return
    }
  }

  /** The words since the last time. */
  take(): string {
    const said = this.#said.trim()
    this.#said = ''
    this.#kind = ''
    return said
  }

  /**
   * Since the last time. Agents tell how full their context is, not what they were charged: its
   * growth is the least that they have read and written.
   */
  takeUsage(): ModelUsage {
    const inputTokens = Math.max(0, this.#contextTokens - this.#toldTokens)
    const costUsd = Math.max(0, this.#costUsd - this.#toldUsd)
    this.#toldTokens = this.#contextTokens
    this.#toldUsd = this.#costUsd
    const counted = { inputTokens, cachedTokens: 0, outputTokens: 0, estimated: true } as const
    return costUsd > 0 ? { ...counted, costUsd } : counted
  }

  #add(kind: string, text: string): void {
    const gap = this.#said === '' || kind === this.#kind ? '' : '\n'
    this.#kind = kind
    this.#said = (this.#said + gap + text).slice(-limits.agentSpokenChars)
  }
}

/** Agents are not believed to count. */
const amount = (value: number) => (Number.isFinite(value) && value >= 0 ? value : undefined)
