/** What a pool has counted since the agent started; published in the host's record. */
import {
  reportedBoundsSeconds,
  type BrowserCounts,
  type BrowserExitCause,
  type ClaimRefusal,
  type ReportedHistogram,
} from '../../proto/host-counts.ts'

class Durations {
  readonly #counts: number[] = Array.from({ length: reportedBoundsSeconds.length + 1 }, () => 0)
  #sumSeconds = 0

  add(ms: number): void {
    const seconds = ms / 1000
    const found = reportedBoundsSeconds.findIndex((bound) => seconds <= bound)
    this.#counts[found < 0 ? reportedBoundsSeconds.length : found]!++
    this.#sumSeconds += seconds
  }

  report(): ReportedHistogram {
    return { counts: [...this.#counts], sumSeconds: this.#sumSeconds }
  }
}

export class PoolCounts {
  readonly #boots = new Durations()
  readonly #waits = new Durations()
  readonly #refusals: Record<ClaimRefusal, number> = { queue_full: 0, queue_timeout: 0 }
  readonly #exits: Record<BrowserExitCause, number> = { crashed: 0, closed: 0, out_of_resources: 0 }
  #bootFailures = 0

  booted(ms: number): void {
    this.#boots.add(ms)
  }

  bootFailed(): void {
    this.#bootFailures++
  }

  served(waitedMs: number): void {
    this.#waits.add(waitedMs)
  }

  refused(why: ClaimRefusal): void {
    this.#refusals[why]++
  }

  exited(cause: BrowserExitCause): void {
    this.#exits[cause]++
  }

  report(): BrowserCounts {
    return {
      boots: this.#boots.report(),
      bootFailures: this.#bootFailures,
      waits: this.#waits.report(),
      refusals: { ...this.#refusals },
      exits: { ...this.#exits },
    }
  }
}
