/**
 * Limits how often an address may try wrong keys. Each gateway counts for itself. A right key is
 * always accepted, since many clients may share an address with one that guesses.
 */
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { clientAddressOf } from '../client-address.ts'
import { RateLimit } from '../rates.ts'
import type { HttpRequest } from '../../server/http.ts'
import { routingLimits } from '../limits.ts'

export class WrongKeys {
  readonly #limit: RateLimit
  readonly #isBehindProxy: boolean

  constructor(clock: Clock, { PUBLIC_URL }: { readonly PUBLIC_URL: string }) {
    const perMinute = routingLimits.wrongKeysPerMinute
    const keysMax = routingLimits.wrongKeyAddresses
    this.#limit = new RateLimit({ name: 'wrong-keys', perMinute, keysMax }, clock)
    this.#isBehindProxy = PUBLIC_URL !== ''
  }

  /** Counts one wrong key. Throws `rate_limited` for an address that exceeds the limit. */
  count(request: Pick<HttpRequest, 'remoteAddress' | 'headers'>): void {
    const { isAllowed, resetSeconds } = this.#limit.take(
      clientAddressOf(request, this.#isBehindProxy),
    )
    if (isAllowed) return
    const message = `Too many wrong keys from this address; try again in ${resetSeconds} s.`
    throw new ServiceError('rate_limited', message, { retry_after_seconds: resetSeconds })
  }
}
