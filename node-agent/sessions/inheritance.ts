/**
 * Goes on with the sessions whose browsers an earlier agent of this node has left: each session says
 * whether it still wants its browser, and from then on this agent is its agent.
 */
import type { Logger } from 'pino'
import { isGone, isNotFound } from '../../proto/errors.ts'
import type { AdoptReply } from '../../proto/session/session-protocol.ts'
import type { SessionOptions } from '../../proto/session/session.ts'
import { retry } from '../../runtime/lib/retry.ts'
import type { ScratchRecord } from '../files/browser-record.ts'
import type { BrowserPool, PooledBrowser } from '../pool/pool.ts'
import { hostedSessionLimits } from './limits.ts'
import type { Reconciler } from './reconcile.ts'
import type { SessionReports } from './session-reports.ts'
import type { AgentAddress, AgentSessions, SessionBrowser } from './sessions.ts'
import { removeLeftover, type Heirloom, type SweepMeans } from './sweep.ts'

export interface InheritanceOptions<B extends SessionBrowser & PooledBrowser> extends SweepMeans {
  readonly address: AgentAddress
  readonly sessions: Pick<AgentSessions<B>, 'adopt'>
  readonly pool: Pick<BrowserPool<B>, 'adopt'>
  readonly reports: SessionReports
  readonly reconciler: Pick<Reconciler, 'report'>
  /** How long the sessions' actors may take to answer. */
  readonly withinMs: number
  /** Takes the browser over; nothing of it is left if that fails. */
  readonly adopt: (record: ScratchRecord, options: SessionOptions) => Promise<B>
  /** Removes the control group of a browser that is not taken over. */
  readonly removeGroup: (record: ScratchRecord) => Promise<void>
  readonly log: Logger
}

/** The ids of the sessions that go on here. Never rejects. */
export async function inherit<B extends SessionBrowser & PooledBrowser>(
  heirlooms: readonly Heirloom[],
  options: InheritanceOptions<B>,
): Promise<readonly string[]> {
  const inherited = await Promise.all(heirlooms.map((one) => inheritOne(one, options)))
  return inherited.filter((id) => id !== undefined)
}

async function inheritOne<B extends SessionBrowser & PooledBrowser>(
  { dir, record }: Heirloom,
  options: InheritanceOptions<B>,
): Promise<string | undefined> {
  const { sessions, pool, reconciler, adopt, removeGroup, log } = options
  const sessionId = record.session!.id
  const who = { session: sessionId, browser: record.browserId }
  const reply = await ask(record, options).catch((error: unknown): AdoptReply => {
    log.warn({ ...who, err: error }, 'whether a session wants its browser is not known')
    return { keep: false }
  })
  if (!reply.keep) {
    await removeLeftover(dir, record, options)
    await removeGroup(record)
    return undefined
  }
  try {
    const browser = await adopt(record, reply.options)
    pool.adopt(browser)
    sessions.adopt(browser, reply, sessionId)
    browser.keepFor(sessionId, reply.claim.ticketSecret)
    log.info(who, 'goes on with the browser of an earlier agent')
    return sessionId
  } catch (error) {
    log.error({ ...who, err: error }, 'a browser of an earlier agent could not be taken over')
    const { browserId } = reply.claim
    const detail = 'The host of the browser was restarted and could not take it over.'
    await reconciler.report(sessionId, {
      type: 'browser.gone',
      browserId,
      cause: 'crashed',
      detail,
    })
    return undefined
  }
}

/** Actor hosts may be restarting as well. */
async function ask<B extends SessionBrowser & PooledBrowser>(
  { browserId, session }: ScratchRecord,
  { address, reports, clock, withinMs }: InheritanceOptions<B>,
): Promise<AdoptReply> {
  const { nodeId, incarnation, dataUrl } = address
  const report = { type: 'browser.adopt', nodeId, incarnation, dataUrl } as const
  const rules = {
    withinMs,
    waitMs: hostedSessionLimits.inheritRetryMs,
    isRetryable: (error: unknown) => !isGone(error) && !isNotFound(error),
  }
  return retry(clock, rules, () => reports.send(session!.id, { ...report, browserId }))
}
