/** The interface of a tool: its definition for clients, and its implementation. */
import type { Tool as Definition, ToolAnnotations } from '@modelcontextprotocol/server'
import type { ObjectSchema } from '../../../proto/commands/schema.ts'
import type { DefaultSession } from './default-session.ts'
import type { JsonObject, ServiceClient } from '../service.ts'

/** What a tool needs to run. */
export interface ToolContext {
  readonly service: ServiceClient
  readonly defaultSession: DefaultSession
  readonly signal: AbortSignal
  /** What pages say stands between marks. */
  readonly hasPageMarks: boolean
}

export interface ToolArguments {
  /** The session that the caller named, if any. */
  readonly session: string | undefined
  readonly input: Readonly<Record<string, unknown>>
}

export interface ToolAnswer {
  /** The text for the model. */
  readonly text: string
  /** Must match the tool's output schema. */
  readonly structured: JsonObject
  readonly image?: { readonly data: string; readonly mimeType: string }
}

export interface McpTool {
  /** The entry in `tools/list`. */
  readonly definition: Definition & { readonly inputSchema: ObjectSchema; readonly title: string }
  run(call: ToolArguments, toolContext: ToolContext): Promise<ToolAnswer>
}

interface Hints {
  readonly reads: boolean
  /** The tool may destroy something. */
  readonly destroys: boolean
  /** Calling it twice has the same effect as calling it once (idempotent). */
  readonly safe: boolean
  /** The tool reaches the web, beyond the service. */
  readonly open: boolean
}

/** Hints equal to the protocol's defaults (not idempotent, open world) are left out. */
export function toolAnnotations({ reads, destroys, safe, open }: Hints): ToolAnnotations {
  return {
    readOnlyHint: reads,
    // In the protocol, a tool that is not read-only counts as destructive unless it says otherwise.
    ...(!reads && !destroys && { destructiveHint: false }),
    ...(!reads && safe && { idempotentHint: true }),
    ...(!open && { openWorldHint: false }),
  }
}
