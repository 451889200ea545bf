/**
 * How much callers of Surface A may ask of this gateway. Each gateway counts for itself: with
 * several of them, a caller may have as many times as much.
 */
import { accessLimits } from '../../proto/access/limits.ts'
import type { Clock } from '../../runtime/clock.ts'
import { assertWithin, rateHeaders, RateLimit, type Rate } from '../routing/rates.ts'

const rate = (name: string, perMinute: number, burst?: number): Rate => ({
  ...{ name, perMinute, keysMax: accessLimits.ratesRemembered },
  ...(burst !== undefined && { burst }),
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

  /** Counts one request, and gives the headers of its answer. Throws `quota_exceeded`. */
  request(tokenId: string, clientId: string): Record<string, string> {
    // A request that one limit refuses is not counted by the other.
    assertWithin([this.#tokens.look(tokenId), this.#clients.look(clientId)])
    return rateHeaders([this.#tokens.take(tokenId), this.#clients.take(clientId)])
  }

  /** Before a token is looked at. Throws `quota_exceeded` for an address that guesses. */
  address(address: string): void {
    assertWithin([this.#failures.look(address)])
  }

  failed(address: string): void {
    this.#failures.take(address)
  }

  /** Counts one token that is made. Throws `quota_exceeded`. */
  mint(grantId: string): void {
    assertWithin([this.#mints.take(grantId)])
  }
}
