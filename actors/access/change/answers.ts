/** The answers of a change to its verbs. */
import type { ChangeView } from '../../../proto/access/change.ts'
import type { Entity } from '../../../proto/access/common.ts'
import { fromWireError, ServiceError } from '../../../proto/errors.ts'
import { changeView, type ChangeSnapshot } from './view.ts'

type Answer = Entity<ChangeView>

const shown = (snapshot: ChangeSnapshot): Answer => ({ view: changeView(snapshot) })

/** Throws the refusal of the last attempt; while an attempt is in progress there is none yet. */
function tried(snapshot: ChangeSnapshot): Answer {
  const { refusal } = snapshot.context
  if (refusal) throw fromWireError(refusal)
  return shown(snapshot)
}

export const changeAnswers = {
  created: tried,
  get: shown,
  revise: shown,
  propose: tried,
  review: shown,
  schedule: tried,
  start: shown,
  complete(snapshot: ChangeSnapshot): Answer {
    const { conflict } = snapshot.context
    if (!conflict) return tried(snapshot)
    const { version, fields } = conflict
    const which = fields.length > 0 ? `: ${fields.join(', ')}` : ''
    const message = `Its target has changed meanwhile (version ${version}${which}). Nothing was written; it has to be decided again.`
    throw new ServiceError('conflict', message, { version, fields, status: snapshot.value })
  },
  fail: shown,
  roll_back: shown,
  cancel: shown,
  post_review: shown,
}
