/**
 * What a session does to the world: asks node agents for a browser, gives it
 * back, makes sure it is still there.
 */
import type { Command } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { BrowserClaim } from '../../proto/node.ts'
import type { EffectContext, EffectHandler } from '../../runtime/actor-kind.ts'
import type { Directory } from '../../runtime/directory.ts'
import { askNode } from '../../runtime/node-client.ts'
import { claim, type ClaimDeps, type ClaimParams } from './claim.ts'
import type { DismissParams, TurnParams } from './tasks.ts'

export interface SessionEffectDeps extends ClaimDeps {
  readonly directory: Pick<Directory, 'ask'>
}

interface HeldParams {
  readonly sessionId: string
  readonly claim: BrowserClaim | null
}

export function sessionEffects(deps: SessionEffectDeps): Record<string, EffectHandler> {
  return {
    claim: (params: ClaimParams, context) => claim(deps, params, context),
    release: (params: HeldParams, context) => release(deps, params, context),
    verify: (params: HeldParams, context) => verify(deps, params, context),
    give_turn: (params: TurnParams, context) => giveTurn(deps, params, context),
    dismiss: (params: DismissParams) => dismiss(deps, params),
  }
}

/** Without a claim nobody knows which host has the session in line, so all are told. */
async function release(
  { bus, membership }: SessionEffectDeps,
  { sessionId, claim: held }: HeldParams,
  { epoch }: EffectContext,
): Promise<Command> {
  const nodeIds = held
    ? [held.nodeId]
    : membership.available('node-agent').map(({ nodeId }) => nodeId)
  const request = { sessionId, epoch }
  await Promise.all(
    nodeIds.map((nodeId) => askNode(bus, nodeId, 'release', request, limits.nodeCallMs)),
  )
  return { type: 'released' }
}

/** After a recovery: what happened to the browser while nobody listened? */
async function verify(
  { bus }: SessionEffectDeps,
  { sessionId, claim: held }: HeldParams,
  { epoch }: EffectContext,
): Promise<Command | void> {
  if (!held) return
  const request = { sessionId, epoch }
  const { browserId } = await askNode(bus, held.nodeId, 'holds', request, limits.nodeCallMs)
  if (browserId === held.browserId) return
  const detail = 'The browser was gone when its session was taken over.'
  return { type: 'browser.gone', browserId: held.browserId, cause: 'crashed', detail }
}

/** A task that is over, or does not know of this session, is no reason to keep others waiting. */
async function giveTurn(
  { directory }: SessionEffectDeps,
  { task, turn }: TurnParams,
  { epoch }: EffectContext,
): Promise<Command | void> {
  try {
    await directory.ask('task', task, { type: 'session.turn', turn: { ...turn, epoch } })
  } catch (error) {
    if (isNotInterested(error)) return { type: 'task.leave', task }
    throw error
  }
}

async function dismiss({ directory }: SessionEffectDeps, params: DismissParams): Promise<void> {
  const { sessionId, reason, message, tasks } = params
  const word = { type: 'session.ended', sessionId, reason, message }
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await directory.ask('task', task, word)
      } catch (error) {
        if (!isNotInterested(error)) throw error
      }
    }),
  )
}

function isNotInterested(error: unknown): boolean {
  return error instanceof ServiceError && ['not_found', 'conflict'].includes(error.type)
}
