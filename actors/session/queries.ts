/** The answers of a session to its verbs. */
import { defined } from '../../proto/defined.ts'
import { fromWireError } from '../../proto/errors.ts'
import type {
  AdoptReply,
  AttachReply,
  BrowserHeir,
  EnterReply,
  SessionReply,
} from '../../proto/session/session-protocol.ts'
import { endedError } from '../../proto/session/session.ts'
import type { QueryContext } from '../../runtime/actor/actor-kind.ts'
import { tasksIn, turnAt } from './tasks.ts'
import { sessionView, type SessionSnapshot } from './view.ts'

const toReply = (snapshot: SessionSnapshot): SessionReply => ({ view: sessionView(snapshot) })

export const sessionQueries = {
  created: (snapshot: SessionSnapshot) => {
    const { failure } = snapshot.context
    if (failure) throw fromWireError(failure)
    return toReply(snapshot)
  },
  get: toReply,
  'browser.report': (snapshot: SessionSnapshot, { browserId }: { readonly browserId: string }) => ({
    keep: isWanted(snapshot, browserId),
  }),
  'browser.adopt': (
    { value, context }: SessionSnapshot,
    { browserId, incarnation }: BrowserHeir,
    { epoch }: QueryContext,
  ): AdoptReply => {
    const { claim, options, tenant, use } = context
    const isHeir = claim?.browserId === browserId && claim.incarnation === incarnation
    return value === 'active' && isHeir
      ? { keep: true, claim, options, tenant, epoch, ...defined({ use }) }
      : { keep: false }
  },
  'browser.gone': toReply,
  'browser.used': toReply,
  'recording.made': toReply,
  attach: (snapshot: SessionSnapshot, _: object, { epoch }: QueryContext): AttachReply => {
    const { claim } = snapshot.context
    if (!claim) throw endedError(snapshot.context)
    return { ...toReply(snapshot), claim, epoch }
  },
  disconnected: toReply,
  'task.enter': (
    snapshot: SessionSnapshot,
    { task }: { readonly task: string },
    { epoch }: QueryContext,
  ): EnterReply => {
    const { value, context } = snapshot
    const isFirst = tasksIn(context)[0] === task
    const turn = isFirst && value === 'active' ? turnAt(context) : undefined
    return { ...toReply(snapshot), ...(turn && { turn: { ...turn, epoch } }) }
  },
  'task.leave': toReply,
  extend: toReply,
  'login.filled': toReply,
  tag: toReply,
  'live.use': (
    { context }: SessionSnapshot,
    { link, by }: { readonly link: string; readonly by: string },
  ) => ({ isTheirs: context.usedLinks?.[link] === by }),
  'live.revoke': toReply,
  end: toReply,
}

/** While the reply to the claim is on its way, the browser is already held for this session. */
function isWanted({ value, context }: SessionSnapshot, browserId: string): boolean {
  if (value === 'requested' || value === 'claiming') return true
  // Its profile is being saved.
  const isSaving = value === 'ending' && context.options.profile?.persist === true
  return (value === 'active' || isSaving) && context.claim?.browserId === browserId
}
