/** What others may know of a session: its public view, and the answers to commands. */
import type { SnapshotFrom } from 'xstate'
import type { Command } from '../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../proto/errors.ts'
import {
  endedError,
  isFinal,
  type SessionOptions,
  type SessionStatus,
  type SessionView,
} from '../../proto/session.ts'
import type { AttachReply, ReportReply, SessionReply } from '../../proto/session-reply.ts'
import type { sessionMachine } from './machine.ts'

type SessionSnapshot = SnapshotFrom<typeof sessionMachine>
type SessionState = SessionSnapshot['value']

const statusOf: Readonly<Record<SessionState, SessionStatus>> = {
  requested: 'starting',
  claiming: 'starting',
  active: 'running',
  ending: 'ending',
  ended: 'completed',
  failed: 'failed',
  lost: 'lost',
}

export function sessionView(snapshot: SessionSnapshot): SessionView {
  const { context } = snapshot
  const { deadlines, reason, message, endedAtMs, claim } = context
  return {
    id: context.id,
    tenant: context.tenant,
    status: statusOf[snapshot.value],
    ...(reason && { reason }),
    ...(message && { message }),
    createdAtMs: context.createdAtMs,
    ...(endedAtMs !== null && { endedAtMs }),
    ...(deadlines['max'] !== undefined && { expiresAtMs: deadlines['max'] }),
    ...(deadlines['idle'] !== undefined && { idleExpiresAtMs: deadlines['idle'] }),
    keyId: context.keyId,
    keyName: context.keyName,
    tags: context.tags,
    options: withoutPassword(context.options),
    ...(claim && { nodeId: claim.nodeId }),
  }
}

/** Another tenant's session does not exist; an ended one takes no more commands. */
export function admit({ context, value }: SessionSnapshot, command: Command): void {
  if (command['tenant'] !== undefined && command['tenant'] !== context.tenant) {
    throw new ServiceError('not_found', 'There is no such session.')
  }
  if (command.type !== 'attach' && command.type !== 'tag') return
  if (isFinal(statusOf[value]) || value === 'ending') throw endedError(context)
  if (command.type === 'attach' && value !== 'active') {
    throw new ServiceError('conflict', 'The session is still starting; try again in a moment.')
  }
}

export function sessionReply(
  snapshot: SessionSnapshot,
  command: Command,
  { epoch }: { epoch: number },
): unknown {
  const { context } = snapshot
  switch (command.type) {
    case 'created':
      if (context.failure) throw fromWireError(context.failure)
      return { view: sessionView(snapshot) } satisfies SessionReply
    case 'browser.report':
      return { keep: isWanted(snapshot, command) } satisfies ReportReply
    case 'attach':
      return attachReply(snapshot, epoch)
    default:
      return { view: sessionView(snapshot) } satisfies SessionReply
  }
}

function attachReply(snapshot: SessionSnapshot, epoch: number): AttachReply {
  const { claim } = snapshot.context
  if (!claim) throw endedError(snapshot.context)
  return { view: sessionView(snapshot), claim, epoch }
}

/**
 * While the claim's answer is on its way, the browser it names is held for this session already.
 */
function isWanted({ value, context }: SessionSnapshot, command: Command): boolean {
  if (value === 'requested' || value === 'claiming') return true
  return value === 'active' && context.claim?.browserId === command['browserId']
}

function withoutPassword(options: SessionOptions): SessionOptions {
  if (!options.proxy) return options
  const { password: _, ...proxy } = options.proxy
  return { ...options, proxy }
}
