/**
 * Ids of requests to actors. An id contains the deadline of its request, after which no repeat of it
 * is accepted, so that whoever remembers the id knows when to forget it.
 */
import { newId } from '../../../proto/ids.ts'

export const newRequestId = (nowMs: number, deadlineMs: number): string =>
  `${newId('req', nowMs)}-${deadlineMs.toString(36)}`

/** Wall-clock ms; undefined for an id of an older version. */
export function deadlineOfRequest(requestId: string): number | undefined {
  const [, deadlineMs] = /^req_[0-9a-z]{26}-([0-9a-z]+)$/.exec(requestId) ?? []
  return deadlineMs === undefined ? undefined : parseInt(deadlineMs, 36)
}
