/**
 * What a session does to the world: asks node agents for a browser, gives it
 * back, makes sure it is still there.
 */
import type { Command } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { BrowserLoad, HostRecord } from '../../proto/host.ts'
import { limits } from '../../proto/limits.ts'
import type { BrowserClaim } from '../../proto/node.ts'
import type { SessionOptions } from '../../proto/session.ts'
import type { EffectContext, EffectHandler } from '../../runtime/actor-kind.ts'
import type { Bus } from '../../runtime/bus.ts'
import type { Directory } from '../../runtime/directory.ts'
import type { Membership } from '../../runtime/membership.ts'
import { askNode } from '../../runtime/node-client.ts'
import type { DismissParams, TurnParams } from './tasks.ts'

export interface SessionEffectDeps {
  readonly bus: Bus
  readonly membership: Membership
  readonly directory: Pick<Directory, 'ask'>
  /** How long a session may stand in line for a browser. */
  readonly queueWaitMs: number
}

interface ClaimParams {
  readonly sessionId: string
  readonly options: SessionOptions
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

/**
 * One host after another is asked for a browser it has now, the one with most room first; when
 * none has one, the session stands in the shortest line.
 */
async function claim(deps: SessionEffectDeps, params: ClaimParams, context: EffectContext) {
  const hosts = byRoom(deps.membership.available('node-agent'))
  if (hosts.length === 0) {
    throw new ServiceError('unavailable', 'No browser host is up; start a node agent.')
  }
  for (const { nodeId } of hosts.length > 1 ? hosts : []) {
    const claimed = await tryClaim(deps, nodeId, params, context)
    if (claimed) return claimed
  }
  const shortest = hosts.reduce((a, b) => (load(b).queued < load(a).queued ? b : a))
  return claimFrom(deps, shortest.nodeId, params, context, deps.queueWaitMs)
}

/** Nothing when this host has no browser now or does not answer: another may. */
async function tryClaim(
  deps: SessionEffectDeps,
  nodeId: string,
  params: ClaimParams,
  context: EffectContext,
): Promise<Command | undefined> {
  try {
    return await claimFrom(deps, nodeId, params, context, 0)
  } catch (error) {
    const elsewhere = ['queue_full', 'queue_timeout', 'unavailable', 'draining']
    if (error instanceof ServiceError && elsewhere.includes(error.type)) return undefined
    throw error
  }
}

async function claimFrom(
  { bus }: SessionEffectDeps,
  nodeId: string,
  { sessionId, options }: ClaimParams,
  { epoch }: EffectContext,
  waitMs: number,
): Promise<Command> {
  const request = { sessionId, epoch, options, waitMs }
  const timeoutMs = waitMs + limits.browserBootMs + limits.navigateMs
  const claimed = await askNode(bus, nodeId, 'claim', request, timeoutMs)
  return { type: 'claimed', claim: claimed }
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

const nothing: BrowserLoad = {
  capacity: 0,
  warm: 0,
  booting: 0,
  claimed: 0,
  queued: 0,
  ready: false,
}
const load = (host: HostRecord): BrowserLoad => host.browsers ?? nothing

/** Hosts with a warm browser first, then by free places. */
function byRoom(hosts: readonly HostRecord[]): HostRecord[] {
  const room = (host: HostRecord) => {
    const { warm, capacity, claimed } = load(host)
    return (warm > 0 ? 1_000_000 : 0) + capacity - claimed
  }
  return [...hosts].sort((a, b) => room(b) - room(a))
}
