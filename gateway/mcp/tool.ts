/** What a tool is here: what clients are told of it, and what it does. */
import type { Home } from './home.ts'
import type { ObjectSchema } from './schema.ts'
import type { Output, Service } from './service.ts'

/** One entry of `tools/list`. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: {
    readonly readOnlyHint: boolean
    /** Of those that change something: something may be lost by it. */
    readonly destructiveHint?: boolean
    /** Doing it twice is doing it once. */
    readonly idempotentHint?: true
    /** It does not reach beyond the service; tools for pages do. */
    readonly openWorldHint?: false
  }
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
}

/** What a call works with. */
export interface Desk {
  readonly service: Service
  readonly home: Home
  readonly signal: AbortSignal
}

export interface Arguments {
  /** The session that was named, if any. */
  readonly session: string | undefined
  readonly input: Readonly<Record<string, unknown>>
}

export interface Answer {
  /** What a model is to read. */
  readonly text: string
  /** Fits the output schema. */
  readonly structured: Output
  readonly image?: { readonly data: string; readonly mimeType: string }
}

export interface Tool {
  readonly definition: ToolDefinition
  run(call: Arguments, desk: Desk): Promise<Answer>
}

/** Hints that the protocol takes for granted are left out: not idempotent, and an open world. */
export function annotations(hints: {
  readonly reads: boolean
  readonly destroys: boolean
  readonly safe: boolean
  readonly open: boolean
}) {
  const { reads, destroys, safe, open } = hints
  return {
    readOnlyHint: reads,
    ...(!reads && { destructiveHint: destroys }),
    ...(!reads && safe && { idempotentHint: true as const }),
    ...(!open && { openWorldHint: false as const }),
  }
}
