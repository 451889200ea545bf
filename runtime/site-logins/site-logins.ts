/** The records of logins with sites in KV `siteLogins`, each change a compare-and-set on the whole record. */
import { decode } from '../../proto/codec.ts'
import { ServiceError } from '../../proto/errors.ts'
import {
  isForOrigin,
  type SiteLoginRecord,
  type SiteLoginSecrets,
} from '../../proto/session/site-login.ts'
import { sealedWith, type Sealer } from '../accounts/seal/seal.ts'
import type { Clock } from '../lib/clock.ts'
import { changeStored } from '../store/change-stored.ts'
import type { Bucket } from '../store/store.ts'
import { siteLoginLimits } from './limits.ts'

export interface SiteLoginsDeps {
  readonly bucket: Bucket
  readonly sealer: Pick<Sealer, 'open' | 'seal' | 'keyIds'>
  readonly clock: Pick<Clock, 'now'>
}

/** What a person gives. `totp` is an `otpauth://` URI. */
export interface SiteLoginGiven
  extends SiteLoginSecrets, Pick<SiteLoginRecord, 'origin' | 'subdomains' | 'description'> {}

/** What a change sets; null removes a value, and what is absent stays. */
export type SiteLoginChange = {
  readonly [Field in 'username' | 'password' | 'totp' | 'fields' | 'description']?:
    SiteLoginGiven[Field] | null | undefined
}

export class SiteLogins {
  readonly #deps: SiteLoginsDeps

  constructor(deps: SiteLoginsDeps) {
    this.#deps = deps
  }

  /** Throws `not_found`. */
  async get(tenant: string, name: string): Promise<SiteLoginRecord> {
    const entry = await this.#deps.bucket.get(keyOf(tenant, name))
    if (!entry) throw noSuchLogin(name)
    return readSiteLogin(entry.value)
  }

  /** Sorted by name. */
  async list(tenant: string): Promise<readonly SiteLoginRecord[]> {
    const records = new Map<string, SiteLoginRecord>()
    for await (const { key, value } of this.#deps.bucket.scan(`${tenant}.`)) {
      records.set(key, readSiteLogin(value))
    }
    return [...records.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Throws `conflict` if there is one of that name. */
  create(tenant: string, name: string, given: SiteLoginGiven): Promise<SiteLoginRecord> {
    return this.#change(tenant, name, async (record) => {
      if (record) throw nameTaken(name)
      const { loginsPerTenant: limit } = siteLoginLimits
      if ((await this.list(tenant)).length >= limit) {
        const text = `You have ${limit} logins, which is the most; delete some.`
        throw new ServiceError('quota_exceeded', text, { limit })
      }
      const { origin, subdomains, description, ...secrets } = given
      const nowMs = this.#deps.clock.now()
      return {
        ...{ tenant, name, origin },
        ...(subdomains && { subdomains }),
        ...(description !== undefined && { description }),
        ...this.#sealed(tenant, name, secrets),
        ...{ createdAtMs: nowMs, changedAtMs: nowMs },
      }
    })
  }

  /** Throws `not_found`, and `bad_request` if nothing would be left. */
  change(tenant: string, name: string, change: SiteLoginChange): Promise<SiteLoginRecord> {
    return this.#change(tenant, name, (record) => {
      if (!record) throw noSuchLogin(name)
      const { description, ...secrets } = change
      const merged = merge(this.open(record), secrets)
      if (Object.keys(merged).length === 0) throw emptyLogin()
      const described = merge(record, { description })
      // Codes of another secret are others.
      const { codeStep: _, ...withoutStep } = described
      return {
        ...(change.totp === undefined ? described : withoutStep),
        ...this.#sealed(tenant, name, merged),
        changedAtMs: this.#deps.clock.now(),
      }
    })
  }

  async remove(tenant: string, name: string): Promise<void> {
    await this.#change(tenant, name, (record) => {
      if (!record) throw noSuchLogin(name)
      return undefined
    })
  }

  /**
   * The login for a form on one of these origins: the named one, or the only one of these names, or of
   * all. Throws if there is none, if there are several, and if the named one is for another origin.
   */
  async choose(
    tenant: string,
    origins: readonly string[],
    names: readonly string[] | undefined,
  ): Promise<{ readonly record: SiteLoginRecord; readonly origin: string }> {
    const [only] = names?.length === 1 ? names : []
    if (only !== undefined) {
      const record = await this.get(tenant, only)
      const origin = origins.find((one) => isForOrigin(record, one))
      if (origin === undefined) throw otherOrigin(record, origins)
      return { record, origin }
    }
    const all = await this.list(tenant)
    const offered = names ? all.filter(({ name }) => names.includes(name)) : all
    for (const origin of origins) {
      const [record, ...others] = offered.filter((one) => isForOrigin(one, origin))
      if (!record) continue
      if (others.length > 0) throw severalLogins(origin, [record, ...others])
      return { record, origin }
    }
    throw noLoginFor(origins, offered)
  }

  /** Throws if this host does not have the key that it is sealed with. */
  open({ tenant, name, sealed }: SiteLoginRecord): SiteLoginSecrets {
    return JSON.parse(this.#deps.sealer.open(sealed, placeOf(tenant, name))) as SiteLoginSecrets
  }

  /** Notes a use. False if another one has had a code of that step or a later one. */
  async use(
    { tenant, name }: SiteLoginRecord,
    { sessionId, codeStep }: { readonly sessionId: string; readonly codeStep?: number },
  ): Promise<boolean> {
    let isFirst = true
    await this.#change(tenant, name, (record) => {
      if (!record) throw noSuchLogin(name)
      isFirst = codeStep === undefined || codeStep > (record.codeStep ?? -1)
      if (!isFirst) return record
      const used = { usedAtMs: this.#deps.clock.now(), usedBy: sessionId }
      return { ...record, ...used, ...(codeStep !== undefined && { codeStep }) }
    })
    return isFirst
  }

  /** Seals it with this host's first key; false if it is. */
  async reseal(tenant: string, name: string): Promise<boolean> {
    const [current] = this.#deps.sealer.keyIds()
    if (sealedWith((await this.get(tenant, name)).sealed) === current) return false
    await this.#change(tenant, name, (record) => {
      if (!record) throw noSuchLogin(name)
      return { ...record, ...this.#sealed(tenant, name, this.open(record)) }
    })
    return true
  }

  #sealed(tenant: string, name: string, secrets: SiteLoginSecrets) {
    const { username, password, totp, fields = {} } = secrets
    const parts = { username, password, code: totp }
    const given = Object.entries(parts).flatMap(([part, value]) => (value ? [part] : []))
    return {
      has: [...given, ...Object.keys(fields)],
      sealed: this.#deps.sealer.seal(JSON.stringify(secrets), placeOf(tenant, name)),
    }
  }

  #change<Next extends SiteLoginRecord | undefined>(
    tenant: string,
    name: string,
    change: (record: SiteLoginRecord | undefined) => Next | Promise<Next>,
  ): Promise<Next> {
    const { bucket } = this.#deps
    const { changeAttempts: attemptsMax } = siteLoginLimits
    return changeStored({ bucket, key: keyOf(tenant, name), attemptsMax }, change)
  }
}

const readSiteLogin = (bytes: Uint8Array): SiteLoginRecord => decode<SiteLoginRecord>(bytes)

/** The characters of a name are those of a key, but a dot divides keys. */
const keyOf = (tenant: string, name: string) => `${tenant}.${name.replaceAll('.', '/')}`

const placeOf = (tenant: string, name: string) => ['site-login', tenant, name]

/** Null removes a field, undefined leaves it. */
function merge<R extends object>(record: R, change: { readonly [field: string]: unknown }): R {
  const set = Object.entries(change).filter(([, value]) => value !== undefined)
  const merged = { ...record, ...Object.fromEntries(set) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as R
}

const namesOf = (records: readonly SiteLoginRecord[]) => records.map(({ name }) => name).join(', ')

function noSuchLogin(name: string): ServiceError {
  const text = `You have no login ${JSON.stringify(name)}; GET /v1/logins lists yours, POST creates one.`
  return new ServiceError('not_found', text)
}

function nameTaken(name: string): ServiceError {
  const text = `There is a login ${JSON.stringify(name)} already; choose another name, or change it.`
  return new ServiceError('conflict', text)
}

function emptyLogin(): ServiceError {
  const text = 'A login needs a username, a password, a totp secret or fields.'
  return new ServiceError('bad_request', text, { field: 'username' })
}

function otherOrigin({ name, origin }: SiteLoginRecord, origins: readonly string[]): ServiceError {
  const text = `The login ${name} is for ${origin}, and the form is on ${origins.join(', ')}.`
  return new ServiceError('origin_not_allowed', text, { origin: origins[0]! })
}

function severalLogins(origin: string, records: readonly SiteLoginRecord[]): ServiceError {
  const text = `There are several logins for ${origin}: name one of ${namesOf(records)}.`
  return new ServiceError('conflict', text, { logins: records.map(({ name }) => name) })
}

function noLoginFor(origins: readonly string[], records: readonly SiteLoginRecord[]): ServiceError {
  const others = records.slice(0, 10).map(({ name, origin }) => `${name} (${origin})`)
  const known =
    others.length === 0 ? '' : ` There are logins for other sites: ${others.join(', ')}.`
  const text = `There is no login for ${origins.join(', ')}; POST /v1/logins creates one.${known}`
  return new ServiceError('not_found', text)
}
