/** A collector of traces on loopback, as far as the service needs one: OTLP over HTTP, in JSON. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface ReceivedSpan {
  /** `service.name` of the process that sent it. */
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly kind: number
  readonly isFailed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}
interface SpanJson {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes: readonly KeyValue[]
  readonly status: { readonly code: number }
}
/** ExportTraceServiceRequest of opentelemetry-proto, in its JSON mapping. */
interface ExportJson {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly { readonly spans: readonly SpanJson[] }[]
  }[]
}

const failedCode = 2

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url === '/v1/traces') spans.push(...spansOf(body as ExportJson))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What has come so far. */
    spans: spans as readonly ReceivedSpan[],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const spansOf = ({ resourceSpans }: ExportJson): readonly ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => received(service, span)))
  })

const received = (service: string, span: SpanJson): ReceivedSpan => ({
  ...{ service, name: span.name, traceId: span.traceId, spanId: span.spanId, kind: span.kind },
  parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
  isFailed: span.status.code === failedCode,
  attributes: valuesOf(span.attributes),
})

const valuesOf = (attributes: readonly KeyValue[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
