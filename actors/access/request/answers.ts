/** What a request answers to each of its verbs. */
import type { Entity } from '../../../proto/access/common.ts'
import type { RequestView } from '../../../proto/access/request.ts'
import { fromWireError } from '../../../proto/errors.ts'
import { requestView, type RequestSnapshot } from './view.ts'

const shown = (snapshot: RequestSnapshot): Entity<RequestView> => ({ view: requestView(snapshot) })

export const requestAnswers = {
  created: shown,
  get: shown,
  revise: shown,
  /** The check has the last word; one that is still under way has none yet. */
  submit: (snapshot: RequestSnapshot): Entity<RequestView> => {
    const { refusal } = snapshot.context
    if (refusal && !snapshot.matches('lapsed')) throw fromWireError(refusal)
    return shown(snapshot)
  },
  review: shown,
  withdraw: shown,
}
