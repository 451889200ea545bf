/** Calls one verb of one node agent. */
import { randomUUID } from 'node:crypto'
import { defined } from '../../proto/defined.ts'
import { decode, encode } from '../../proto/codec.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { NodeRequest, NodeReply, NodeVerb, NodeVerbs } from '../../proto/browser-host/node.ts'
import { subjects } from '../../proto/subjects.ts'
import { raceAbort } from '../lib/abort.ts'
import { BusTimeout, NoResponders, type Bus } from '../store/bus.ts'
import { unwrapReply } from '../store/reply.ts'
import { activeTracer } from '../tracing/tracer.ts'

/** When to stop waiting for an answer. */
export interface AskSignals {
  /** The request is not repeated once it aborts. */
  readonly signal?: AbortSignal | undefined
  /**
   * Aborts, with a {@link BusTimeout}, when the agent has died that served the host when this was
   * asked: its successor is asked at once whether it knows the request.
   */
  readonly agentGone?: AbortSignal
}

/** Sends the requests: the bus, or a connection to the agent. */
export type NodeRequester = Pick<Bus, 'request' | 'messageBytes'>

/**
 * Throws the agent's refusal, or `unavailable` if it does not answer. The cause is {@link
 * NoResponders} if nothing was started, and {@link BusTimeout} if that is unknown.
 */
export function askNode<V extends NodeVerb>(
  requester: NodeRequester,
  nodeId: string,
  verb: V,
  request: NodeVerbs[V]['request'],
  timeoutMs: number,
  signals: AskSignals = {},
): Promise<NodeVerbs[V]['reply']> {
  const ask = (trace?: string) =>
    askWithTrace(requester, nodeId, verb, { request, trace }, timeoutMs, signals)
  const tracer = activeTracer()
  if (!tracer) return ask()
  const session = 'sessionId' in request && { 'troupe.session.id': request.sessionId }
  const attributes = { 'troupe.node.id': nodeId, ...session }
  const options = { kind: 'client', attributes } as const
  return tracer.run(`ask node ${verb}`, options, () => ask(tracer.current()))
}

interface NodeCall<V extends NodeVerb = NodeVerb> {
  readonly request: NodeVerbs[V]['request']
  readonly trace: string | undefined
}

async function askWithTrace<V extends NodeVerb>(
  requester: NodeRequester,
  nodeId: string,
  verb: V,
  asked: NodeCall<V>,
  timeoutMs: number,
  signals: AskSignals,
): Promise<NodeVerbs[V]['reply']> {
  const reply = await askUntil(
    requester,
    subjects.node(nodeId, verb),
    asked,
    timeoutMs,
    signals,
  ).catch((error: unknown) => {
    if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
    const text = `The browser host ${nodeId} does not answer; try again.`
    throw new ServiceError('unavailable', text, {}, error)
  })
  return unwrapReply<NodeVerbs[V]['reply']>(reply)
}

/**
 * Repeats the request with the same id, by which the agent recognises a request that it has already
 * started: NATS loses messages when it dies, and waiting for a long timeout would be useless.
 */
async function askUntil(
  requester: NodeRequester,
  subject: string,
  { request, trace }: NodeCall,
  timeoutMs: number,
  { signal, agentGone }: AskSignals,
): Promise<Reply> {
  const late = () => new BusTimeout(subject, timeoutMs)
  const id = randomUUID()
  for (let leftMs = timeoutMs, again = false; leftMs > 0; leftMs -= limits.nodeTryMs) {
    const message = encode({ id, again, request, ...defined({ trace }) } satisfies NodeRequest)
    if (message.byteLength > requester.messageBytes) throw tooLong(message, requester.messageBytes)
    try {
      const tryMs = Math.min(leftMs, limits.nodeTryMs)
      const asked = requester.request(subject, message, tryMs)
      const isWatched = agentGone && !agentGone.aborted
      const answer = await (isWatched ? raceAbort(asked, agentGone) : asked)
      const reply = decode<NodeReply>(answer)
      if (!('forgotten' in reply)) return reply
    } catch (error) {
      if (error instanceof NoResponders) throw again ? late() : error
      if (!(error instanceof BusTimeout)) throw error
      if (signal?.aborted) throw late()
      again = true
      continue
    }
    throw late()
  }
  throw late()
}

/** Nothing was begun, because nobody served the host. */
export const isUnserved = (error: unknown): boolean =>
  error instanceof ServiceError && error.cause instanceof NoResponders

/** It is not known whether it was done. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ServiceError && error.cause instanceof BusTimeout

/** True if the agent has heard from a newer owner of the session. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'conflict' && 'epoch' in error.details
}

/** NATS would drop the message, and the caller would wait until the timeout. */
export function tooLong(message: Uint8Array, limit: number): ServiceError {
  const text = `The message has ${message.byteLength} bytes; at most ${limit} can be sent between hosts.`
  return new ServiceError('too_large', text, { limit_bytes: limit })
}
