/**
 * What a gateway asks of the process that runs a task's agent, for that agent: it comes to the
 * gateway's `/mcp`, and its calls are decided upon where the task is.
 */

/** A tool as an agent is shown it. */
export interface AgentTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What came of a call. Masked; page text stands between marks. */
export interface AgentCallOutcome {
  readonly text: string
  readonly isError: boolean
  /** What the page looks like. */
  readonly picture?: { readonly mimeType: string; readonly base64: string }
}

/** `greet`: is this agent served? `leave`: whoever made the call does not wait for it any more. */
export type AgentRequest =
  | { readonly type: 'greet'; readonly sessionId: string }
  | { readonly type: 'tools'; readonly sessionId: string }
  | {
      readonly type: 'call'
      readonly sessionId: string
      /** Asking again under the same id waits on. */
      readonly callId: string
      readonly tool: string
      readonly input: Readonly<Record<string, unknown>>
    }
  | { readonly type: 'leave'; readonly sessionId: string; readonly callId: string }

export type AgentRequestType = AgentRequest['type']

export interface AgentReplies {
  readonly greet: null
  readonly tools: readonly AgentTool[]
  /** Nothing yet: ask again. */
  readonly call: AgentCallOutcome | null
  readonly leave: null
}
