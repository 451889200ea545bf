/**
 * Goal: without an endpoint nothing is traced or sent along, and a collector that is away stops
 * nothing. Method: a directory on a played bus; a port on which no process listens.
 */
import { pino } from 'pino'
import { Writable } from 'node:stream'
import t from 'tap'
import { decode, encode } from '../../../../proto/codec.ts'
import type { CommandEnvelope, PlaceReply } from '../../../../proto/envelope.ts'
import type { NodeRequest } from '../../../../proto/browser-host/node.ts'
import { sessionActor } from '../../../../proto/session/session-protocol.ts'
import { Directory } from '../../../../runtime/actor/directory.ts'
import { askNode } from '../../../../runtime/browser-host/node-client.ts'
import type { Membership } from '../../../../runtime/cluster/membership.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import type { Bus } from '../../../../runtime/store/bus.ts'
import { openTracing } from '../../../../runtime/tracing/open.ts'
import { until } from '../../../helpers/lib/until.ts'
import { activeTracer } from '../../../../runtime/tracing/tracer.ts'

const identity = { role: 'gateway', incarnation: 'n.gateway.1', nodeId: 'n' }

/** Sends a message to an actor and to a node agent, and returns both as they were sent. */
async function sentMessages() {
  const sent: Uint8Array[] = []
  const bus: Bus = {
    messageBytes: 1_000_000,
    serve: () => ({ stop: () => undefined }),
    async request(_, payload) {
      sent.push(payload)
      return encode({ ok: true, value: {} } satisfies PlaceReply)
    },
  }
  const membership = { unlessGone: (waited: Promise<unknown>) => waited } as unknown as Membership
  await new Directory(bus, systemClock, membership).ask(sessionActor, 'ses_1', { type: 'get' })
  await askNode(bus, 'n', 'holds', { sessionId: 'ses_1', epoch: 1 }, 1_000)
  const [toActor, toNode] = sent
  return [decode<CommandEnvelope>(toActor!), decode<NodeRequest>(toNode!)] as const
}

t.test('off, there is no tracer, and no message has a field for it', async (t) => {
  const close = await openTracing({ ...identity, endpoint: '', log: pino({ level: 'silent' }) })
  t.equal(activeTracer(), undefined)
  for (const message of await sentMessages()) t.notOk('trace' in message)
  await close()
})

t.test('on, messages name the span in which they are sent', async (t) => {
  const lines: string[] = []
  const stream = new Writable({ write: (line, _, done) => (lines.push(String(line)), done()) })
  const endpoint = 'http://127.0.0.1:9'
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_TIMEOUT: '500', OTEL_BSP_SCHEDULE_DELAY: '50' })
  const close = await openTracing({ ...identity, endpoint, log: pino(stream) })
  const tracer = activeTracer()!
  t.equal(tracer.current(), undefined)
  const [actors, nodes] = await tracer.run('outer', { kind: 'internal' }, async () => {
    t.equal(
      tracer.detached(() => tracer.current()),
      undefined,
    )
    return sentMessages()
  })
  t.match(actors.trace, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  t.match(nodes.trace, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  t.equal(actors.trace!.slice(0, 35), nodes.trace!.slice(0, 35), 'one trace')
  t.not(actors.trace, nodes.trace)
  await t.rejects(
    tracer.run('fails', { kind: 'internal' }, () => Promise.reject(new Error('as it was'))),
    /as it was/,
  )
  const told = () => lines.filter((line) => line.includes('OTEL_EXPORTER_OTLP_ENDPOINT')).length
  await until('the operator is told', () => told() > 0)
  await close()
  t.equal(activeTracer(), undefined)
  t.equal(told(), 1)
})
