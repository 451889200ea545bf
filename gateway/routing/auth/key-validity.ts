/**
 * Whether a key is still valid, and for which scopes, for everything opened with it: open sockets,
 * the key in a `cdp_url`, links to live views. The development key has its own rule (`dev-key.ts`),
 * applied when it is used.
 */
import {
  devKeyId,
  devScopes,
  isKeyOver,
  noKeyId,
  keyScopesOf,
  type KeyRecord,
} from '../../../proto/accounts/key.ts'
import type { KeyScope } from '../../../proto/accounts/key-scopes.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'

/** The known keys by id; fed by a watch on KV `keys`. */
export interface KeySource {
  get(keyId: string): KeyRecord | undefined
  entries(): Iterable<readonly [string, KeyRecord]>
  /**
   * Called for every key that is created, changed or deleted; returns a function that unsubscribes.
   */
  onChange(listener: (keyId: string, record: KeyRecord | undefined) => void): () => void
}

export class KeyValidity {
  readonly #keys: KeySource
  readonly #clock: Clock
  readonly #secret: ServiceSecret

  constructor(keys: KeySource, clock: Clock, secret: ServiceSecret) {
    this.#keys = keys
    this.#clock = clock
    this.#secret = secret
  }

  /** True for a key that was revoked, has expired or is unknown. */
  isOver(keyId: string): boolean {
    if (keyId === devKeyId || keyId === noKeyId) return false
    const record = this.#keys.get(keyId)
    return record === undefined || isKeyOver(record, this.#clock.now())
  }

  /** Also true for a pass signed with a secret that the service no longer uses. */
  isPassOver({ keyId, secretId }: Pick<SocketPass, 'keyId' | 'secretId'>): boolean {
    return this.isOver(keyId) || (secretId !== undefined && secretId !== this.#secret.id)
  }

  /** The scopes of the key, which also limit the links and tokens that were created with it. */
  scopesOf(keyId: string): readonly KeyScope[] {
    if (keyId === devKeyId) return devScopes
    const record = this.#keys.get(keyId)
    return record ? keyScopesOf(record) : []
  }

  /**
   * Called at once when a key is revoked or deleted, on any gateway, or when the service secret
   * changes; returns a function that unsubscribes.
   */
  onRevoked(listener: () => void): () => void {
    const stops = [
      this.#secret.onChange(listener),
      this.#keys.onChange((keyId) => {
        if (this.isOver(keyId)) listener()
      }),
    ]
    return () => stops.forEach((stop) => stop())
  }
}

/** The credentials that a socket was opened with; when they end, the socket is closed. */
export interface SocketPass {
  /** The key, or the key that the token was made with. */
  readonly keyId: string
  /** Only for tokens: wall-clock ms. */
  readonly expiresAtMs?: number
  /** Only for tokens: the session's generation then; raising it ends all older tokens. */
  readonly generation?: number
  /** Only for credentials that the service signed: the id of the secret they were signed with. */
  readonly secretId?: string
}
