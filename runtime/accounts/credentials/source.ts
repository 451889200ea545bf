/** The interface through which models are accessed with an account. */
import type { ModelPrice } from '../../../proto/accounts/credential.ts'

export interface ModelAccess {
  readonly provider: string
  /**
   * A valid token, renewed first if necessary. Empty if none is needed. Rejects with {@link
   * AccessFailure}.
   */
  token(): Promise<string>
  /** Replaces the provider's own address. */
  readonly baseUrl?: string
  /** Used if a task names no model. */
  readonly model?: string
  readonly price?: ModelPrice
  /**
   * If present, it must be used: the address was set by a tenant and must not lead into private
   * networks.
   */
  readonly fetch?: typeof globalThis.fetch
}

export interface AccessSource {
  /** The tenant's own credential, else the operator's for everybody. */
  find(tenant: string, provider: string): Promise<ModelAccess | undefined>
  /** The provider for a task that names none. */
  fallback(tenant: string): Promise<string | undefined>
}

/**
 * No token is available: `auth` until a person logs in again, `unavailable` temporarily. The
 * message is for the task's owner and never contains a secret.
 */
export class AccessFailure extends Error {
  readonly kind: 'auth' | 'unavailable'

  constructor(kind: 'auth' | 'unavailable', message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'AccessFailure'
    this.kind = kind
  }
}
