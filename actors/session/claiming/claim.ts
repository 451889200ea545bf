/** Claims a browser for a session: selects the host, and if none has a free browser, a host's queue. */
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { BrowserLoad, HostRecord } from '../../../proto/host.ts'
import { limits } from '../../../proto/limits.ts'
import type { SessionOptions } from '../../../proto/session/session.ts'
import type { EffectContext } from '../../../runtime/actor/actor-kind.ts'
import type { Sealer } from '../../../runtime/accounts/seal/seal.ts'
import { settleWithin } from '../../../runtime/lib/clock.ts'
import { isGoneHost, type Membership } from '../../../runtime/cluster/membership.ts'
import { askNode } from '../../../runtime/browser-host/node-client.ts'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import type { ExtensionSource } from '../../../proto/session/extension.ts'
import type { ProfileOutcome, ProfileSource } from '../../../proto/session/profile.ts'
import { extensionSources, type ExtensionMeans } from './extensions.ts'
import { openProfile, type ProfileDeps } from './profile.ts'
import { openOptions } from './option-secrets.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

export interface ClaimDeps extends ProfileDeps {
  readonly membership: Membership
  readonly extensions: ExtensionMeans
  /** Of proxies' passwords. */
  readonly sealer: Pick<Sealer, 'open' | 'seal'>
  /** How long a session may wait in a host's queue. */
  readonly queueWaitMs: number
}

export interface ClaimParams {
  readonly sessionId: string
  readonly options: SessionOptions
  /** Absent in effects that an older host has recorded. */
  readonly tenant?: string
}

interface Claimed {
  readonly type: 'claimed'
  readonly claim: BrowserClaim
  readonly profile?: ProfileOutcome
}

interface ClaimOrder extends ClaimParams {
  readonly profile?: ProfileSource
  readonly extensions?: readonly ExtensionSource[]
}

/**
 * Asks the hosts one after another for a free browser, the one with the most room first; if none
 * has one, the session waits in the shortest queue.
 */
export async function claimBrowser(
  deps: ClaimDeps,
  params: ClaimParams,
  context: EffectContext,
): Promise<Claimed> {
  const { sessionId, tenant = '', options } = params
  const { extensions: ids } = options
  const extensions = ids && (await extensionSources(deps.extensions, tenant, ids))
  const opened = await openProfile(deps, { sessionId, tenant }, options, context.signal)
  const order = { ...params, ...defined({ extensions, profile: opened?.source }) }
  if (!opened) return claimAnywhere(deps, order, context)
  return { ...(await claimAnywhere(deps, order, context)), profile: opened.outcome }
}

async function claimAnywhere(
  deps: ClaimDeps,
  params: ClaimOrder,
  context: EffectContext,
): Promise<Claimed> {
  const hosts = () => byFreeCapacity(hostsFor(deps.membership, params.options))
  const asked = hosts()
  for (const host of asked.length > 1 ? asked : []) {
    const claimed = await tryClaim(deps, host, params, context)
    if (claimed) return claimed
  }
  // Read again, because a host may have died meanwhile.
  const shortest = shortestQueue(hosts())
  if (!shortest) throw new ServiceError('unavailable', noHostText(deps.membership))
  try {
    return await claimFrom(deps, shortest, params, context, deps.queueWaitMs)
  } catch (error) {
    // The retry of this effect will ask the host that replaces it.
    if (error instanceof HostGone) await waitForHost(deps)
    throw error
  }
}

/** Throws `unsupported_option` if none of them can record the session. */
function hostsFor(membership: Membership, { recording }: SessionOptions): readonly HostRecord[] {
  const all = membership.available('node-agent')
  if (!recording || all.length === 0) return all
  const able = all.filter(({ recordingLack }) => recordingLack === '')
  if (able.length > 0) return able
  const lacks = all.map(({ nodeId, recordingLack: why }) => `${nodeId}: ${why ?? 'older version'}`)
  const text =
    `No browser host can record sessions (${lacks.join('; ')}). On a browser host, run: ` +
    'npm run setup -- recording; then start it again. Or leave session.recording out.'
  throw new ServiceError('unsupported_option', text, { field: 'session.recording' })
}

/**
 * Undefined if this host is gone, has no free browser or does not answer: another host may have
 * one.
 */
async function tryClaim(
  deps: ClaimDeps,
  host: HostRecord,
  params: ClaimOrder,
  context: EffectContext,
): Promise<Claimed | undefined> {
  try {
    return await claimFrom(deps, host, params, context, 0)
  } catch (error) {
    if (error instanceof ServiceError && error.retry !== 'never') return undefined
    throw error
  }
}

/** The queue of a host that dies is lost and never answered, so its death ends the wait. */
async function claimFrom(
  { bus, membership, sealer }: ClaimDeps,
  { nodeId, incarnation }: HostRecord,
  { sessionId, options: stored, tenant, profile, extensions }: ClaimOrder,
  { epoch, signal }: EffectContext,
  waitMs: number,
): Promise<Claimed> {
  const options = openOptions(sealer, sessionId, stored)
  const request = { sessionId, epoch, options, waitMs, ...defined({ tenant, profile, extensions }) }
  const timeoutMs = waitMs + limits.browserBootMs + commandLimits.navigateMs
  // It may have been lost while another host was asked.
  const known = membership.get(incarnation)
  if (known && isGoneHost(known)) throw new HostGone(nodeId)
  const over = new AbortController()
  const waits = AbortSignal.any([over.signal, signal])
  const asked = askNode(bus, nodeId, 'claim', request, timeoutMs, { signal: waits })
  try {
    const claimed = await membership.unlessGone(asked, (gone) => {
      return gone.incarnation === incarnation ? new HostGone(nodeId) : undefined
    })
    return { type: 'claimed', claim: claimed }
  } finally {
    // Otherwise the host that replaces it would be asked for a browser that is not needed.
    over.abort()
  }
}

/** Why no host takes a session, and what to do. */
function noHostText(membership: Membership): string {
  const draining = membership
    .hosts()
    .filter(({ role, state }) => role === 'node-agent' && state === 'draining')
  if (draining.length === 0) return 'No browser host is running; start a node agent.'
  const names = draining.map(({ nodeId }) => nodeId).join(', ')
  return (
    `All browser hosts are draining (${names}): they take no new sessions. Start another node agent, ` +
    'or run: npm run troupe -- hosts undrain NAME'
  )
}

class HostGone extends ServiceError {
  constructor(nodeId: string) {
    super('unavailable', `The browser host ${nodeId} was lost; try again.`)
  }
}

/** Waits as long as a session may wait in a queue. */
async function waitForHost({ membership, clock, queueWaitMs }: ClaimDeps): Promise<void> {
  const isUp = () => membership.available('node-agent').length > 0
  if (isUp()) return
  let unwatch = () => {}
  const hostAvailable = new Promise<void>((resolve) => {
    unwatch = membership.onChange(() => isUp() && resolve())
  })
  await settleWithin(clock, queueWaitMs, hostAvailable)
  unwatch()
}

const noLoad: BrowserLoad = {
  capacity: 0,
  warm: 0,
  booting: 0,
  claimed: 0,
  queued: 0,
  ready: false,
}
const loadOf = (host: HostRecord): BrowserLoad => host.browsers ?? noLoad

function shortestQueue(hosts: readonly HostRecord[]): HostRecord | undefined {
  return hosts.toSorted((a, b) => loadOf(a).queued - loadOf(b).queued)[0]
}

/** Hosts with a warm browser first, then by free capacity. */
function byFreeCapacity(hosts: readonly HostRecord[]): HostRecord[] {
  const room = (host: HostRecord) => {
    const { warm, capacity, claimed } = loadOf(host)
    return (warm > 0 ? 1_000_000 : 0) + capacity - claimed
  }
  return [...hosts].sort((a, b) => room(b) - room(a))
}
