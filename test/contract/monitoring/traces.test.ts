/**
 * Goal: one request is one trace through all processes it passes, down to the input of the desktop.
 * Method: a real service that sends its spans to a collector on loopback.
 */
import t from 'tap'
import { until } from '../../helpers/lib/until.ts'
import { startOtlpReceiver, type ReceivedSpan } from '../../helpers/monitoring/otlp-receiver.ts'
import { createSession, startService } from '../../helpers/service/service.ts'

const receiver = await startOtlpReceiver()
const service = await startService({
  env: {
    ...{ POOL_HEADLESS: '0', POOL_HEADFUL: '1' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
  },
})
t.teardown(async () => {
  await service.stop()
  receiver.close()
})

const ours = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const traceparent = `00-${ours.traceId}-${ours.spanId}-01`

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(service.baseUrl + path, {
    method: 'POST',
    headers: { 'service-api-key': service.key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Names from a span up to the first of its trace. */
function pathOf(span: ReceivedSpan): readonly string[] {
  const parent = receiver.spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [`${span.service.replace('troupe-', '')}: ${span.name}`, ...(parent ? pathOf(parent) : [])]
}

const named = (name: string) =>
  until(`a span ${name}`, () => receiver.spans.find((span) => span.name === name))

const session = await createSession(service.rest, {})
const route = 'POST /v1/sessions/{session_id}/mouse/click'

t.test('a click is one trace: gateway, actor, node agent, X', async (t) => {
  const click = `/v1/sessions/${session.id}/mouse/click`
  t.equal((await post(click, { x: 40, y: 30 }, { traceparent })).status, 200)
  const [request, actor, input] = await Promise.all(
    [route, 'session.attach', 'input by X'].map(named),
  )
  t.same(pathOf(actor!), [
    'actors: session.attach',
    'gateway: ask session.attach',
    `gateway: ${route}`,
  ])
  t.same(pathOf(input!), [
    'node-agent: input by X',
    'node-agent: mouse_click',
    'node-agent: node run',
    'gateway: ask node run',
    `gateway: ${route}`,
  ])
  t.match(request, { traceId: ours.traceId, parentSpanId: ours.spanId, isFailed: false })
  t.match(request!.attributes, { 'http.request.method': 'POST' })
  t.equal(Number(request!.attributes['http.response.status_code']), 200)
  const whole = receiver.spans.filter(({ traceId }) => traceId === ours.traceId)
  t.same([...new Set(whole.map((span) => span.service))].sort(), [
    'troupe-actors',
    'troupe-gateway',
    'troupe-node-agent',
  ])
  t.notMatch(JSON.stringify(whole), service.key)
})

t.test('what an actor does for a request is in its trace', async (t) => {
  const claim = await named('node claim')
  t.same(pathOf(claim), [
    'node-agent: node claim',
    'actors: ask node claim',
    'actors: session.created',
    'gateway: ask session.created',
    'gateway: POST /v1/sessions',
  ])
})

t.test('a command that fails fails its span, by the type of its error', async (t) => {
  const { status } = await post(`/v1/sessions/${session.id}/tabs/nosuch/select`, {})
  t.ok(status >= 400, String(status))
  const span = await until('a failed span', () => receiver.spans.find(({ isFailed }) => isFailed))
  t.match(span, { service: 'troupe-node-agent', attributes: { 'error.type': /^[a-z_]+$/ } })
})

t.test('probes and scrapes are not traced', async (t) => {
  for (const path of ['/metrics', '/health/ready']) await fetch(service.baseUrl + path)
  t.equal((await fetch(`${service.baseUrl}/openapi.json`)).status, 200)
  await named('GET /openapi.json')
  t.notOk(receiver.spans.find(({ name }) => /metrics|health/.test(name)))
})
