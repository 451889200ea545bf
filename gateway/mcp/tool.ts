/** What a tool is here: what clients are told of it, and what it does. */
import type { Tool as Definition, ToolAnnotations } from '@modelcontextprotocol/server'
import type { ObjectSchema } from '../../proto/commands/schema.ts'
import type { Home } from './home.ts'
import type { Output, Service } from './service.ts'

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
  /** Its entry in `tools/list`. */
  readonly definition: Definition & { readonly inputSchema: ObjectSchema; readonly title: string }
  run(call: Arguments, desk: Desk): Promise<Answer>
}

interface Hints {
  readonly reads: boolean
  /** Something may be lost by it. */
  readonly destroys: boolean
  /** Doing it twice is doing it once. */
  readonly safe: boolean
  /** It reaches beyond the service, to whatever a page is. */
  readonly open: boolean
}

/** What the protocol takes for granted is left out: not idempotent, and an open world. */
export function annotations({ reads, destroys, safe, open }: Hints): ToolAnnotations {
  return {
    readOnlyHint: reads,
    ...(!reads && { destructiveHint: destroys }),
    ...(!reads && safe && { idempotentHint: true }),
    ...(!open && { openWorldHint: false }),
  }
}
