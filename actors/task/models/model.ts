/** The interface of a language model: one request, one answer, or a failure of a known kind. */
import type { ModelFailureKind } from '../../../proto/task/model-failure.ts'

/** Small and flat: no `$ref`, no unions, nothing that any provider would refuse. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ModelPicture {
  readonly mimeType: 'image/jpeg' | 'image/png'
  readonly base64: string
}

/** The parts that change least come first, for the providers' caches. */
export interface ModelRequest {
  /** Our own text only; it never contains text of a page. */
  readonly system: string
  readonly user: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'picture'; readonly picture: ModelPicture }
  )[]
  readonly tools: readonly ToolDefinition[]
  /** Maximum number of tokens of the answer. */
  readonly outputTokensMax: number
  /** The id of its effect: equal if the same request is repeated, as after a restart. */
  readonly question: string
  /**
   * For a model that keeps the conversation itself (`acp/`) and does not get everything again: the
   * outcome of its last answer with the current notices, and the page. Masked, with page text
   * between marks.
   */
  readonly news: string
  readonly page: string
}

export interface ToolCall {
  /** Empty if the provider gives none; not unique with some providers. */
  readonly id: string
  readonly name: string
  /** Unparsed: it may not be JSON at all. */
  readonly arguments: string
}

export interface ModelUsage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Set if the provider reports it, or its price is configured. */
  readonly costUsd?: number
  /** The provider did not count tokens; this is estimated from characters. */
  readonly estimated?: true
}

export interface ModelAnswer {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly usage: ModelUsage
  /** The model that answered, by the provider's name. */
  readonly model: string
}

/** Its message is for the task's owner: what happened and what to do, and never a credential. */
export class ModelFailure extends Error {
  readonly kind: ModelFailureKind
  readonly retryAfterMs: number | undefined
  /** An unusable answer also costs tokens. */
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

export interface TaskModel {
  readonly provider: string
  readonly model: string
  /** Throws {@link ModelFailure}; an abort closes the connection at once. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>
}

/**
 * The task that uses the model: an agent (`acp:<name>`) is started for one task and controls its
 * session.
 */
export interface ModelTask {
  readonly id: string
  readonly sessionId: string
  /** Epoch of the task's actor: agents of an older epoch are not served. */
  readonly epoch: number
  /** When the task is stopped, in wall-clock ms. */
  readonly expiresAtMs: number
  /** The rest of the task's budget; an agent must stay within it between two of its calls. */
  readonly budget?: BudgetLeft
}

export interface BudgetLeft {
  readonly steps: number
  /** Absent: no limit. */
  readonly tokens?: number
  readonly costUsd?: number
}

/** Which model to use, and for which tenant. */
export interface ModelChoice {
  readonly tenant: string
  readonly provider: string
  readonly model?: string
  readonly task: ModelTask
}

/** Opens models with the available credentials; tokens are fresh for each request. */
export interface TaskModels {
  /**
   * Throws {@link ModelFailure} of kind `auth` if there is no credential; its message says how to
   * add one.
   */
  open(choice: ModelChoice): Promise<TaskModel>
  /**
   * Keeps resources of a task (an agent's process) until `signal` aborts, and then ends them; this
   * effect is wanted as long as the task may continue. Absent: there are no such resources.
   */
  attend?(task: ModelTask, signal: AbortSignal): Promise<void>
}
