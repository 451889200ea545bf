/** The answers of a request to its verbs. */
import type { Entity } from '../../../proto/access/common.ts'
import type { RequestView } from '../../../proto/access/request.ts'
import { fromWireError } from '../../../proto/errors.ts'
import { requestView, type RequestSnapshot } from './view.ts'

const shown = (snapshot: RequestSnapshot): Entity<RequestView> => ({ view: requestView(snapshot) })

export const requestAnswers = {
  created: shown,
  get: shown,
  revise: shown,
  /** Throws the refusal of the last check; while a check is in progress there is none yet. */
  submit: (snapshot: RequestSnapshot): Entity<RequestView> => {
    const { refusal } = snapshot.context
    if (refusal && !snapshot.matches('lapsed')) throw fromWireError(refusal)
    return shown(snapshot)
  },
  review: shown,
  withdraw: shown,
}
