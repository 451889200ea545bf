/**
 * How often something may be done: a token bucket for each key (a token, a client, an address), in
 * this process alone. Headers as in draft-ietf-httpapi-ratelimit-headers-10.
 */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../proto/errors.ts'
import type { Clock } from '../../runtime/clock.ts'

export interface Rate {
  /** In headers and in the error, such as `token`. */
  readonly name: string
  readonly perMinute: number
  /** At once, out of a full bucket; the whole minute's unless it is said. */
  readonly burst?: number
  /** More keys than that, and those that were quiet longest start afresh. */
  readonly keysMax: number
}

export interface RateState {
  readonly rate: Rate
  /** How often it may be done right now. */
  readonly left: number
  /** Seconds until it may be done once more, or, while it may, until the bucket is full. */
  readonly resetSeconds: number
  readonly isAllowed: boolean
}

/** `tokens` at a moment of the monotonic clock; since then more have come. */
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

  /** Takes one, where there is one. Refused ones cost nothing: they would keep a caller out. */
  take(key: string): RateState {
    const before = this.#tokens(key)
    const isAllowed = before >= 1
    const tokens = isAllowed ? before - 1 : before
    this.#levels.set(key, { tokens, atMs: this.#clock.monotonic() })
    return this.#state(tokens, isAllowed)
  }

  /** Takes none, and remembers nothing: for what is counted only when it fails. */
  look(key: string): RateState {
    const tokens = this.#tokens(key)
    return this.#state(tokens, tokens >= 1)
  }

  #tokens(key: string): number {
    const level = this.#levels.get(key)
    if (level === undefined) return this.#most
    const come = ((this.#clock.monotonic() - level.atMs) * this.#rate.perMinute) / minuteMs
    return Math.min(this.#most, level.tokens + come)
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

/** `RateLimit-Policy` names all limits that hold, `RateLimit` the one that is nearest. */
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

/** Throws `quota_exceeded` when one of them does not allow it. */
export function assertWithin(states: readonly RateState[]): void {
  const refused = states.filter(({ isAllowed }) => !isAllowed)
  if (refused.length === 0) return
  const seconds = Math.max(1, ...refused.map(({ resetSeconds }) => resetSeconds))
  const headers = rateHeaders(states)
  throw new ServiceError('quota_exceeded', `Too many requests; go on in ${seconds} s.`, {
    retry_after_seconds: seconds,
    violated_policies: refused.map(({ rate }) => rate.name),
    ratelimit_policy: headers['ratelimit-policy']!,
    ratelimit: headers['ratelimit']!,
  })
}
