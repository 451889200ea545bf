/** The answers of a request to its verbs. */
import type { EntityReply } from '../../../proto/access/common.ts'
import type { RequestView } from '../../../proto/access/grants/request.ts'
import { fromWireError } from '../../../proto/errors.ts'
import { requestView, type RequestSnapshot } from './view.ts'

const toReply = (snapshot: RequestSnapshot): EntityReply<RequestView> => ({
  view: requestView(snapshot),
})

export const requestQueries = {
  created: toReply,
  get: toReply,
  revise: toReply,
  /** Throws the refusal of the last check; while a check is in progress there is none yet. */
  submit: (snapshot: RequestSnapshot): EntityReply<RequestView> => {
    const { refusal } = snapshot.context
    if (refusal && !snapshot.matches('lapsed')) throw fromWireError(refusal)
    return toReply(snapshot)
  },
  review: toReply,
  withdraw: toReply,
}
