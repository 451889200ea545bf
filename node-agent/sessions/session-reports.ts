/**
 * Sends reports about this host's browsers to the actor hosts;
 * `proto/browser-host/agent-reports.ts` defines them.
 */
import type {
  AgentReport,
  ReportAnswers,
  ReportRequest,
} from '../../proto/browser-host/agent-reports.ts'
import { decode, encode } from '../../proto/codec.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { subjects } from '../../proto/subjects.ts'
import { BusTimeout, NoResponders, type Bus } from '../../runtime/store/bus.ts'
import { sleep, type Clock } from '../../runtime/lib/clock.ts'
import { unwrapReply } from '../../runtime/store/reply.ts'

export interface SessionReports {
  /** Throws a ServiceError: `not_found`, `timeout`, or the session's error. */
  send<R extends AgentReport>(sessionId: string, report: R): Promise<ReportAnswers[R['type']]>
}

/** Reports are idempotent, so they are sent again until they are answered. */
export class BusSessionReports implements SessionReports {
  readonly #bus: Bus
  readonly #clock: Clock

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus
    this.#clock = clock
  }

  async send<R extends AgentReport>(
    sessionId: string,
    report: R,
  ): Promise<ReportAnswers[R['type']]> {
    const payload = encode({ sessionId, report } satisfies ReportRequest)
    const giveUpAtMs = this.#clock.monotonic() + limits.reportMs
    for (;;) {
      const leftMs = giveUpAtMs - this.#clock.monotonic()
      try {
        const answer = await this.#bus.request(subjects.agentReports, payload, leftMs)
        return unwrapReply<ReportAnswers[R['type']]>(decode<Reply>(answer))
      } catch (error) {
        if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
        if (this.#clock.monotonic() + limits.askRetryMaxMs < giveUpAtMs) {
          await sleep(this.#clock, limits.askRetryMaxMs)
          continue
        }
        throw new ServiceError('timeout', 'No actor host received the report in time.', {}, error)
      }
    }
  }
}

/** The answer of an actor host of an earlier version. */
export const isUnknownReport = (error: unknown): boolean =>
  error instanceof ServiceError && error.type === 'bad_request'
