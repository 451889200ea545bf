/** A language model as the loop sees it: one question, one answer, or a failure of a known kind. */

/** Tiny and flat: no `$ref`, no unions, nothing that one of the providers would refuse. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface Picture {
  readonly mimeType: 'image/jpeg' | 'image/png'
  readonly base64: string
}

/** What changes least comes first, for the caches of providers. */
export interface ModelRequest {
  /** Ours alone: nothing that a page said is ever in it. */
  readonly system: string
  readonly user: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'picture'; readonly picture: Picture }
  )[]
  readonly tools: readonly ToolDefinition[]
  /** Most tokens of the answer. */
  readonly outputTokensMax: number
  /** Equal when the same question is asked again, as after a restart: the id of its effect. */
  readonly question: string
  /**
   * For a model that keeps the conversation itself (`acp/`) and is not told the whole again: what
   * came of its last answer, with the notices of the moment; and the page. Masked, and what pages
   * said stands between marks.
   */
  readonly news: string
  readonly page: string
}

export interface ToolCall {
  /** Empty where the provider gives none; not unique with some. */
  readonly id: string
  readonly name: string
  /** As it came: it may be no JSON at all. */
  readonly arguments: string
}

export interface ModelUsage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Where the provider says, or its price is configured. */
  readonly costUsd?: number
  /** The provider did not count; this is a guess from characters. */
  readonly estimated?: true
}

export interface ModelAnswer {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly usage: ModelUsage
  /** Of the answer, as the provider names it. */
  readonly model: string
}

/**
 * `rate_limited`, `overloaded`, `network`, `stalled`: worth another try, after `retryAfterMs` where
 * the provider names it. `context_length`: with less. `truncated`, `malformed`, `empty`: the answer
 * was no use, asking again may help. `refused`: by the provider's filter. `auth`, `not_found`,
 * `rejected`: nothing helps but a change of configuration.
 */
export type ModelFailureKind =
  | 'rate_limited'
  | 'overloaded'
  | 'network'
  | 'stalled'
  | 'context_length'
  | 'truncated'
  | 'malformed'
  | 'empty'
  | 'refused'
  | 'auth'
  | 'not_found'
  | 'rejected'

/** Its message is for the owner of the task: what happened and what to do, and never a credential. */
export class ModelFailure extends Error {
  readonly kind: ModelFailureKind
  readonly retryAfterMs: number | undefined
  /** An answer that was no use has its price too. */
  readonly usage: ModelUsage | undefined

  constructor(
    kind: ModelFailureKind,
    message: string,
    more: {
      readonly retryAfterMs?: number | undefined
      readonly usage?: ModelUsage | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'ModelFailure'
    this.kind = kind
    this.retryAfterMs = more.retryAfterMs
    this.usage = more.usage
  }
}

export interface Model {
  readonly provider: string
  readonly model: string
  /** Throws {@link ModelFailure}; an abort closes the connection at once. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>
}

/** Whose work it is: an agent (`acp:<name>`) is started for one task, and drives its session. */
export interface ModelTask {
  readonly id: string
  readonly sessionId: string
  /** Of the task's actor: an agent of an older one is heard no more. */
  readonly epoch: number
  /** When the task is stopped, wall-clock ms. */
  readonly expiresAtMs: number
}

/** Which model, for whom. */
export interface ModelChoice {
  readonly tenant: string
  readonly provider: string
  readonly model?: string
  readonly task: ModelTask
}

/** Opens models with the credentials there are; tokens are fresh with each call. */
export interface Models {
  /** Throws {@link ModelFailure} of kind `auth` when there is no credential, with how to give one. */
  open(choice: ModelChoice): Promise<Model>
  /**
   * Keeps what a task has of its own (an agent's process) until `signal` aborts, and ends it then:
   * the effect that is wanted for as long as the task may go on. Absent: there is no such thing.
   */
  attend?(task: ModelTask, signal: AbortSignal): Promise<void>
}
