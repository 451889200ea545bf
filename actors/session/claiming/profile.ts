/**
 * The profile of a session: held before its browser is claimed, saved when the session ends, then
 * freed. Each step may be repeated.
 */
import { defined } from '../../../proto/defined.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { SealedBlob } from '../../../proto/session/blob.ts'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import type {
  ProfileHolder,
  ProfileOutcome,
  ProfileRecord,
  ProfileSource,
  ProfileVersion,
} from '../../../proto/session/profile.ts'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { isFinal, type SessionOptions } from '../../../proto/session/session.ts'
import type { EffectContext } from '../../../runtime/actor/actor-kind.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import type { BlobFolder } from '../../../runtime/blobs/blob-folder.ts'
import { newBlobKey } from '../../../runtime/blobs/sealed-stream.ts'
import { assertShare } from '../../../runtime/blobs/tenant-share.ts'
import type { BlobTickets } from '../../../runtime/blobs/tickets.ts'
import { askNode } from '../../../runtime/browser-host/node-client.ts'
import { settleWithin, type Clock } from '../../../runtime/lib/clock.ts'
import {
  bytesOf,
  newestOf,
  ProfileHeld,
  type ProfileRecords,
} from '../../../runtime/profiles/profile-records.ts'
import type { Bus } from '../../../runtime/store/bus.ts'
import type { WatchedMap } from '../../../runtime/store/watched-map.ts'
import { sessionActorLimits } from './limits.ts'

/** What an actor host has for profiles. */
export interface ProfileMeans {
  readonly records: ProfileRecords
  readonly changes: Pick<WatchedMap<ProfileRecord>, 'entries' | 'onChange'>
  readonly folder: Pick<BlobFolder, 'newPlace'>
  readonly tickets: Pick<BlobTickets, 'issue'>
  /** Of one profile. */
  readonly bytesMax: number
  /** Of all profiles of one tenant, with their versions. */
  readonly tenantBytesMax: number
}

export interface ProfileDeps {
  readonly bus: Bus
  readonly clock: Clock
  readonly directory: Pick<Directory, 'ask'>
  readonly profiles: ProfileMeans
}

/** Whose profile, and for which session. */
export interface ProfileParams {
  readonly sessionId: string
  readonly tenant: string
  readonly name: string
  /** {@link ProfileVersion.logins} */
  readonly logins?: readonly string[]
}

export interface OpenedProfile {
  /** For the agent that gets the claim; absent for a new profile. */
  readonly source?: ProfileSource
  readonly outcome: ProfileOutcome
}

/** Throws `not_found`, or `conflict` if another session will save it. */
export async function openProfile(
  deps: ProfileDeps,
  { sessionId, tenant }: Pick<ProfileParams, 'sessionId' | 'tenant'>,
  { profile }: SessionOptions,
  signal: AbortSignal,
): Promise<OpenedProfile | undefined> {
  if (!profile) return undefined
  const { records, tickets } = deps.profiles
  const { name, persist, waitSeconds = 0 } = profile
  const record = persist
    ? await hold(deps, { sessionId, tenant, name }, { waitSeconds, signal })
    : await records.use(tenant, name)
  const newest = newestOf(record)
  if (!newest) return { outcome: {} }
  const { blob, chromium, version, logins } = newest
  const ticket = tickets.issue(blob, 'read')
  const source = { ...blob, ticket, key: records.openKey(record, newest), chromium }
  return { source, outcome: { version, ...defined({ logins }) } }
}

/** Waits for a session that is ending, or may be about to, and takes the profile over from one that has ended. */
async function hold(
  deps: ProfileDeps,
  { sessionId, tenant, name }: ProfileParams,
  { waitSeconds, signal }: { readonly waitSeconds: number; readonly signal: AbortSignal },
): Promise<ProfileRecord> {
  assertRoom(deps.profiles, tenant)
  const { clock, profiles } = deps
  const begunMs = clock.monotonic()
  const { profileClosingMs, profileWaitMs, profileLookMs } = sessionActorLimits
  for (;;) {
    let changed = () => {}
    const change = new Promise<void>((resolve) => (changed = resolve))
    const unwatch = profiles.changes.onChange(() => changed())
    signal.addEventListener('abort', changed, { once: true })
    try {
      return await profiles.records.hold(tenant, name, sessionId)
    } catch (error) {
      if (!(error instanceof ProfileHeld) || signal.aborted) throw error
      const { sessionId: holder } = error.holder
      const state = await stateOf(deps, error.holder)
      const leastMs = state === 'running' ? profileClosingMs : profileWaitMs
      const waitMs = Math.max(leastMs, 1_000 * waitSeconds)
      if (state === 'over') await profiles.records.free(tenant, name, holder)
      else if (clock.monotonic() - begunMs >= waitMs) throw error
      else await settleWithin(clock, profileLookMs, change)
    } finally {
      unwatch()
      signal.removeEventListener('abort', changed)
    }
  }
}

/** Throws `storage_full` for a tenant whose profiles have its share of the room. */
function assertRoom({ changes, tenantBytesMax }: ProfileMeans, tenant: string): void {
  let bytes = 0
  for (const [, record] of changes.entries()) {
    if (record.tenant === tenant) bytes += bytesOf(record)
  }
  assertShare('profiles', bytes, tenantBytesMax)
}

type HolderState = 'running' | 'ending' | 'over'

/** A session that was never recorded, or is not kept any more, is over. */
async function stateOf(
  { directory, clock }: ProfileDeps,
  { sessionId, sinceMs }: ProfileHolder,
): Promise<HolderState> {
  try {
    const { view } = await directory.ask(sessionActor, sessionId, { type: 'get' })
    if (isFinal(view.status)) return 'over'
    return view.status === 'ending' ? 'ending' : 'running'
  } catch (error) {
    if (!isNotFound(error)) throw error
    return clock.now() - sinceMs < sessionActorLimits.profileUnknownMs ? 'ending' : 'over'
  }
}

/** Never throws: the session ends in any case, and says what became of its profile. */
export async function saveProfile(
  deps: ProfileDeps,
  params: ProfileParams,
  { nodeId }: BrowserClaim,
  context: Pick<EffectContext, 'epoch' | 'signal'>,
): Promise<ProfileOutcome> {
  const { sessionId, tenant, name } = params
  try {
    // The host that had this session before may have saved it.
    const newest = newestOf(await deps.profiles.records.get(tenant, name))
    if (newest?.sessionId === sessionId && !newest.ranOn) return { saved: newest.version }
    const { version } = await saveVersion(deps, { ...params, nodeId, ...context })
    return { saved: version }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { problem: error.message }
  }
}

interface Saving extends ProfileParams, Pick<EffectContext, 'epoch'> {
  readonly nodeId: string
  readonly signal?: AbortSignal
  readonly runsOn?: true
}

/** The session must hold the profile. */
export async function saveVersion(
  { bus, profiles }: Pick<ProfileDeps, 'bus' | 'profiles'>,
  { sessionId, tenant, name, logins, nodeId, epoch, signal, runsOn }: Saving,
): Promise<ProfileVersion> {
  const { records, folder, tickets, bytesMax } = profiles
  const place = folder.newPlace()
  const key = newBlobKey()
  const blob: SealedBlob = { ...place, ticket: tickets.issue(place, 'write'), key }
  const request = { sessionId, epoch, blob, bytesMax, ...defined({ runsOn }) }
  const { profileSaveMs } = sessionActorLimits
  const saved = await askNode(bus, nodeId, 'save_profile', request, profileSaveMs, { signal })
  const more = defined({ ranOn: runsOn, logins })
  return records.save(tenant, name, { ...saved, ...more, blob: place, key, sessionId })
}

export async function freeProfile(
  { profiles }: ProfileDeps,
  { sessionId, tenant, name }: ProfileParams,
): Promise<void> {
  await profiles.records.free(tenant, name, sessionId)
}
