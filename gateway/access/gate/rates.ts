/**
 * Rate limits for callers of scoped access. Each gateway counts for itself, so with several
 * gateways a caller may make several times as many requests.
 */
import { defined } from '../../../proto/defined.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { assertWithin, rateHeaders, RateLimit, type Rate } from '../../routing/rates.ts'

const rate = (name: string, perMinute: number, burst?: number): Rate => ({
  ...{ name, perMinute, keysMax: accessLimits.ratesRemembered },
  ...defined({ burst }),
})

export class AccessRates {
  readonly #tokens: RateLimit
  readonly #clients: RateLimit
  readonly #failures: RateLimit
  readonly #mints: RateLimit

  constructor(clock: Clock) {
    const { tokenRequestsPerMinute, tokenRequestsBurst } = accessLimits
    this.#tokens = new RateLimit(rate('token', tokenRequestsPerMinute, tokenRequestsBurst), clock)
    this.#clients = new RateLimit(rate('client', accessLimits.clientRequestsPerMinute), clock)
    this.#failures = new RateLimit(rate('failed', accessLimits.failedTokensPerMinute), clock)
    this.#mints = new RateLimit(rate('mint', accessLimits.mintsPerMinute), clock)
  }

  /** Counts a request and returns the headers for its answer. Throws `quota_exceeded`. */
  request(tokenId: string, clientId: string): Record<string, string> {
    // Checks both limits first, so that a request refused by one is not counted by the other.
    assertWithin([this.#tokens.look(tokenId), this.#clients.look(clientId)])
    return rateHeaders([this.#tokens.take(tokenId), this.#clients.take(clientId)])
  }

  /**
   * Called before a credential is checked. Throws `quota_exceeded` after too many failures from the
   * address.
   */
  address(address: string): void {
    assertWithin([this.#failures.look(address)])
  }

  failed(address: string): void {
    this.#failures.take(address)
  }

  /** Counts the creation of a token. Throws `quota_exceeded`. */
  mint(grantId: string): void {
    assertWithin([this.#mints.take(grantId)])
  }
}
