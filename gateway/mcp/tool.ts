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
    /** Of those that change something, as the two below: something may be lost by it. */
    readonly destructiveHint?: boolean
    /** Doing it twice is doing it once. */
    readonly idempotentHint?: boolean
    /** It reaches beyond the service, to whatever a page is. */
    readonly openWorldHint: boolean
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

/** In the order in which a reader wants them; hints that say nothing are left out. */
export function annotations(
  reads: boolean,
  more: { destroys: boolean; safe: boolean },
  open = true,
) {
  return {
    readOnlyHint: reads,
    ...(!reads && { destructiveHint: more.destroys, idempotentHint: more.safe }),
    openWorldHint: open,
  }
}
