/**
 * A model script that holds back all answers or those of one kind: a test sees each held request
 * and decides when it is answered.
 */
import type { ModelScript, ScriptedAnswer } from './answers.ts'
import type { ChatRequest } from './request.ts'
import { until } from '../lib/until.ts'

export interface HeldRequest {
  readonly request: ChatRequest
  letGo(): void
}

export class HeldModel {
  readonly #script: ModelScript
  readonly #which: (request: ChatRequest) => boolean
  readonly #held: HeldRequest[] = []
  #seen = 0
  #holds = true

  constructor(script: ModelScript | ScriptedAnswer, which = (_: ChatRequest) => true) {
    this.#script = typeof script === 'function' ? script : () => script
    this.#which = which
  }

  readonly script: ModelScript = async (request) => {
    if (this.#holds && this.#which(request)) {
      await new Promise<void>((letGo) => this.#held.push({ request, letGo }))
    }
    return this.#script(request)
  }

  /** The next held request, now or when it arrives. */
  async next(): Promise<HeldRequest> {
    const held = await until('the model is asked', () => this.#held[this.#seen])
    this.#seen++
    return held
  }

  /** Holds no further requests. */
  letAllGo(): void {
    this.#holds = false
    for (const { letGo } of this.#held) letGo()
  }
}
