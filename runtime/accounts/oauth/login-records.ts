/** Logins in KV `logins`, by id; their secrets are sealed. */
import { decode, encode } from '../../../proto/codec.ts'
import type { LoginRecord } from '../../../proto/accounts/credential.ts'
import { isId } from '../../../proto/ids.ts'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'
import type { Sealer } from '../seal/seal.ts'
import { StoreConflict, type Bucket } from '../../store/store.ts'

export interface LoginSecrets {
  /** Returned with the answer: the login's id, a dot and 256 random bits. */
  readonly state: string
  /** The PKCE verifier. */
  readonly verifier: string
  readonly deviceCode?: string
}

/** A record with its revision, which a change must name. */
export interface StoredLogin {
  readonly record: LoginRecord
  readonly revision: number
}

export class LoginRecords {
  readonly #bucket: Bucket
  readonly #sealer: Sealer

  constructor(bucket: Bucket, sealer: Sealer) {
    this.#bucket = bucket
    this.#sealer = sealer
  }

  async create(given: Omit<LoginRecord, 'sealed'>, secrets: LoginSecrets): Promise<LoginRecord> {
    const sealed = this.#sealer.seal(JSON.stringify(secrets), placeOf(given.id))
    const record = { ...given, sealed }
    await this.#bucket.create(given.id, encode(record))
    return record
  }

  async get(id: string): Promise<StoredLogin | undefined> {
    const entry = isId('lgn', id) ? await this.#bucket.get(id) : undefined
    return entry && { record: decode(entry.value), revision: entry.revision }
  }

  async byState(state: string): Promise<StoredLogin | undefined> {
    const [id = ''] = state.split('.')
    const kept = await this.get(id)
    return kept && equalInConstantTime(this.secrets(kept.record).state, state) ? kept : undefined
  }

  /** Undefined if the record has changed meanwhile. */
  async change(
    { record, revision }: StoredLogin,
    change: Partial<LoginRecord>,
  ): Promise<StoredLogin | undefined> {
    const changed = { ...record, ...change }
    try {
      const next = await this.#bucket.update(record.id, encode(changed), revision)
      return { record: changed, revision: next }
    } catch (error) {
      if (error instanceof StoreConflict) return undefined
      throw error
    }
  }

  secrets({ id, sealed }: LoginRecord): LoginSecrets {
    return JSON.parse(this.#sealer.open(sealed, placeOf(id))) as LoginSecrets
  }
}

const placeOf = (id: string) => ['login', id]
