/** One verb of one node agent, asked over the bus. */
import { randomUUID } from 'node:crypto'
import { decode, encode } from '../proto/codec.ts'
import type { Reply } from '../proto/envelope.ts'
import { ServiceError } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'
import type { NodeAsk, NodeReply, NodeVerb, NodeVerbs } from '../proto/node.ts'
import { subjects } from '../proto/subjects.ts'
import { BusTimeout, NoResponders, type Bus } from './bus.ts'
import { valueOf } from './reply.ts'

/**
 * Throws the agent's own refusal, or `unavailable` when it does not answer. Its cause is
 * {@link NoResponders} where nothing was begun, and {@link BusTimeout} where nobody knows. Once
 * `signal` aborts it is not asked again.
 */
export async function askNode<V extends NodeVerb>(
  bus: Bus,
  nodeId: string,
  verb: V,
  request: NodeVerbs[V]['request'],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<NodeVerbs[V]['reply']> {
  const reply = await askUntil(bus, subjects.node(nodeId, verb), request, timeoutMs, signal).catch(
    (error: unknown) => {
      if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
      const text = `The browser host ${nodeId} does not answer; try again.`
      throw new ServiceError('unavailable', text, {}, error)
    },
  )
  return valueOf<NodeVerbs[V]['reply']>(reply)
}

/**
 * Asks again and again under one id, by which the agent knows what it has begun: NATS loses what it
 * carries when it dies, and what takes long would be waited for in vain.
 */
async function askUntil(
  bus: Bus,
  subject: string,
  request: NodeVerbs[NodeVerb]['request'],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Reply> {
  const late = new BusTimeout(subject, timeoutMs)
  const id = randomUUID()
  for (let leftMs = timeoutMs, again = false; leftMs > 0; leftMs -= limits.nodeTryMs) {
    const message = encode({ id, again, request } satisfies NodeAsk)
    if (message.byteLength > bus.messageBytes) throw tooLong(message, bus.messageBytes)
    try {
      const answer = await bus.request(subject, message, Math.min(leftMs, limits.nodeTryMs))
      const reply = decode<NodeReply>(answer)
      if ('forgotten' in reply) throw late
      return reply
    } catch (error) {
      if (error instanceof NoResponders) throw again ? late : error
      if (!(error instanceof BusTimeout) || error === late) throw error
    }
    if (signal?.aborted) throw late
    again = true
  }
  throw late
}

/** The agent has heard from a newer owner of the session than we did. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'conflict' && 'epoch' in error.details
}

/** NATS would not carry it, and whoever waits for it would wait for nothing. */
export function tooLong(message: Uint8Array, limit: number): ServiceError {
  const text = `This has ${message.byteLength} bytes; ${limit} can be carried between hosts.`
  return new ServiceError('too_large', text, { limit_bytes: limit })
}
