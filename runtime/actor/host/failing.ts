/**
 * Actors that this host could not load: from try to try it waits longer, and after some it gives
 * them up and reports them, until a request asks for one or the host is started again.
 */
import type { FailedActor } from '../../../proto/host-counts.ts'
import { backoffMs, type Clock } from '../../lib/clock.ts'
import { actorLimits } from '../limits.ts'

interface Failure {
  readonly tries: number
  /** Wall-clock ms of the first one. */
  readonly sinceMs: number
  /** On the monotonic clock. */
  readonly notBeforeMs: number
  readonly error: unknown
}

export class FailingActors {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #failures = new Map<string, Failure>()

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Throws the last failure while the next try, for a request, would be too early. */
  throwIfEarly(key: string): void {
    const failure = this.#failures.get(key)
    if (failure && this.#clock.monotonic() < failure.notBeforeMs) throw failure.error
  }

  /** Whether the host should try by itself. */
  mayTry(key: string): boolean {
    const failure = this.#failures.get(key)
    if (!failure) return true
    return !isGivenUp(failure) && this.#clock.monotonic() >= failure.notBeforeMs
  }

  /** True once it has failed so often that it is given up. */
  failed(key: string, error: unknown): boolean {
    const before = this.#failures.get(key)
    const tries = (before?.tries ?? 0) + 1
    const { loadRetryMs, loadRetryMaxMs } = actorLimits
    const waitMs = backoffMs(tries, loadRetryMs, loadRetryMaxMs, this.#random())
    this.#failures.set(key, {
      tries,
      sinceMs: before?.sinceMs ?? this.#clock.now(),
      notBeforeMs: this.#clock.monotonic() + waitMs,
      error,
    })
    return tries === actorLimits.loadTries
  }

  loaded(key: string): void {
    this.#failures.delete(key)
  }

  /** Forgets those that exist no more, or have become another host's. */
  keepOnly(isOurs: (key: string) => boolean): void {
    for (const key of this.#failures.keys()) if (!isOurs(key)) this.#failures.delete(key)
  }

  /** Those that were given up. */
  report(): { readonly count: number; readonly some: readonly FailedActor[] } {
    const given = [...this.#failures].filter(([, failure]) => isGivenUp(failure))
    return { count: given.length, some: given.slice(0, actorLimits.failedShown).map(described) }
  }
}

const isGivenUp = ({ tries }: Failure): boolean => tries >= actorLimits.loadTries

function described([key, { sinceMs, error }]: [string, Failure]): FailedActor {
  const [kind, id] = key.split('.') as [string, string]
  const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]!
  return { kind, id, sinceMs, reason: reason.slice(0, actorLimits.failureChars) }
}
