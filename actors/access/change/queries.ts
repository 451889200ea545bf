/** The answers of a change to its verbs. */
import type { ChangeView } from '../../../proto/access/changes/change.ts'
import type { EntityReply } from '../../../proto/access/common.ts'
import { fromWireError, ServiceError } from '../../../proto/errors.ts'
import { changeView, type ChangeSnapshot } from './view.ts'

type Answer = EntityReply<ChangeView>

const toReply = (snapshot: ChangeSnapshot): Answer => ({ view: changeView(snapshot) })

/** Throws the refusal of the last attempt; while an attempt is in progress there is none yet. */
function replyOfAttempt(snapshot: ChangeSnapshot): Answer {
  const { refusal } = snapshot.context
  if (refusal) throw fromWireError(refusal)
  return toReply(snapshot)
}

export const changeQueries = {
  created: replyOfAttempt,
  get: toReply,
  revise: toReply,
  propose: replyOfAttempt,
  review: toReply,
  schedule: replyOfAttempt,
  start: toReply,
  complete(snapshot: ChangeSnapshot): Answer {
    const { conflict } = snapshot.context
    if (!conflict) return replyOfAttempt(snapshot)
    const { version, fields } = conflict
    const which = fields.length > 0 ? `: ${fields.join(', ')}` : ''
    const message = `The target has changed since the change was proposed (version ${version}${which}). Nothing was written; the change must be decided again.`
    throw new ServiceError('conflict', message, { version, fields, status: snapshot.value })
  },
  fail: toReply,
  roll_back: toReply,
  cancel: toReply,
  post_review: toReply,
}
