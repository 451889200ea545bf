/**
 * The tracer on OpenTelemetry's SDK, which is loaded only if an endpoint is set. The SDK reads the
 * other variables of its specification itself: headers, sampler, batching.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import { settleWithin, systemClock } from '../lib/clock.ts'
import { version } from '../lib/package.ts'
import { tracingLimits } from './limits.ts'
import type { OpenSpan, SpanOptions, Tracer } from './tracer.ts'

export interface TracedProcess {
  readonly role: string
  readonly incarnation: string
  readonly nodeId: string
  /** Without `/v1/traces`. */
  readonly endpoint: string
  readonly log: Logger
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const
const propagator = new W3CTraceContextPropagator()

export function openTracer(traced: TracedProcess): Tracer {
  logFaults(traced.log)
  const exporter = new OTLPTraceExporter({ url: `${traced.endpoint}/v1/traces` })
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceOf(traced)),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('troupe', version)
  const contexts = new AsyncLocalStorage<Context>()

  const contextOf = ({ kind, parent }: SpanOptions): Context => {
    if (kind !== 'server' || parent === undefined) return contexts.getStore() ?? ROOT_CONTEXT
    return propagator.extract(ROOT_CONTEXT, { traceparent: parent }, defaultTextMapGetter)
  }
  return {
    async run(name, options, work) {
      const context = contextOf(options)
      const { kind, attributes = {} } = options
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context)
      try {
        return await contexts.run(trace.setSpan(context, span), () => work(openSpan(span)))
      } catch (error) {
        fail(span, error instanceof ServiceError ? error.type : (error as Error).name)
        throw error
      } finally {
        span.end()
      }
    },
    current() {
      const carrier: { traceparent?: string } = {}
      const context = contexts.getStore()
      if (context) propagator.inject(context, carrier, defaultTextMapSetter)
      return carrier.traceparent
    },
    detached: (work) => contexts.exit(work),
    async close() {
      const ended = provider.shutdown().catch(() => undefined) // The exporter has logged it.
      await settleWithin(systemClock, tracingLimits.flushMs, ended)
    },
  }
}

const resourceOf = ({ role, incarnation, nodeId }: TracedProcess) =>
  resourceFromAttributes({
    'service.namespace': 'troupe',
    'service.name': `troupe-${role}`,
    'service.version': version,
    'service.instance.id': incarnation,
    'host.name': nodeId,
  })

function openSpan(span: Span): OpenSpan {
  return {
    rename: (name) => void span.updateName(name),
    add: (attributes) => void span.setAttributes(attributes),
    fail: (type) => fail(span, type),
  }
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** If the collector is unavailable, each batch fails; the log lines are rate-limited. */
function logFaults(log: Logger): void {
  let loggedUntilMs = 0
  const logFault = (reason: string) => {
    const nowMs = systemClock.monotonic()
    if (nowMs < loggedUntilMs) return
    loggedUntilMs = nowMs + tracingLimits.faultLogMs
    log.warn({ reason }, 'traces are not accepted: check OTEL_EXPORTER_OTLP_ENDPOINT')
  }
  const quiet = () => undefined
  const logger = { error: logFault, warn: logFault, info: quiet, debug: quiet, verbose: quiet }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
