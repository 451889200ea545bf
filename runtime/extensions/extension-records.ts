/** The records of extensions in KV `extensions`, by tenant and id. The files of one never change. */
import { decode } from '../../proto/codec.ts'
import { ServiceError } from '../../proto/errors.ts'
import { newId } from '../../proto/ids.ts'
import type { ExtensionRecord } from '../../proto/session/extension.ts'
import { noKey, sealedWith, type Sealer } from '../accounts/seal/seal.ts'
import type { Clock } from '../lib/clock.ts'
import { changeStored } from '../store/change-stored.ts'
import type { Bucket } from '../store/store.ts'
import { extensionLimits } from './limits.ts'

export interface ExtensionRecordsDeps {
  readonly bucket: Bucket
  readonly sealer: Pick<Sealer, 'open' | 'seal' | 'keyIds'>
  readonly clock: Pick<Clock, 'now'>
}

export interface NewExtension extends Omit<ExtensionRecord, 'id' | 'sealedKey' | 'createdAtMs'> {
  /** The blob's. */
  readonly key: Uint8Array
}

export class ExtensionRecords {
  readonly #deps: ExtensionRecordsDeps

  constructor(deps: ExtensionRecordsDeps) {
    this.#deps = deps
  }

  /** Throws `not_found`. */
  async get(tenant: string, id: string): Promise<ExtensionRecord> {
    const entry = keyPart.test(id) ? await this.#deps.bucket.get(keyOf(tenant, id)) : undefined
    if (!entry) throw noSuchExtension(id)
    return decodeExtension(entry.value)
  }

  /** The oldest first. */
  async list(tenant: string): Promise<readonly ExtensionRecord[]> {
    const records = new Map<string, ExtensionRecord>()
    for await (const { key, value } of this.#deps.bucket.scan(`${tenant}.`)) {
      records.set(key, decodeExtension(value))
    }
    return [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /**
   * Throws if the tenant may not upload another one, or if this host could not seal its key. Returns those
   * that the tenant has.
   */
  async assertRoom(tenant: string): Promise<readonly ExtensionRecord[]> {
    if (this.#deps.sealer.keyIds().length === 0) throw noKey()
    const { extensionsPerTenant: limit } = extensionLimits
    const kept = await this.list(tenant)
    if (kept.length < limit) return kept
    const text = `You have ${limit} extensions, which is the most; delete some.`
    throw new ServiceError('quota_exceeded', text, { limit })
  }

  async create({ key, ...given }: NewExtension): Promise<ExtensionRecord> {
    const { clock, sealer } = this.#deps
    const createdAtMs = clock.now()
    const id = newId('ext', createdAtMs)
    const text = Buffer.from(key).toString('base64url')
    const sealedKey = sealer.seal(text, placeOf(given.tenant, id))
    const record = { ...given, id, sealedKey, createdAtMs }
    await this.#change(given.tenant, id, () => record)
    return record
  }

  /** Throws `not_found`. Browsers that have it keep it. */
  async remove(tenant: string, id: string): Promise<void> {
    await this.get(tenant, id)
    await this.#change(tenant, id, () => undefined)
  }

  /** Throws if this host does not have the key that it is sealed with. */
  openKey({ tenant, id, sealedKey }: ExtensionRecord): Uint8Array {
    return Buffer.from(this.#deps.sealer.open(sealedKey, placeOf(tenant, id)), 'base64url')
  }

  /** Seals its key with this host's first key; false if it is. */
  async reseal(tenant: string, id: string): Promise<boolean> {
    const { sealer } = this.#deps
    const [current] = sealer.keyIds()
    if (sealedWith((await this.get(tenant, id)).sealedKey) === current) return false
    const place = placeOf(tenant, id)
    await this.#change(tenant, id, (record) => {
      if (!record) throw noSuchExtension(id)
      return { ...record, sealedKey: sealer.seal(sealer.open(record.sealedKey, place), place) }
    })
    return true
  }

  #change<Next extends ExtensionRecord | undefined>(
    tenant: string,
    id: string,
    change: (record: ExtensionRecord | undefined) => Next,
  ): Promise<Next> {
    const { bucket } = this.#deps
    const { changeAttempts: attemptsMax } = extensionLimits
    return changeStored({ bucket, key: keyOf(tenant, id), attemptsMax }, change)
  }
}

export const decodeExtension = (bytes: Uint8Array): ExtensionRecord =>
  decode<ExtensionRecord>(bytes)

const keyPart = /^[a-z0-9_]+$/
const keyOf = (tenant: string, id: string) => `${tenant}.${id}`
const placeOf = (tenant: string, id: string) => ['extension', tenant, id]

function noSuchExtension(id: string): ServiceError {
  const text =
    `You have no extension ${JSON.stringify(id)}; GET /v1/extensions lists yours, and ` +
    'POST /v1/extensions uploads one.'
  return new ServiceError('not_found', text)
}
