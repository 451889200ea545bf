/**
 * The effects of a session: claims a browser from a node agent, releases it, checks that it still
 * exists.
 */
import { jobActor } from '../../proto/access/jobs/job.ts'
import { defined } from '../../proto/defined.ts'
import type { MessageTo } from '../../proto/actor.ts'
import { isGone, ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { taskActor } from '../../proto/task/task-protocol.ts'
import type { EffectContext, EffectHandlers, OutcomeOf } from '../../runtime/actor/actor-kind.ts'
import { askNode } from '../../runtime/browser-host/node-client.ts'
import type { ServiceAudit } from '../../runtime/service-audit/writer.ts'
import { claimBrowser, type ClaimDeps } from './claiming/claim.ts'
import { freeProfile, saveProfile } from './claiming/profile.ts'
import type { sessionMachine } from './machine.ts'
import type {
  SessionContext,
  DismissParams,
  TurnParams,
  HeldParams,
  ReleaseParams,
  EndedParams,
  SessionEffects,
} from './context.ts'

export interface SessionEffectDeps extends ClaimDeps {
  readonly serviceAudit: Pick<ServiceAudit, 'add'>
}

type Outcome = OutcomeOf<typeof sessionMachine>
type Handlers = EffectHandlers<SessionEffects, SessionContext, Outcome>

export function sessionEffects(deps: SessionEffectDeps): Handlers {
  return {
    claim: (params, context) => claimBrowser(deps, params, context),
    release: (params, context) => release(deps, params, context),
    verify: (params, context) => verify(deps, params, context),
    give_turn: (params, context) => giveTurn(deps, params, context),
    dismiss: (params) => dismiss(deps, params),
    audit_end: (params) => auditEnd(deps, params),
    free_profile: (params) => freeProfile(deps, params),
  }
}

/** Without a claim it is unknown which host has the session in its queue, so all get the request. */
async function release(
  deps: SessionEffectDeps,
  { sessionId, claim: held, profile: named }: ReleaseParams,
  context: EffectContext,
): Promise<Outcome> {
  const { bus, membership } = deps
  const { epoch } = context
  const profile = held && named && (await saveProfile(deps, named, held, context))
  // Before the end is told, so that the caller's next session gets it.
  if (named) await freeProfile(deps, named)
  const nodeIds = held
    ? [held.nodeId]
    : membership.available('node-agent').map(({ nodeId }) => nodeId)
  const request = { sessionId, epoch }
  const replies = await Promise.all(
    nodeIds.map((nodeId) => askNode(bus, nodeId, 'release', request, limits.nodeCallMs)),
  )
  const use = replies.find((reply) => reply.use)?.use
  return { type: 'released', ...(profile && { profile }), ...defined({ use }) }
}

/** After a recovery: checks what happened to the browser meanwhile. */
async function verify(
  { bus }: SessionEffectDeps,
  { sessionId, claim: held }: HeldParams,
  { epoch }: EffectContext,
): Promise<Outcome | void> {
  if (!held) return
  const request = { sessionId, epoch }
  const { browserId } = await askNode(bus, held.nodeId, 'holds', request, limits.nodeCallMs)
  if (browserId === held.browserId) return
  const detail = 'The browser no longer existed when its session was taken over.'
  return { type: 'browser.gone', browserId: held.browserId, cause: 'crashed', detail }
}

/**
 * A task that has ended, or does not know this session, loses its turn, so that others need not wait.
 */
async function giveTurn(
  { directory }: SessionEffectDeps,
  { task, turn }: TurnParams,
  { epoch }: EffectContext,
): Promise<Outcome | void> {
  try {
    await notifyWorker(directory, task, { type: 'session.turn', turn: { ...turn, epoch } })
  } catch (error) {
    if (isDone(error)) return { type: 'task.leave', task }
    throw error
  }
}

async function dismiss({ directory }: SessionEffectDeps, params: DismissParams): Promise<void> {
  const { sessionId, reason, message: why, tasks } = params
  const message = { type: 'session.ended', sessionId, reason, message: why } as const
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await notifyWorker(directory, task, message)
      } catch (error) {
        if (!isDone(error)) throw error
      }
    }),
  )
}

/** The entry has an id, so that an effect that runs again adds no second entry. */
async function auditEnd({ serviceAudit }: SessionEffectDeps, params: EndedParams): Promise<void> {
  const { sessionId, tenant, keyId, reason, seconds } = params
  const who = { tenant, key_id: keyId, session_id: sessionId }
  const entry = {
    action: 'session.ended',
    outcome: 'done',
    ...who,
    detail: { reason, seconds },
  } as const
  serviceAudit.add(entry, `ended ${sessionId}`)
}

type WorkerMessage = MessageTo<typeof taskActor, 'session.turn' | 'session.ended'>

/** Web tasks and jobs can work in a session. */
async function notifyWorker(
  directory: SessionEffectDeps['directory'],
  worker: string,
  message: WorkerMessage,
): Promise<void> {
  if (worker.startsWith('tsk_')) await directory.ask(taskActor, worker, message)
  else await directory.ask(jobActor, worker, message)
}

function isDone(error: unknown): boolean {
  return isGone(error) || (error instanceof ServiceError && error.type === 'conflict')
}
