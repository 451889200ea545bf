/**
 * Rate limits: a token bucket for each key (a token, a client, an address), in this process only.
 * Headers follow draft-ietf-httpapi-ratelimit-headers-10.
 */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../proto/errors.ts'
import type { Clock } from '../../runtime/lib/clock.ts'

export interface Rate {
  /** The name in headers and errors, for example `token`. */
  readonly name: string
  readonly perMinute: number
  /** The size of a full bucket; by default `perMinute`. */
  readonly burst?: number
  /**
   * Beyond this number of keys, the buckets that were unused longest are forgotten, that is,
   * refilled.
   */
  readonly keysMax: number
}

export interface RateState {
  readonly rate: Rate
  /** Remaining requests at this moment. */
  readonly left: number
  /**
   * Seconds until one more request is allowed or, if one is allowed now, until the bucket is full.
   */
  readonly resetSeconds: number
  readonly isAllowed: boolean
}

/** `tokens` as of `atMs` on the monotonic clock; the refill since then is computed on reading. */
interface Level {
  readonly tokens: number
  readonly atMs: number
}

const minuteMs = 60_000

export class RateLimit {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #levels: LRUCache<string, Level>

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
    this.#levels = new LRUCache({ max: rate.keysMax })
  }

  /**
   * Takes a token if there is one. Refused requests cost nothing, or a retrying caller would stay
   * out.
   */
  take(key: string): RateState {
    const before = this.#tokens(key)
    const isAllowed = before >= 1
    const tokens = isAllowed ? before - 1 : before
    this.#levels.set(key, { tokens, atMs: this.#clock.monotonic() })
    return this.#state(tokens, isAllowed)
  }

  /** Takes no token and stores nothing: for actions that are counted only when they fail. */
  look(key: string): RateState {
    const tokens = this.#tokens(key)
    return this.#state(tokens, tokens >= 1)
  }

  #tokens(key: string): number {
    const level = this.#levels.get(key)
    if (level === undefined) return this.#most
    const refilled = ((this.#clock.monotonic() - level.atMs) * this.#rate.perMinute) / minuteMs
    return Math.min(this.#most, level.tokens + refilled)
  }

  #state(tokens: number, isAllowed: boolean): RateState {
    const missing = tokens < 1 ? 1 - tokens : this.#most - tokens
    const resetSeconds = Math.ceil((missing * 60) / this.#rate.perMinute)
    return { rate: this.#rate, left: Math.floor(tokens), resetSeconds, isAllowed }
  }

  get #most(): number {
    return this.#rate.burst ?? this.#rate.perMinute
  }
}

/** `RateLimit-Policy` lists all limits, `RateLimit` the one closest to being exhausted. */
export function rateHeaders(states: readonly RateState[]): Record<string, string> {
  const [first, ...others] = states
  if (first === undefined) return {}
  const nearest = others.reduce((least, state) => (state.left < least.left ? state : least), first)
  return {
    'ratelimit-policy': states
      .map(({ rate }) => `"${rate.name}";q=${rate.perMinute};w=60`)
      .join(', '),
    ratelimit: `"${nearest.rate.name}";r=${nearest.left};t=${nearest.resetSeconds}`,
  }
}

/** Throws `quota_exceeded` if one of them does not allow the request. */
export function assertWithin(states: readonly RateState[]): void {
  const refused = states.filter(({ isAllowed }) => !isAllowed)
  if (refused.length === 0) return
  const seconds = Math.max(1, ...refused.map(({ resetSeconds }) => resetSeconds))
  const headers = rateHeaders(states)
  throw new ServiceError('quota_exceeded', `Too many requests; try again in ${seconds} s.`, {
    retry_after_seconds: seconds,
    violated_policies: refused.map(({ rate }) => rate.name),
    ratelimit_policy: headers['ratelimit-policy']!,
    ratelimit: headers['ratelimit']!,
  })
}
