/** Applies to a session what the operator has set: upper bounds of its times, and whether it is recorded. */
import {
  sessionOptions,
  type SessionCreateBody,
  type SessionOptions,
  type SessionView,
} from '../../proto/session/session.ts'
import type { Config } from '../../runtime/config/config.ts'
import { badField } from '../routing/schemas/validate.ts'

export type TimeBounds = Pick<Config, 'MAX_DURATION_MINUTES' | 'MAX_IDLE_MINUTES'>

/**
 * Throws `bad_request` if a requested time is above its bound or unlimited. A time that was not
 * requested is cut to the bound.
 */
export function boundedOptions(body: SessionCreateBody, bounds: TimeBounds): SessionOptions {
  const options = sessionOptions(body)
  const { max_duration: duration, idle_timeout: idle } = body.session?.timeout ?? {}
  assertWithin('max_duration', duration, bounds.MAX_DURATION_MINUTES)
  assertWithin('idle_timeout', idle, bounds.MAX_IDLE_MINUTES)
  return {
    ...options,
    maxDurationMinutes: cut(options.maxDurationMinutes, bounds.MAX_DURATION_MINUTES),
    idleTimeoutMinutes: cut(options.idleTimeoutMinutes, bounds.MAX_IDLE_MINUTES),
  }
}

function assertWithin(name: string, asked: number | undefined, most: number): void {
  if (most === 0 || asked === undefined || isWithin(asked, most)) return
  const text = `${name} can be at most ${most} minutes on this service, but ${asked} was requested.`
  throw badField(`session.timeout.${name}`, text)
}

/** Throws `bad_request` if `minutes` more would take the session beyond the longest duration. */
export function assertExtendable(
  { createdAtMs, expiresAtMs }: Pick<SessionView, 'createdAtMs' | 'expiresAtMs'>,
  minutes: number,
  { MAX_DURATION_MINUTES: most }: Pick<TimeBounds, 'MAX_DURATION_MINUTES'>,
): void {
  if (most === 0 || expiresAtMs === undefined) return
  const whole = Math.ceil((expiresAtMs - createdAtMs) / 60_000) + minutes
  if (whole <= most) return
  const left = Math.max(0, most - (whole - minutes))
  const text =
    `A session can last at most ${most} minutes on this service: at most ${left} more are ` +
    'possible.'
  throw badField('minutes', text)
}

/** -1 means unlimited. */
const isWithin = (minutes: number, most: number) => minutes !== -1 && minutes <= most
const cut = (minutes: number, most: number) =>
  most === 0 || isWithin(minutes, most) ? minutes : most

/** Whether sessions are recorded that do not say so themselves. */
export type RecordingDefault = Pick<Config, 'RECORD_SESSIONS'>

/** The body, with what the operator has chosen where it says nothing of a recording. */
export function withRecordingDefault(
  body: SessionCreateBody,
  { RECORD_SESSIONS: isRecorded }: RecordingDefault,
): SessionCreateBody {
  if (!isRecorded || body.session?.recording !== undefined) return body
  return { ...body, session: { ...body.session, recording: { active: true } } }
}
