/** The tenants of keys that are valid now: the tenants that the service is shared among. */
import type { KeySource, KeyValidity } from './key-validity.ts'

export interface KeyTenantsDeps {
  readonly keys: Pick<KeySource, 'entries'>
  readonly keyValidity: Pick<KeyValidity, 'isOver'>
}

export class KeyTenants {
  readonly #deps: KeyTenantsDeps

  constructor(deps: KeyTenantsDeps) {
    this.#deps = deps
  }

  /** True if another tenant than this one has a valid key. */
  hasOthers(tenant: string): boolean {
    for (const key of this.validKeys()) if (key.tenant !== tenant) return true
    return false
  }

  /** Skips the service's own secret, which is in the same bucket and has no tenant. */
  *validKeys(): Iterable<{ readonly tenant: string }> {
    const { keys, keyValidity } = this.#deps
    for (const [id, record] of keys.entries()) {
      if (isOfTenant(record) && !keyValidity.isOver(id)) yield record
    }
  }
}

const isOfTenant = ({ tenant }: { readonly tenant?: string }) => tenant !== undefined
