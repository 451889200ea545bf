/**
 * Spans of what processes do for a request, from the gateway to the input of a desktop. Off unless
 * an endpoint is set: then `activeTracer` returns undefined, and that check is all it costs.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** `server` answers another process and `client` asks one. */
  readonly kind: 'server' | 'client' | 'internal'
  /**
   * Only of a `server`: the caller's span as a W3C `traceparent`. Without it, a span belongs to the
   * one in which it is started, or begins a trace.
   */
  readonly parent?: string | undefined
  readonly attributes?: SpanAttributes
}

/** A span that is going on. */
export interface OpenSpan {
  rename(name: string): void
  add(attributes: SpanAttributes): void
  /** Marks it as failed; `type` is a word of a closed list, never a text with users' data. */
  fail(type: string): void
}

export interface Tracer {
  /** Runs `work` in a span. An error fails the span, and is passed on. */
  run<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** The current span as a W3C `traceparent`, for another process; undefined outside of spans. */
  current(): string | undefined
  /** Runs `work` outside of the current span, for what does not happen on its behalf. */
  detached<T>(work: () => T): T
  /** Sends what is left, for a limited time. */
  close(): Promise<void>
}

let active: Tracer | undefined

export const activeTracer = (): Tracer | undefined => active

export function setTracer(tracer: Tracer | undefined): void {
  active = tracer
}
