/** How a model is reached on somebody's account, as those who ask models see it. */
import type { ModelPrice } from '../../proto/credential.ts'

export interface ModelAccess {
  readonly provider: string
  /** Fresh: one that runs out is renewed first. Empty where none is needed. */
  token(): Promise<string>
  /** Where the provider's own address is not meant. */
  readonly baseUrl?: string
  /** Asked when a task names none. */
  readonly model?: string
  readonly price?: ModelPrice
}

export interface AccessSource {
  /** A tenant's own credential first, then what the operator has configured for everybody. */
  find(tenant: string, provider: string): Promise<ModelAccess | undefined>
  /** The provider of a task that names none. */
  fallback(tenant: string): Promise<string | undefined>
}
