/** The answers of a session to its verbs. */
import { fromWireError } from '../../proto/errors.ts'
import type { AttachReply, EnterReply, SessionReply } from '../../proto/session-protocol.ts'
import { endedError } from '../../proto/session.ts'
import type { AnswerContext } from '../../runtime/actor-kind.ts'
import { tasksIn, turnAt } from './tasks.ts'
import { sessionView, type SessionSnapshot } from './view.ts'

const shown = (snapshot: SessionSnapshot): SessionReply => ({ view: sessionView(snapshot) })

export const sessionAnswers = {
  created: (snapshot: SessionSnapshot) => {
    const { failure } = snapshot.context
    if (failure) throw fromWireError(failure)
    return shown(snapshot)
  },
  get: shown,
  'browser.report': (snapshot: SessionSnapshot, { browserId }: { readonly browserId: string }) => ({
    keep: isWanted(snapshot, browserId),
  }),
  'browser.gone': shown,
  attach: (snapshot: SessionSnapshot, _: object, { epoch }: AnswerContext): AttachReply => {
    const { claim } = snapshot.context
    if (!claim) throw endedError(snapshot.context)
    return { ...shown(snapshot), claim, epoch }
  },
  disconnected: shown,
  'task.enter': (
    snapshot: SessionSnapshot,
    { task }: { readonly task: string },
    { epoch }: AnswerContext,
  ): EnterReply => {
    const { value, context } = snapshot
    const isFirst = tasksIn(context)[0] === task
    const turn = isFirst && value === 'active' ? turnAt(context) : undefined
    return { ...shown(snapshot), ...(turn && { turn: { ...turn, epoch } }) }
  },
  'task.leave': shown,
  tag: shown,
  'live.revoke': shown,
  end: shown,
}

/** While the reply to the claim is on its way, the browser is already held for this session. */
function isWanted({ value, context }: SessionSnapshot, browserId: string): boolean {
  if (value === 'requested' || value === 'claiming') return true
  return value === 'active' && context.claim?.browserId === browserId
}
