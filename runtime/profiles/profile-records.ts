/**
 * The records of profiles in KV `profiles`. Each change is a compare-and-set on the whole record, so
 * that a profile has one writer at a time: the session that holds it. A session that was ended
 * meanwhile, for instance while its host was cut off, no longer holds it and can save nothing.
 */
import { decode } from '../../proto/codec.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { BlobPlace } from '../../proto/session/blob.ts'
import {
  profileKey,
  type ProfileHolder,
  type ProfileRecord,
  type ProfileVersion,
} from '../../proto/session/profile.ts'
import { noKey, sealedWith, type Sealer } from '../accounts/seal/seal.ts'
import type { Clock } from '../lib/clock.ts'
import { changeStored } from '../store/change-stored.ts'
import type { Bucket } from '../store/store.ts'
import { profileLimits } from './limits.ts'

export interface ProfileRecordsDeps {
  readonly bucket: Bucket
  readonly sealer: Pick<Sealer, 'open' | 'seal' | 'keyIds'>
  readonly clock: Clock
}

/** What a save adds to a record. */
export interface NewVersion extends Pick<
  ProfileVersion,
  'blob' | 'bytes' | 'sessionId' | 'chromium' | 'ranOn' | 'logins'
> {
  readonly key: Uint8Array
}

/** The error of a session that wants to save a profile that another session has. */
export class ProfileHeld extends ServiceError {
  readonly holder: ProfileHolder

  constructor(name: string, holder: ProfileHolder) {
    const { sessionId } = holder
    const text =
      `Session ${sessionId} uses the profile ${JSON.stringify(name)} and will save it. End that session, ` +
      'or create this one without persist.'
    super('conflict', text, { session_id: sessionId })
    this.holder = holder
  }
}

export class ProfileRecords {
  readonly #deps: ProfileRecordsDeps

  constructor(deps: ProfileRecordsDeps) {
    this.#deps = deps
  }

  async find(tenant: string, name: string): Promise<ProfileRecord | undefined> {
    const entry = await this.#deps.bucket.get(profileKey(tenant, name))
    return entry && readProfile(entry.value)
  }

  /** Throws `not_found`. */
  async get(tenant: string, name: string): Promise<ProfileRecord> {
    const record = await this.find(tenant, name)
    if (!record) throw noSuchProfile(name)
    return record
  }

  /** Sorted by name. */
  async list(tenant: string): Promise<readonly ProfileRecord[]> {
    const records = new Map<string, ProfileRecord>()
    for await (const { key, value } of this.#deps.bucket.scan(`${tenant}.`)) {
      records.set(key, readProfile(value))
    }
    return [...records.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Throws `conflict` if there is one of that name. */
  async create(tenant: string, name: string, description?: string): Promise<ProfileRecord> {
    return this.#change(tenant, name, async (record) => {
      if (record) throw nameTaken(name)
      return this.#newRecord(tenant, name, description)
    })
  }

  /** Throws {@link ProfileHeld} while a session will save it. */
  async remove(tenant: string, name: string): Promise<void> {
    await this.#change(tenant, name, (record) => {
      if (!record) throw noSuchProfile(name)
      if (record.holder) throw new ProfileHeld(name, record.holder)
      return undefined
    })
  }

  /**
   * From now on the session is the one that may save it, until {@link free}; a new name begins empty.
   * Throws {@link ProfileHeld}. May be repeated.
   */
  async hold(tenant: string, name: string, sessionId: string): Promise<ProfileRecord> {
    // Otherwise its end could not save it.
    if (this.#deps.sealer.keyIds().length === 0) throw noKey()
    return this.#change(tenant, name, async (record) => {
      const known = record ?? (await this.#newRecord(tenant, name))
      const { holder } = known
      if (holder && holder.sessionId !== sessionId) throw new ProfileHeld(name, holder)
      const nowMs = this.#deps.clock.now()
      return { ...known, usedAtMs: nowMs, holder: holder ?? { sessionId, sinceMs: nowMs } }
    })
  }

  /** Notes that a session begins with it, without saving it. Throws `not_found`. */
  use(tenant: string, name: string): Promise<ProfileRecord> {
    return this.#change(tenant, name, (record) => {
      if (!record) throw noSuchProfile(name)
      return { ...record, usedAtMs: this.#deps.clock.now() }
    })
  }

  /** Has no effect if the session does not hold it. */
  async free(tenant: string, name: string, sessionId: string): Promise<void> {
    await this.#change(tenant, name, (record) => {
      if (record?.holder?.sessionId !== sessionId) return record
      const { holder: _, ...free } = record
      return free
    })
  }

  /** Removes it, if the session holds it and it was never saved. */
  async discard(tenant: string, name: string, sessionId: string): Promise<void> {
    await this.#change(tenant, name, (record) => {
      const isOurs = record?.holder?.sessionId === sessionId && record.versions.length === 0
      return isOurs ? undefined : record
    })
  }

  /** Adds what the session has saved. Throws `conflict` if it does not hold the profile. */
  async save(tenant: string, name: string, given: NewVersion): Promise<ProfileVersion> {
    const { key, ...added } = given
    const sealedKey = this.#seal(key, tenant, name, given.blob)
    const record = await this.#change(tenant, name, (record) => {
      if (record?.holder?.sessionId !== given.sessionId) {
        const text = 'The session no longer holds the profile, so it was not saved.'
        throw new ServiceError('conflict', text)
      }
      return withVersion(record, {
        ...added,
        sealedKey,
        savedAtMs: this.#deps.clock.now(),
      })
    })
    return record.versions.at(-1)!
  }

  /** Makes an earlier version the newest one. Throws {@link ProfileHeld} and `not_found`. */
  restore(tenant: string, name: string, version: number): Promise<ProfileRecord> {
    return this.#change(tenant, name, (record) => {
      if (!record) throw noSuchProfile(name)
      if (record.holder) throw new ProfileHeld(name, record.holder)
      const earlier = record.versions.find((one) => one.version === version)
      if (!earlier) {
        const kept = record.versions.map((one) => one.version).join(', ') || 'none'
        const text = `The profile has no version ${version}; it has: ${kept}.`
        throw new ServiceError('not_found', text)
      }
      const restoredFrom = earlier.restoredFrom ?? version
      return withVersion(record, { ...earlier, savedAtMs: this.#deps.clock.now(), restoredFrom })
    })
  }

  /** Makes a new profile of the newest version of another. Throws `conflict` and `not_found`. */
  async copy(tenant: string, name: string, to: string): Promise<ProfileRecord> {
    const original = await this.get(tenant, name)
    const newest = newestOf(original)
    const key = newest && this.openKey(original, newest)
    return this.#change(tenant, to, async (record) => {
      if (record) throw nameTaken(to)
      const made = await this.#newRecord(tenant, to, original.description)
      if (!newest || !key) return made
      const { restoredFrom: _, ...version } = newest
      return withVersion(made, { ...version, sealedKey: this.#seal(key, tenant, to, newest.blob) })
    })
  }

  /** Throws `not_found`. */
  describe(tenant: string, name: string, description: string): Promise<ProfileRecord> {
    return this.#change(tenant, name, (record) => {
      if (!record) throw noSuchProfile(name)
      return { ...record, description }
    })
  }

  /**
   * Gives it another name, with all its versions. Throws `conflict` if that is taken, {@link ProfileHeld}
   * and `not_found`. If this process dies in between, there are both, with the same versions.
   */
  async rename(tenant: string, name: string, to: string): Promise<ProfileRecord> {
    const record = await this.get(tenant, name)
    if (record.holder) throw new ProfileHeld(name, record.holder)
    const versions = record.versions.map((version) => ({
      ...version,
      sealedKey: this.#seal(this.openKey(record, version), tenant, to, version.blob),
    }))
    const renamed = await this.#change(tenant, to, (other) => {
      if (other) throw nameTaken(to)
      return { ...record, name: to, versions }
    })
    try {
      await this.#change(tenant, name, (now) => {
        if (now && JSON.stringify(now) === JSON.stringify(record)) return undefined
        if (now?.holder) throw new ProfileHeld(name, now.holder)
        throw new ServiceError('conflict', 'The profile was changed at the same time; try again.')
      })
    } catch (error) {
      await this.#change(tenant, to, () => undefined)
      throw error
    }
    return renamed
  }

  /** The key of a version's blob. Throws if this host does not have the key that it is sealed with. */
  openKey({ tenant, name }: ProfileRecord, { blob, sealedKey }: ProfileVersion): Uint8Array {
    return Buffer.from(
      this.#deps.sealer.open(sealedKey, placeOf(tenant, name, blob.id)),
      'base64url',
    )
  }

  /** Seals its keys with this host's first key; false if they are. */
  async reseal(tenant: string, name: string): Promise<boolean> {
    const { sealer } = this.#deps
    const [current] = sealer.keyIds()
    const isCurrent = ({ sealedKey }: ProfileVersion) => sealedWith(sealedKey) === current
    if ((await this.get(tenant, name)).versions.every(isCurrent)) return false
    await this.#change(tenant, name, (record) => {
      if (!record) throw noSuchProfile(name)
      const versions = record.versions.map((version) => {
        const place = placeOf(tenant, name, version.blob.id)
        return { ...version, sealedKey: sealer.seal(sealer.open(version.sealedKey, place), place) }
      })
      return { ...record, versions }
    })
    return true
  }

  async #newRecord(tenant: string, name: string, description?: string): Promise<ProfileRecord> {
    const { profilesPerTenant: limit } = profileLimits
    if ((await this.list(tenant)).length >= limit) {
      const text = `You have ${limit} profiles, which is the most; delete some.`
      throw new ServiceError('quota_exceeded', text, { limit })
    }
    const createdAtMs = this.#deps.clock.now()
    return {
      ...{ name, tenant, createdAtMs, versions: [], lastVersion: 0 },
      ...(description !== undefined && { description }),
    }
  }

  #seal(key: Uint8Array, tenant: string, name: string, { id }: BlobPlace): string {
    return this.#deps.sealer.seal(Buffer.from(key).toString('base64url'), placeOf(tenant, name, id))
  }

  /** `change` returns the next record, the same one to leave it, or undefined to remove it. */
  #change<Next extends ProfileRecord | undefined>(
    tenant: string,
    name: string,
    change: (record: ProfileRecord | undefined) => Next | Promise<Next>,
  ): Promise<Next> {
    const place = {
      bucket: this.#deps.bucket,
      key: profileKey(tenant, name),
      attemptsMax: profileLimits.changeAttempts,
    }
    return changeStored(place, change)
  }
}

export const readProfile = (bytes: Uint8Array): ProfileRecord => decode<ProfileRecord>(bytes)

/** Of all its versions; a copied version has the bytes of its original. */
export function bytesOf({ versions }: ProfileRecord): number {
  const bytes = new Map(versions.map((version) => [version.blob.id, version.bytes]))
  return [...bytes.values()].reduce((sum, each) => sum + each, 0)
}

export const newestOf = ({ versions }: ProfileRecord): ProfileVersion | undefined => versions.at(-1)

function withVersion(record: ProfileRecord, added: Omit<ProfileVersion, 'version'>): ProfileRecord {
  const version = record.lastVersion + 1
  const versions = [...record.versions, { ...added, version }].slice(-profileLimits.versionsKept)
  return { ...record, versions, lastVersion: version }
}

const placeOf = (tenant: string, name: string, blob: string) => ['profile', tenant, name, blob]

function nameTaken(name: string): ServiceError {
  const text = `There is a profile ${JSON.stringify(name)} already; choose another name.`
  return new ServiceError('conflict', text)
}

function noSuchProfile(name: string): ServiceError {
  const text =
    `You have no profile ${JSON.stringify(name)}; GET /v1/profiles lists yours, and a session with ` +
    'persist creates one.'
  return new ServiceError('not_found', text)
}
