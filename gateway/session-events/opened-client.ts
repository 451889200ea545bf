/** A client of a session, which the audit and the session's log are told of. */
import type { RequestAudit, SocketFacts } from '../service-audit/request-audit.ts'
import type { AttachedSession } from '../sessions/sockets/attachments.ts'
import type { LiveMode } from '../sessions/tokens/live-token.ts'
import type { ClientNoter, ClientNotes } from './client-notes.ts'

export interface OpenedClient {
  readonly kind: 'cdp' | 'live'
  readonly facts: SocketFacts
  readonly attached: Pick<AttachedSession, 'claim'>
  /** Of a viewer. */
  readonly mode?: LiveMode
}

/** Tells both that it has come; they are told that it leaves by `left`. */
export function openedClient(
  { audit, noter }: { readonly audit: RequestAudit; readonly noter: ClientNoter },
  { kind, facts, attached, mode }: OpenedClient,
): ClientNotes {
  const withMode = mode === undefined ? {} : { mode }
  const closed = audit.opened(kind, facts, withMode)
  const session = { sessionId: facts.session_id, nodeId: attached.claim.nodeId }
  const notes = noter.connected(session, { kind, key: facts.key_id, ...withMode })
  return {
    did: notes.did,
    left() {
      closed()
      notes.left()
    },
  }
}
