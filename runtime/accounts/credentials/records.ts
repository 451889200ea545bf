/** Accounts in KV `credentials`, one record per tenant and provider, with sealed secrets. */
import { decode, encode } from '../../../proto/codec.ts'
import {
  apiProviders,
  credentialKey,
  credentialOf,
  everyTenant,
  type AccountOptions,
  type ApiProvider,
  type CredentialRecord,
  type KeyCredential,
  type OAuthCredential,
  type OAuthTokens,
  type CredentialOwner,
  type SetBy,
} from '../../../proto/accounts/credential.ts'
import type { Clock } from '../../lib/clock.ts'
import { sealedWith, type Sealer } from '../seal/seal.ts'
import { CoalescedReads } from '../../lib/coalesced-reads.ts'
import { entriesOf } from '../../store/entries-of.ts'
import type { Bucket, BucketEntry } from '../../store/store.ts'
import type { AccountOrder } from './order.ts'
import { accountLimits } from '../limits.ts'

/** A record with its revision, which a change must name. */
export interface StoredCredential<R extends CredentialRecord = CredentialRecord> {
  readonly record: R
  readonly revision: number
}

/** The response of an authorization server. */
export interface TokenGrant {
  readonly tokens: OAuthTokens
  /** Undefined if the server does not say. */
  readonly lifeMs: number | undefined
}

export class CredentialRecords {
  readonly #bucket: Bucket
  /** Joins simultaneous reads of the same few accounts. */
  readonly #reads: CoalescedReads<BucketEntry | undefined>
  readonly #sealer: Sealer
  readonly #clock: Clock

  constructor(bucket: Bucket, sealer: Sealer, clock: Clock) {
    this.#bucket = bucket
    this.#reads = new CoalescedReads((key) => bucket.get(key))
    this.#sealer = sealer
    this.#clock = clock
  }

  async get(owner: CredentialOwner, provider: ApiProvider): Promise<StoredCredential | undefined> {
    const entry = await this.#reads.get(credentialKey(owner, provider))
    return entry && { record: decode(entry.value), revision: entry.revision }
  }

  /** Sorted like the list of providers. */
  async of(owner: CredentialOwner): Promise<readonly CredentialRecord[]> {
    const kept = await Promise.all(apiProviders.map((provider) => this.get(owner, provider)))
    return kept.flatMap((each) => (each ? [each.record] : []))
  }

  async all(): Promise<
    readonly { readonly owner: CredentialOwner; readonly record: CredentialRecord }[]
  > {
    const entries = await entriesOf(this.#bucket)
    return entries.flatMap(({ key, value }) => {
      const named = credentialOf(key)
      return named ? [{ owner: named.owner, record: decode<CredentialRecord>(value) }] : []
    })
  }

  /** Replaces any existing account. */
  async setKey(owner: CredentialOwner, order: AccountOrder, by: SetBy): Promise<KeyCredential> {
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
    owner: CredentialOwner,
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

  /** The fields of a record that change with its tokens. */
  sealedGrant(owner: CredentialOwner, provider: ApiProvider, { tokens, lifeMs }: TokenGrant) {
    const life = lifeMs ?? accountLimits.oauthTokenMs
    const expiresAtMs = this.#clock.now() + life
    return {
      sealedTokens: this.#seal(JSON.stringify(tokens), owner, provider),
      hint: hintOf(tokens.access),
      expiresAtMs,
      renewAtMs: expiresAtMs - Math.min(accountLimits.oauthRenewBeforeMs, life / 4),
    }
  }

  /** Throws `StoreConflict` if the record has changed meanwhile; returns the new revision. */
  update(owner: CredentialOwner, record: CredentialRecord, revision: number): Promise<number> {
    const key = credentialKey(owner, record.provider)
    return this.#bucket.update(key, encode(record), revision)
  }

  /** False if there was no account. */
  async remove(owner: CredentialOwner, provider: ApiProvider): Promise<boolean> {
    if (!(await this.get(owner, provider))) return false
    await this.#bucket.delete(credentialKey(owner, provider))
    return true
  }

  /**
   * The record resealed with this host's first key; undefined if it is already, or has no secret.
   * Throws if this host does not have the key that it is sealed with.
   */
  resealed(owner: CredentialOwner, record: CredentialRecord): CredentialRecord | undefined {
    const sealed = sealedIn(record)
    const [current] = this.#sealer.keyIds()
    if (sealed === undefined || sealedWith(sealed) === current) return undefined
    const place = placeOf(owner, record.provider)
    const again = this.#sealer.seal(this.#sealer.open(sealed, place), place)
    return record.kind === 'oauth'
      ? { ...record, sealedTokens: again }
      : { ...record, sealedKey: again }
  }

  /** Empty if the provider needs no key. */
  openKey(owner: CredentialOwner, { provider, sealedKey }: KeyCredential): string {
    return sealedKey === undefined ? '' : this.#sealer.open(sealedKey, placeOf(owner, provider))
  }

  openTokens(owner: CredentialOwner, { provider, sealedTokens }: OAuthCredential): OAuthTokens {
    return JSON.parse(this.#sealer.open(sealedTokens, placeOf(owner, provider))) as OAuthTokens
  }

  async #put(owner: CredentialOwner, record: CredentialRecord): Promise<void> {
    await this.#bucket.put(credentialKey(owner, record.provider), encode(record))
  }

  #seal(text: string, owner: CredentialOwner, provider: ApiProvider): string {
    return this.#sealer.seal(text, placeOf(owner, provider))
  }
}

function sealedIn(record: CredentialRecord): string | undefined {
  return record.kind === 'oauth' ? record.sealedTokens : record.sealedKey
}

function placeOf(owner: CredentialOwner, provider: ApiProvider): readonly string[] {
  return ['credential', owner === everyTenant ? '=' : owner, provider]
}

/** Empty for a short secret, of which four characters would reveal too much. */
function hintOf(secret: string): string {
  return secret.length < 16 ? '' : secret.slice(-4)
}
