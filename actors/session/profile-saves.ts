/**
 * Saves the profiles of sessions that run on, at the request of gateways: the session's machine does
 * not take part, because nothing of the session changes.
 */
import type { Logger } from 'pino'
import { loginsOf, type ProfileSave, type ProfileVersion } from '../../proto/session/profile.ts'
import { sessionActor } from '../../proto/session/session-protocol.ts'
import { placeQueue, subjects } from '../../proto/subjects.ts'
import type { Directory } from '../../runtime/actor/directory.ts'
import type { Bus, BusService } from '../../runtime/store/bus.ts'
import { replying } from '../../runtime/store/reply.ts'
import { saveVersion, type ProfileMeans } from './claiming/profile.ts'

export interface ProfileSavesOptions {
  readonly bus: Bus
  readonly profiles: ProfileMeans
  readonly directory: Pick<Directory, 'ask'>
  readonly log: Logger
}

export function serveProfileSaves({
  bus,
  profiles,
  directory,
  log,
}: ProfileSavesOptions): BusService {
  const answer = replying(
    (order) => save({ bus, profiles, directory }, order as ProfileSave),
    (error) => log.error({ err: error }, 'the profile of a running session was not saved'),
  )
  return bus.serve(subjects.profileSaves, answer, { queue: placeQueue })
}

/** A session that does not hold the profile anyway holds it for the save. */
async function save(
  deps: Pick<ProfileSavesOptions, 'bus' | 'profiles' | 'directory'>,
  { isNew, ...order }: ProfileSave,
): Promise<Pick<ProfileVersion, 'version'>> {
  const { records } = deps.profiles
  const { tenant, name, sessionId } = order
  const { view } = await deps.directory.ask(sessionActor, sessionId, { type: 'get' })
  const logins = loginsOf(view.profile ?? {})
  if (isNew) await records.create(tenant, name, isNew.description)
  const before = await records.find(tenant, name)
  const isHeld = before?.holder?.sessionId === sessionId
  if (!isHeld) await records.hold(tenant, name, sessionId)
  try {
    const { version } = await saveVersion(deps, { ...order, logins, runsOn: true })
    return { version }
  } catch (error) {
    if (isNew) await records.discard(tenant, name, sessionId)
    throw error
  } finally {
    if (!isHeld) await records.free(tenant, name, sessionId)
  }
}
