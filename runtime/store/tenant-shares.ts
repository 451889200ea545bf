/**
 * How much of each stream's room one tenant may use: all of it while it is alone, otherwise a share.
 * Everything that counts a tenant's bytes asks here for the limit.
 */
import type { Config } from '../config/config.ts'
import { streamRoomBytes } from './nats/stream-plan.ts'

export interface TenantSharesDeps {
  readonly config: Pick<Config, 'STORE_MAX_MIB' | 'TENANT_SHARE_PERCENT'>
  readonly hasOthers: (tenant: string) => boolean
}

export class TenantShares {
  readonly #deps: TenantSharesDeps

  constructor(deps: TenantSharesDeps) {
    this.#deps = deps
  }

  percentOf(tenant: string): number {
    return this.#deps.hasOthers(tenant) ? this.#deps.config.TENANT_SHARE_PERCENT : 100
  }

  bytesOf(tenant: string, stream: string): number {
    const roomBytes = streamRoomBytes(stream, this.#deps.config.STORE_MAX_MIB)
    return Math.floor((roomBytes * this.percentOf(tenant)) / 100)
  }
}
