/**
 * Whether a key is still good, and for what, for everything that was opened with it: sockets that stand, the key in
 * a `cdp_url`, links to live views. The development key is held against its own rule where it comes in.
 */
import { devKeyId, devScopes, isKeyOver, noKeyId, scopesOf, type KeyRecord } from '../proto/key.ts'
import type { KeyScope } from '../proto/key-scopes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { ServiceSecret } from '../runtime/service-secret.ts'
import type { Pass } from './server/standing-sockets.ts'

/** What there is to know of a key by its id; fed by a watch on KV `keys`. */
export interface KeySource {
  get(keyId: string): KeyRecord | undefined
  entries(): Iterable<readonly [string, KeyRecord]>
  /** Tells of every key that is made, changed or deleted; returns how to stop it. */
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

  /** True for a key that was revoked, has expired, or is not known at all. */
  isOver(keyId: string): boolean {
    if (keyId === devKeyId || keyId === noKeyId) return false
    const record = this.#keys.get(keyId)
    return record === undefined || isKeyOver(record, this.#clock.now())
  }

  /** Also of what was signed with a secret that the service has no more. */
  isPassOver({ keyId, secretId }: Pick<Pass, 'keyId' | 'secretId'>): boolean {
    return this.isOver(keyId) || (secretId !== undefined && secretId !== this.#secret.id)
  }

  /** What may be done with what was made with it. */
  scopesOf(keyId: string): readonly KeyScope[] {
    if (keyId === devKeyId) return devScopes
    const record = this.#keys.get(keyId)
    return record ? scopesOf(record) : []
  }

  /** Told at once of keys that are revoked or deleted, on any gateway, and of another secret. */
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
