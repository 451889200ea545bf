/**
 * Rate limits for callers of scoped access. Each gateway counts for itself, so with several
 * gateways a caller may make several times as many requests.
 */
import { LRUCache } from 'lru-cache'
import { defined } from '../../../proto/defined.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { assertWithin, rateHeaders, RateLimit, type Rate } from '../../routing/rates.ts'

const rate = (name: string, perMinute: number, burst?: number): Rate => ({
  ...{ name, perMinute, keysMax: accessLimits.ratesRemembered },
  ...defined({ burst }),
})

const keyOf = (...parts: readonly string[]): string => parts.join(' ').toLowerCase()
export const forAccount = 'for this account'

export class AccessRates {
  readonly #tokens: RateLimit
  readonly #clients: RateLimit
  readonly #failures: RateLimit
  readonly #mints: RateLimit
  readonly #waits: PasswordWaits

  constructor(clock: Clock) {
    const { tokenRequestsPerMinute, tokenRequestsBurst } = accessLimits
    this.#tokens = new RateLimit(rate('token', tokenRequestsPerMinute, tokenRequestsBurst), clock)
    this.#clients = new RateLimit(rate('client', accessLimits.clientRequestsPerMinute), clock)
    this.#failures = new RateLimit(rate('failed', accessLimits.failedTokensPerMinute), clock)
    this.#mints = new RateLimit(rate('mint', accessLimits.mintsPerMinute), clock)
    this.#waits = new PasswordWaits(clock)
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

  /**
   * Before a password is checked: wrong ones for one account from one address wait longer after
   * each. Throws `quota_exceeded`. It does not matter whether there is such an account.
   */
  password(email: string, address: string): void {
    this.#waits.assertOver(keyOf(email, address), 'for this account from your address')
  }

  passwordFailed(email: string, address: string): void {
    const { signInWaitMs, signInWaitMostMs, failedSignInsFree } = accessLimits
    this.#waits.failed(keyOf(email, address), (failures) => {
      const over = failures - failedSignInsFree
      return over < 0 ? 0 : Math.min(signInWaitMs * 2 ** over, signInWaitMostMs)
    })
    // As long as the lock of a person, so that nobody learns whether there is one.
    const { failedSignInsPerPerson, lockMs, lockMostMs } = accessLimits
    this.#waits.failed(keyOf(email), (failures) => {
      const locks = failures / failedSignInsPerPerson
      return Number.isInteger(locks) ? Math.min(lockMs * 2 ** (locks - 1), lockMostMs) : 0
    })
  }

  passwordPassed(email: string, address: string): void {
    this.#waits.forget(keyOf(email, address))
  }

  /** For an address that nobody has, told like a locked person. */
  noSuchPerson(email: string): void {
    this.#waits.assertOver(keyOf(email), forAccount)
  }

  /** Counts the creation of a token. Throws `quota_exceeded`. */
  mint(grantId: string): void {
    assertWithin([this.#mints.take(grantId)])
  }
}

interface Wait {
  readonly failures: number
  readonly untilMs: number
}

/** Grows with each further failure. Kept by this gateway alone. */
class PasswordWaits {
  readonly #clock: Clock
  readonly #waits = new LRUCache<string, Wait>({ max: accessLimits.ratesRemembered })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  assertOver(key: string, what: string): void {
    const leftMs = (this.#waits.get(key)?.untilMs ?? 0) - this.#clock.monotonic()
    if (leftMs > 0) throw tooManyPasswords(what, leftMs)
  }

  failed(key: string, waitMs: (failures: number) => number): void {
    const failures = (this.#waits.get(key)?.failures ?? 0) + 1
    this.#waits.set(key, { failures, untilMs: this.#clock.monotonic() + waitMs(failures) })
  }

  forget(key: string): void {
    this.#waits.delete(key)
  }
}

/** Says how the person themselves gets in. */
export function tooManyPasswords(what: string, leftMs: number): ServiceError {
  const seconds = Math.ceil(leftMs / 1000)
  const text =
    `Too many wrong passwords ${what}; try again in ${seconds} s. If it is yours: a passkey works ` +
    'now, and so does your password from a network where you have signed in before. Or ask an ' +
    'admin, or an owner of your client, for a reset.'
  return new ServiceError('quota_exceeded', text, { retry_after_seconds: seconds })
}
