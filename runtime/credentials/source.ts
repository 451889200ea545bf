/** How a model is reached on somebody's account, as those who ask models see it. */
import type { ModelPrice } from '../../proto/credential.ts'

export interface ModelAccess {
  readonly provider: string
  /**
   * Fresh: one that runs out is renewed first. Empty where none is needed. Rejects with
   * {@link AccessFailure}.
   */
  token(): Promise<string>
  /** Where the provider's own address is not meant. */
  readonly baseUrl?: string
  /** Asked when a task names none. */
  readonly model?: string
  readonly price?: ModelPrice
  /** To be used where it is there: the address is a tenant's, and must not lead inside. */
  readonly fetch?: typeof globalThis.fetch
}

export interface AccessSource {
  /** A tenant's own credential first, then what the operator has configured for everybody. */
  find(tenant: string, provider: string): Promise<ModelAccess | undefined>
  /** The provider of a task that names none. */
  fallback(tenant: string): Promise<string | undefined>
}

/**
 * A token cannot be had: `auth` until somebody logs in again, `unavailable` for now. The message
 * is for the owner of the task, and never has a secret in it.
 */
export class AccessFailure extends Error {
  readonly kind: 'auth' | 'unavailable'

  constructor(kind: 'auth' | 'unavailable', message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'AccessFailure'
    this.kind = kind
  }
}
