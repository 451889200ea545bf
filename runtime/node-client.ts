/** One verb of one node agent, asked over the bus. */
import { decode, encode } from '../proto/codec.ts'
import type { Reply } from '../proto/envelope.ts'
import { fromWireError, ServiceError } from '../proto/errors.ts'
import type { NodeVerb, NodeVerbs } from '../proto/node.ts'
import { subjects } from '../proto/subjects.ts'
import { BusTimeout, NoResponders, type Bus } from './bus.ts'

/** Throws the agent's own refusal, or `unavailable` when it does not answer. */
export async function askNode<V extends NodeVerb>(
  bus: Bus,
  nodeId: string,
  verb: V,
  request: NodeVerbs[V]['request'],
  timeoutMs: number,
): Promise<NodeVerbs[V]['reply']> {
  let answer: Uint8Array
  const message = encode(request)
  if (message.byteLength > bus.messageBytes) throw tooLong(message, bus.messageBytes)
  try {
    answer = await bus.request(subjects.node(nodeId, verb), message, timeoutMs)
  } catch (error) {
    if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
    const text = `The browser host ${nodeId} does not answer; try again.`
    throw new ServiceError('unavailable', text, {}, error)
  }
  const reply = decode<Reply>(answer)
  if (!reply.ok) throw fromWireError(reply.error)
  return reply.value as NodeVerbs[V]['reply']
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
