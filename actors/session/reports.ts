/**
 * Hears node agents, in the place of the session's actor: what an agent may say is read and checked
 * here, so it needs no way to actors of its own.
 */
import { z } from 'zod'
import type { MessageTo, VerbName } from '../../proto/actor.ts'
import { reportRequest, type AgentReport } from '../../proto/agent-reports.ts'
import { decode, encode } from '../../proto/codec.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError, toWireError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { sessionActor } from '../../proto/session-protocol.ts'
import { placeQueue, subjects } from '../../proto/subjects.ts'
import type { Bus, BusService } from '../../runtime/bus.ts'
import type { AskOptions, Directory } from '../../runtime/directory.ts'
import { isRecorded } from '../../runtime/recorded.ts'
import type { Store } from '../../runtime/store.ts'

export interface ReportsOptions {
  readonly bus: Bus
  readonly directory: Pick<Directory, 'ask'>
  readonly store: Store
}

export function serveReports(options: ReportsOptions): BusService {
  const answer = async (payload: Uint8Array): Promise<Reply> => {
    const request = reportRequest.safeParse(decode(payload))
    if (!request.success) {
      const error = new ServiceError('bad_request', z.prettifyError(request.error))
      return { ok: false, error: toWireError(error) }
    }
    try {
      const { sessionId, report } = request.data
      return { ok: true, value: await hear(options, sessionId, report) }
    } catch (error) {
      return { ok: false, error: toWireError(error) }
    }
  }
  const handler = async (payload: Uint8Array) => encode(await answer(payload))
  return options.bus.serve(subjects.agentReports, handler, { queue: placeQueue })
}

async function hear(
  { directory, store }: ReportsOptions,
  sessionId: string,
  report: AgentReport,
): Promise<unknown> {
  const { reportMs: timeoutMs } = limits
  const ask = <N extends VerbName<typeof sessionActor>>(
    message: MessageTo<typeof sessionActor, N>,
    more: AskOptions = {},
  ) => directory.ask(sessionActor, sessionId, message, { timeoutMs, ...more })
  switch (report.type) {
    case 'session.recorded':
      return isRecorded(store, sessionActor.kind, sessionId)
    case 'browser.report':
      return ask(report)
    case 'browser.gone':
      await ask(report)
      return null
    case 'browser.draining': {
      const { browserId } = report
      const { keep } = await ask({ type: 'browser.report', browserId })
      if (keep) await ask({ type: 'end', reason: 'draining' }, { untilSettled: true })
      return null
    }
  }
}
