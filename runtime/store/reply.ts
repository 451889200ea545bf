/** The common form of replies over the bus, for both sides. */
import { decode, encode } from '../../proto/codec.ts'
import type { Reply } from '../../proto/envelope.ts'
import { fromWireError, ServiceError, toWireError } from '../../proto/errors.ts'
import { BusTimeout, NoResponders, type Bus, type BusHandler } from './bus.ts'

/** `onFault` gets errors that are not refusals, because the reply does not contain them. */
export async function toReply(
  work: () => unknown,
  onFault: (error: unknown) => void,
): Promise<Reply> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (!(error instanceof ServiceError)) onFault(error)
    return { ok: false, error: toWireError(error) }
  }
}

/** A handler whose answers are replies; `onFault` as for {@link toReply}, also for what cannot be read. */
export const replying =
  (
    handle: (request: unknown, subject: string) => unknown,
    onFault: (error: unknown) => void,
  ): BusHandler =>
  async (payload, subject) =>
    encode(await toReply(() => handle(decode(payload), subject), onFault))

/** Throws the refusal of a reply. */
export function unwrapReply<T>(reply: Reply): T {
  if (!reply.ok) throw fromWireError(reply.error)
  return reply.value as T
}

export interface ServiceQuestion {
  readonly subject: string
  readonly request: unknown
  readonly timeoutMs: number
  /** For the caller, if no process answers: what is missing, and what to do. */
  readonly silence: string
}

/** Asks a service that answers with replies. Throws its refusal, and `unavailable` for its silence. */
export async function askForReply<T>(
  bus: Pick<Bus, 'request'>,
  { subject, request, timeoutMs, silence }: ServiceQuestion,
): Promise<T> {
  const answer = await bus.request(subject, encode(request), timeoutMs).catch((error: unknown) => {
    if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
    throw new ServiceError('unavailable', silence, {}, error)
  })
  return unwrapReply<T>(decode<Reply>(answer))
}
