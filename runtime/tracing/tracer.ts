/**
 * Spans of the work for a request in all processes, from the gateway to the input of a desktop.
 * Without an endpoint, tracing is off: `activeTracer` returns undefined, and that check is its only
 * cost.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** `server`: serves a request of another process. `client`: sends a request to one. */
  readonly kind: 'server' | 'client' | 'internal'
  /**
   * Only for a `server` span: the caller's span as a W3C `traceparent`. Without it, the parent is the
   * current span; without one, a new trace begins.
   */
  readonly parent?: string | undefined
  readonly attributes?: SpanAttributes
}

/** A span in progress. */
export interface OpenSpan {
  rename(name: string): void
  add(attributes: SpanAttributes): void
  /** Marks it as failed; `type` is from a closed list and never contains users' data. */
  fail(type: string): void
}

export interface Tracer {
  /** Runs `work` in a span. An error marks the span as failed and is thrown on. */
  run<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** The current span as a W3C `traceparent`, for another process; undefined outside of spans. */
  current(): string | undefined
  /** Runs `work` outside of the current span, for work that does not belong to it. */
  detached<T>(work: () => T): T
  /** Sends the remaining spans, for a limited time. */
  close(): Promise<void>
}

let active: Tracer | undefined

export const activeTracer = (): Tracer | undefined => active

export function setTracer(tracer: Tracer | undefined): void {
  active = tracer
}
