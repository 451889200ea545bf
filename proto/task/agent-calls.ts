/**
 * Requests that a gateway forwards from a task's agent to the process that runs the task. The agent
 * connects to the gateway's `/mcp`; its tool calls are decided on where the task runs.
 */

/** A tool in the form in which the agent sees it. */
export interface AgentTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The result of a call. Secrets are masked; page text is enclosed in marks. */
export interface AgentCallOutcome {
  readonly text: string
  readonly isError: boolean
  /** A screenshot of the page. */
  readonly picture?: { readonly mimeType: string; readonly base64: string }
}

/** `greet`: asks whether this agent is still served. `leave`: the caller has stopped waiting. */
export type AgentRequest =
  | { readonly type: 'greet'; readonly sessionId: string }
  | { readonly type: 'tools'; readonly sessionId: string }
  | {
      readonly type: 'call'
      readonly sessionId: string
      /** Repeating the request with the same id continues to wait for the same call. */
      readonly callId: string
      readonly tool: string
      readonly input: Readonly<Record<string, unknown>>
    }
  | { readonly type: 'leave'; readonly sessionId: string; readonly callId: string }

export type AgentRequestType = AgentRequest['type']

export interface AgentReplies {
  readonly greet: null
  readonly tools: readonly AgentTool[]
  /** Null: no outcome yet, ask again. */
  readonly call: AgentCallOutcome | null
  readonly leave: null
}
