/**
 * Receives the reports of node agents on behalf of session actors: reports are validated here, so
 * agents need no access to actors.
 */
import type { Logger } from 'pino'
import { z } from 'zod'
import type { MessageTo, VerbName } from '../../proto/actor.ts'
import { reportRequest } from '../../proto/browser-host/agent-reports.ts'
import { decode, encode } from '../../proto/codec.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { sessionActor } from '../../proto/session/session-protocol.ts'
import { placeQueue, subjects } from '../../proto/subjects.ts'
import type { Bus, BusService } from '../../runtime/store/bus.ts'
import type { AskOptions, Directory } from '../../runtime/actor/directory.ts'
import { actorExists } from '../../runtime/actor/ownership/actor-exists.ts'
import { toReply } from '../../runtime/store/reply.ts'
import type { Sealer } from '../../runtime/accounts/seal/seal.ts'
import type { ServiceAudit } from '../../runtime/service-audit/writer.ts'
import type { Store } from '../../runtime/store/store.ts'
import { openOptions } from './claiming/option-secrets.ts'

export interface ReportsOptions {
  readonly bus: Bus
  readonly directory: Pick<Directory, 'ask'>
  readonly store: Store
  readonly serviceAudit: Pick<ServiceAudit, 'add'>
  /** Of proxies' passwords. */
  readonly sealer: Pick<Sealer, 'open'>
  readonly log: Logger
}

export function serveReports(options: ReportsOptions): BusService {
  const { bus, log } = options
  const answer = async (payload: Uint8Array) => {
    const request: unknown = decode(payload)
    const reply = await toReply(
      () => handleReport(options, request),
      (error) => log.error({ err: error }, 'a report failed'),
    )
    return encode(reply)
  }
  return bus.serve(subjects.agentReports, answer, { queue: placeQueue })
}

async function handleReport(
  { directory, store, serviceAudit, sealer }: ReportsOptions,
  request: unknown,
): Promise<unknown> {
  const read = reportRequest.safeParse(request)
  if (!read.success) throw new ServiceError('bad_request', z.prettifyError(read.error))
  const { sessionId, report } = read.data
  const { reportMs: timeoutMs } = limits
  const ask = <N extends VerbName<typeof sessionActor>>(
    message: MessageTo<typeof sessionActor, N>,
    more: AskOptions = {},
  ) => directory.ask(sessionActor, sessionId, message, { timeoutMs, ...more })
  switch (report.type) {
    case 'session.recorded':
      return actorExists(store, sessionActor.kind, sessionId)
    case 'browser.report':
      return ask(report)
    case 'browser.adopt': {
      const reply = await ask(report)
      if (!reply.keep) return reply
      return { ...reply, options: openOptions(sealer, sessionId, reply.options) }
    }
    case 'browser.gone':
    case 'browser.used':
    case 'recording.made':
      await ask(report)
      return null
    case 'network.refused': {
      const { browserId, hosts } = report
      const { keep } = await ask({ type: 'browser.report', browserId })
      if (!keep) return null
      const { view } = await ask({ type: 'get' })
      const who = { tenant: view.tenant, key_id: view.keyId, session_id: sessionId }
      for (const { host, count } of hosts) {
        const entry = { action: 'network.refuse', outcome: 'refused', ...who } as const
        serviceAudit.add({ ...entry, detail: { host, count } })
      }
      return null
    }
    case 'browser.draining': {
      const { browserId } = report
      const { keep } = await ask({ type: 'browser.report', browserId })
      if (keep) await ask({ type: 'end', reason: 'draining' }, { untilSettled: true })
      return null
    }
  }
}
