/** The common form of answers over the bus, from both sides. */
import type { Reply } from '../proto/envelope.ts'
import { fromWireError, ServiceError, toWireError } from '../proto/errors.ts'

/** `onFault` is told of what is no refusal: the answer does not say it. */
export async function replyOf(
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

/** Throws what was refused. */
export function valueOf<T>(reply: Reply): T {
  if (!reply.ok) throw fromWireError(reply.error)
  return reply.value as T
}
