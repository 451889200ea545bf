/** What others may know of a session: its public view, and the answers to commands. */
import type { SnapshotFrom } from 'xstate'
import type { Command } from '../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import {
  endedError,
  isFinal,
  type SessionOptions,
  type SessionStatus,
  type SessionView,
} from '../../proto/session.ts'
import type { AttachReply, ReportReply, SessionReply } from '../../proto/session-reply.ts'
import type { EnterReply } from '../../proto/task-reply.ts'
import type { SessionContext, sessionMachine } from './machine.ts'
import { tasksIn, turnAt } from './tasks.ts'

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
  if (!needsLife.has(command.type)) return
  if (isFinal(statusOf[value]) || value === 'ending') throw endedError(context)
  if (command.type === 'task.enter') admitTask(context, command)
  if (command.type === 'attach' && value !== 'active') {
    throw new ServiceError('conflict', 'The session is still starting; try again in a moment.')
  }
}

const needsLife: ReadonlySet<string> = new Set(['attach', 'tag', 'task.enter'])

function admitTask(context: SessionContext, command: Command): void {
  const tasks = tasksIn(context)
  const limit = limits.tasksPerSession
  if (tasks.length < limit || tasks.includes(String(command['task']))) return
  const message = `${limit} tasks are waiting for this session; wait, or give them others.`
  throw new ServiceError('queue_full', message, { limit })
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
    case 'task.enter':
      return enterReply(snapshot, command, epoch)
    default:
      return { view: sessionView(snapshot) } satisfies SessionReply
  }
}

function attachReply(snapshot: SessionSnapshot, epoch: number): AttachReply {
  const { claim } = snapshot.context
  if (!claim) throw endedError(snapshot.context)
  return { view: sessionView(snapshot), claim, epoch }
}

function enterReply(snapshot: SessionSnapshot, command: Command, epoch: number): EnterReply {
  const { value, context } = snapshot
  const isFirst = tasksIn(context)[0] === command['task']
  const turn = isFirst && value === 'active' ? turnAt(context) : undefined
  return { view: sessionView(snapshot), ...(turn && { turn: { ...turn, epoch } }) }
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
