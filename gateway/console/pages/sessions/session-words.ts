/** Formats states, reasons and times of sessions for the console. */
import {
  hasBrowser,
  type EndReason,
  type SessionStatus,
  type SessionView,
} from '../../../../proto/session/session.ts'
import type { Tone } from '../../../html/parts.tsx'

interface State {
  readonly tone: Tone
  readonly label: string
}

const states: Readonly<Record<SessionStatus, State>> = {
  starting: { tone: 'wait', label: 'Starting' },
  running: { tone: 'good', label: 'Running' },
  unreachable: { tone: 'wait', label: 'Unreachable' },
  ending: { tone: 'wait', label: 'Ending' },
  completed: { tone: 'quiet', label: 'Ended' },
  failed: { tone: 'bad', label: 'Failed' },
  lost: { tone: 'bad', label: 'Lost' },
}

export const sessionState = ({ status }: Pick<SessionView, 'status'>): State => states[status]

const reasons: Readonly<Record<EndReason, string>> = {
  deleted: 'Ended on request',
  idle: 'Nothing was connected for the idle timeout',
  max_duration: 'Reached its maximum duration',
  browser_closed: 'A client closed the browser',
  browser_crashed: 'The browser crashed',
  out_of_resources: 'Used more memory or disk than allowed',
  node_lost: 'The browser host was lost',
  draining: 'The browser host was shut down',
  caller_gone: 'The caller left before the browser was ready',
  start_failed: 'The browser could not be started',
  task_over: 'Its task has ended',
}

/** Why a session ended or, while it runs, whether it is in use. */
export function sessionReason(view: SessionView): string {
  const { status, reason, idleExpiresAtMs } = view
  if (reason) return reasons[reason]
  if (status === 'starting') return 'Waiting for a browser'
  if (status === 'unreachable') return 'Its host has lost contact; it goes on if the host is back'
  return idleExpiresAtMs === undefined ? 'In use' : 'Nothing connected'
}

/** When the session will end if nothing changes; undefined if it has no limit or has ended. */
export function endOf({ expiresAtMs, idleExpiresAtMs, status }: SessionView): number | undefined {
  if (!hasBrowser(status) && status !== 'starting') return undefined
  const ends = [expiresAtMs, idleExpiresAtMs].filter((ms) => ms !== undefined)
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** Shortened for lists, because a URL can contain a whole page (`data:`). */
export const shortUrl = (url: string): string => (url.length > 120 ? `${url.slice(0, 120)}…` : url)

/**
 * For example `45 s`, `12 min`, `2 h 5 min` or `3 d 4 h`. `web/console/ticking.js` uses the same
 * format.
 */
export function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (seconds < 60) return `${seconds} s`
  if (minutes < 60) return `${minutes} min`
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
