/**
 * The ids of requests that made entries of an actor's log and may still be repeated, stored with each
 * entry so that the next owner recognises a repeat. An id is forgotten when its deadline has passed,
 * or when its caller says that it has the answer. Nothing else makes room: if too many are open, a
 * further command is refused.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { actorLimits } from '../limits.ts'
import { deadlineOfRequest } from './request-id.ts'

/** A request that makes an entry. */
export interface LoggedRequest {
  readonly requestId: string
  /** Ids of earlier requests of the same caller that it will not repeat. */
  readonly answered?: readonly string[]
}

/**
 * The ids to store with the next entry. Throws `busy` if the caller has to wait. `nowMs` is this
 * owner's wall clock; the last one's may have been ahead of it.
 */
export function requestsToLog(
  done: readonly string[],
  request: LoggedRequest | undefined,
  nowMs: number,
): readonly string[] {
  const answered = new Set(request?.answered)
  const latestMs = nowMs - 2 * limits.clockSkewMs
  const open: string[] = []
  const undated: string[] = []
  for (const id of done) {
    const deadlineMs = deadlineOfRequest(id)
    if (deadlineMs === undefined) undated.push(id)
    else if (deadlineMs >= latestMs && !answered.has(id)) open.push(id)
  }
  if (request) {
    if (open.length >= actorLimits.requestsOpen) {
      throw new ServiceError('busy', 'Too many commands are open here; try again in a moment.')
    }
    open.push(request.requestId)
  }
  return [...undated.slice(-actorLimits.undatedRequests), ...open]
}
