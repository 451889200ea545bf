/** Why the sockets of a session close. */
import {
  closeCodes,
  unreachableCode,
  type EndReason,
  type SessionView,
} from '../../../proto/session/session.ts'
import type { BrowserDialer } from '../../../runtime/browser-host/channel/channel.ts'
import { sleep, type Clock } from '../../../runtime/lib/clock.ts'
import { SessionEndWatch } from '../session-end-watch.ts'
import type { SessionViews } from '../session-views.ts'
import { type Closing, socketCodes } from '../../server/closing.ts'
import { gatewayLimits } from '../../limits.ts'
import { gatewaySessionLimits } from '../limits.ts'

const sentences: Readonly<Record<EndReason, string>> = {
  idle: 'idle: no client was connected for the idle timeout of the session.',
  max_duration: 'max_duration: the session reached its maximum duration.',
  deleted: 'deleted: the session was ended.',
  caller_gone: 'deleted: the client that the session was created for has disconnected.',
  browser_closed: 'browser_closed: a client closed the browser.',
  browser_crashed: 'browser_crashed: the browser crashed.',
  out_of_resources: 'out_of_resources: the browser used more resources of its host than allowed.',
  start_failed: 'start_failed: the browser did not start.',
  task_over: 'deleted: the task that the session was created for has ended.',
  node_lost: 'node_lost: the host of the browser was lost.',
  draining: 'draining: the host of the browser is shutting down.',
}

export const gatewayDraining: Closing = {
  code: closeCodes.draining,
  reason: 'draining: this gateway is shutting down; connect again.',
}

export const keyIsOver: Closing = {
  code: socketCodes.policyViolation,
  reason: 'key_over: the key of this connection was revoked or has expired.',
}

export const tokenIsOver: Closing = {
  code: socketCodes.policyViolation,
  reason: 'link_over: this link or token has expired or was revoked.',
}

/** Returns a closing if the session has ended or is about to end. */
export function closingOf(view: SessionView | undefined): Closing | undefined {
  if (view?.reason === undefined) return undefined
  return { code: closeCodes[view.reason], reason: sentences[view.reason] }
}

interface WhyDeps {
  readonly views: SessionViews
  readonly clock: Clock
  /** Asks the actor itself, in case no view arrives. */
  readonly ask: () => Promise<SessionView>
}

/** A socket of a session that may go on. */
const hostUnreachable: Closing = {
  code: unreachableCode,
  reason: 'unreachable: the host of the browser has lost contact; connect again when it is back.',
}

/** What a socket leads to: a page, the browser as a whole, or its desktop. */
export type SocketPeer = 'page' | 'browser' | 'desktop'

/**
 * Finds out why the browser's side closed a socket. Either the session ended, and its view will say
 * so, or only what the socket led to has closed and the browser still answers.
 */
export async function whyLost(
  sessionId: string,
  peer: SocketPeer,
  dialer: BrowserDialer,
  { views, clock, ask }: WhyDeps,
): Promise<Closing> {
  const peerGone = peerClosings[peer]
  const outcome = await Promise.race([
    endOf(sessionId, views, clock),
    answersStill(dialer, clock).then((answers) => (answers ? peerGone : never)),
  ])
  if (outcome !== peerGone && outcome !== linkLost) return outcome
  const view = await ask().catch(() => undefined)
  return closingOf(view) ?? (view?.status === 'unreachable' ? hostUnreachable : outcome)
}

/** The closing of a socket whose session goes on. */
const peerClosings: Readonly<Record<SocketPeer, Closing>> = {
  page: { code: socketCodes.done, reason: 'The target of this socket was closed.' },
  browser: {
    code: socketCodes.failed,
    reason: 'The browser closed this connection, and runs on; connect again.',
  },
  desktop: {
    code: socketCodes.failed,
    reason: 'The desktop closed this connection, and the browser runs on; connect again.',
  },
}
const linkLost: Closing = {
  code: socketCodes.failed,
  reason: 'The connection to the browser was lost.',
}
const never = new Promise<Closing>(() => {})

/** The session's end as its view reports it, or `linkLost` after a timeout. */
async function endOf(sessionId: string, views: SessionViews, clock: Clock): Promise<Closing> {
  const end = new SessionEndWatch(sessionId, views, clock)
  const view = await end.soon(gatewayLimits.closeReasonWaitMs)
  end.stop()
  return closingOf(view) ?? linkLost
}

/** Waits first, because a closing browser may answer a little longer than its sockets live. */
async function answersStill(dialer: BrowserDialer, clock: Clock): Promise<boolean> {
  await sleep(clock, gatewaySessionLimits.closeProbeMs)
  return dialer.get('/json/version').then(
    () => true,
    () => false,
  )
}
