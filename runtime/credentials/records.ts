/** Accounts in KV `credentials`, one record for a tenant and a provider; their secrets sealed. */
import { decode, encode } from '../../proto/codec.ts'
import {
  apiProviders,
  credentialKey,
  credentialOf,
  everybody,
  type AccountOptions,
  type ApiProvider,
  type CredentialRecord,
  type KeyCredential,
  type OAuthCredential,
  type OAuthTokens,
  type Owner,
  type SetBy,
} from '../../proto/credential.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../clock.ts'
import { sealedWith, type Sealer } from '../seal/seal.ts'
import { JoinedReads } from '../joined-reads.ts'
import type { Bucket, BucketEntry } from '../store.ts'
import type { AccountOrder } from './order.ts'

/** A record and the revision that a change of it has to follow. */
export interface Kept<R extends CredentialRecord = CredentialRecord> {
  readonly record: R
  readonly revision: number
}

/** What an authorization server gave out. */
export interface TokenGrant {
  readonly tokens: OAuthTokens
  /** Undefined where it does not say. */
  readonly lifeMs: number | undefined
}

export class CredentialRecords {
  readonly #bucket: Bucket
  /** A crowd of orders asks for the same few accounts. */
  readonly #reads: JoinedReads<BucketEntry | undefined>
  readonly #sealer: Sealer
  readonly #clock: Clock

  constructor(bucket: Bucket, sealer: Sealer, clock: Clock) {
    this.#bucket = bucket
    this.#reads = new JoinedReads((key) => bucket.get(key))
    this.#sealer = sealer
    this.#clock = clock
  }

  async get(owner: Owner, provider: ApiProvider): Promise<Kept | undefined> {
    const entry = await this.#reads.get(credentialKey(owner, provider))
    return entry && { record: decode(entry.value), revision: entry.revision }
  }

  /** In the order of the providers. */
  async of(owner: Owner): Promise<readonly CredentialRecord[]> {
    const kept = await Promise.all(apiProviders.map((provider) => this.get(owner, provider)))
    return kept.flatMap((each) => (each ? [each.record] : []))
  }

  async all(): Promise<readonly { readonly owner: Owner; readonly record: CredentialRecord }[]> {
    const entries = await this.#bucket.entries()
    return entries.flatMap(({ key, value }) => {
      const named = credentialOf(key)
      return named ? [{ owner: named.owner, record: decode<CredentialRecord>(value) }] : []
    })
  }

  /** In place of whatever was there. */
  async setKey(owner: Owner, order: AccountOrder, by: SetBy): Promise<KeyCredential> {
    const { apiKey, provider, ...options } = order
    const record: KeyCredential = {
      ...options,
      kind: 'api_key',
      provider,
      by,
      hint: apiKey === undefined ? '' : hintOf(apiKey),
      setAtMs: this.#clock.now(),
      ...(apiKey !== undefined && { sealedKey: this.#seal(apiKey, owner, provider) }),
    }
    await this.#put(owner, record)
    return record
  }

  async setTokens(
    owner: Owner,
    provider: ApiProvider,
    given: { login: string; by: SetBy; options: AccountOptions; grant: TokenGrant },
  ): Promise<OAuthCredential> {
    const { login, by, options, grant } = given
    const record: OAuthCredential = {
      ...options,
      kind: 'oauth',
      provider,
      by,
      setAtMs: this.#clock.now(),
      login,
      round: 0,
      ...this.sealedGrant(owner, provider, grant),
    }
    await this.#put(owner, record)
    return record
  }

  /** The fields of a record that change when its tokens do. */
  sealedGrant(owner: Owner, provider: ApiProvider, { tokens, lifeMs }: TokenGrant) {
    const life = lifeMs ?? limits.oauthTokenMs
    const expiresAtMs = this.#clock.now() + life
    return {
      sealedTokens: this.#seal(JSON.stringify(tokens), owner, provider),
      hint: hintOf(tokens.access),
      expiresAtMs,
      renewAtMs: expiresAtMs - Math.min(limits.oauthRenewBeforeMs, life / 4),
    }
  }

  /** Throws `Conflict` when somebody else has changed it; returns the new revision. */
  update(owner: Owner, record: CredentialRecord, revision: number): Promise<number> {
    const key = credentialKey(owner, record.provider)
    return this.#bucket.update(key, encode(record), revision)
  }

  /** False when there was none. */
  async remove(owner: Owner, provider: ApiProvider): Promise<boolean> {
    if (!(await this.get(owner, provider))) return false
    await this.#bucket.delete(credentialKey(owner, provider))
    return true
  }

  /**
   * The same under the key that this host seals with; undefined when it is already, or has no
   * secret. Throws when this host has not the key that it is under.
   */
  resealed(owner: Owner, record: CredentialRecord): CredentialRecord | undefined {
    const sealed = sealedIn(record)
    const [current] = this.#sealer.keyIds()
    if (sealed === undefined || sealedWith(sealed) === current) return undefined
    const place = placeOf(owner, record.provider)
    const again = this.#sealer.seal(this.#sealer.open(sealed, place), place)
    return record.kind === 'oauth'
      ? { ...record, sealedTokens: again }
      : { ...record, sealedKey: again }
  }

  /** Empty where the provider asks for none. */
  openKey(owner: Owner, { provider, sealedKey }: KeyCredential): string {
    return sealedKey === undefined ? '' : this.#sealer.open(sealedKey, placeOf(owner, provider))
  }

  openTokens(owner: Owner, { provider, sealedTokens }: OAuthCredential): OAuthTokens {
    return JSON.parse(this.#sealer.open(sealedTokens, placeOf(owner, provider))) as OAuthTokens
  }

  async #put(owner: Owner, record: CredentialRecord): Promise<void> {
    await this.#bucket.put(credentialKey(owner, record.provider), encode(record))
  }

  #seal(text: string, owner: Owner, provider: ApiProvider): string {
    return this.#sealer.seal(text, placeOf(owner, provider))
  }
}

function sealedIn(record: CredentialRecord): string | undefined {
  return record.kind === 'oauth' ? record.sealedTokens : record.sealedKey
}

function placeOf(owner: Owner, provider: ApiProvider): readonly string[] {
  return ['credential', owner === everybody ? '=' : owner, provider]
}

/** Nothing of a short one, of which four characters would be much. */
function hintOf(secret: string): string {
  return secret.length < 16 ? '' : secret.slice(-4)
}
