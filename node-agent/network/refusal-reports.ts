/**
 * Periodically reports the hosts that browsers were refused to the service's audit, with the counts
 * since the last report. A failed report is not sent again; its counts are lost.
 */
import type { Logger } from 'pino'
import { isGone, isNotFound } from '../../proto/errors.ts'
import type { BrowserId } from '../../proto/ids.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import type { SessionReports } from '../sessions/session-reports.ts'
import type { RefusedHost } from '../egress/orders.ts'
import { networkLimits } from './limits.ts'

interface Held {
  readonly sessionId: string
  readonly browser: {
    readonly id: BrowserId
    readonly network: { takeUnreported(): Promise<readonly RefusedHost[]> }
  }
}

export interface RefusalReportsOptions {
  /** The browsers that are held by sessions. */
  readonly held: () => readonly Held[]
  readonly reports: SessionReports
  readonly clock: Clock
  readonly log: Logger
}

export class RefusalReports {
  readonly #options: RefusalReportsOptions
  #timer: Timer

  constructor(options: RefusalReportsOptions) {
    this.#options = options
    this.#timer = this.#arm()
  }

  stop(): void {
    this.#timer.cancel()
  }

  #arm(): Timer {
    return this.#options.clock.timer(networkLimits.refusalReportMs, () => {
      for (const held of this.#options.held()) void this.#report(held)
      this.#timer = this.#arm()
    })
  }

  async #report({ sessionId, browser }: Held): Promise<void> {
    const { reports, log } = this.#options
    try {
      const hosts = await browser.network.takeUnreported()
      if (hosts.length === 0) return
      const report = { type: 'network.refused', browserId: browser.id, hosts } as const
      await reports.send(sessionId, report)
    } catch (error) {
      if (isGone(error) || isNotFound(error)) return
      log.warn({ session: sessionId, err: error }, 'refused hosts were not reported')
    }
  }
}
