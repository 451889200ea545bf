/** Formats times for people, in one named time zone. */
import { dayMs } from '../../proto/units.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function format(zone: string, kind: 'day' | 'time'): Intl.DateTimeFormat {
  const key = `${kind} ${zone}`
  const known = formats.get(key)
  if (known) return known
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const
  const made = new Intl.DateTimeFormat('en-GB', {
    ...day,
    ...(kind === 'time' && time),
    timeZone: knownZone(zone),
  })
  // A client's zone may be any text, so the cache is bounded.
  if (formats.size > 200) formats.clear()
  formats.set(key, made)
  return made
}

/** UTC for an unknown zone. */
function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return 'UTC'
    throw error
  }
}

/** For example `22 Nov 2026`. */
export const dayWord = (ms: number, zone: string): string => format(zone, 'day').format(ms)

/** For example `22 Nov 2026, 14:05 UTC`. */
export const timeWord = (ms: number, zone: string): string => format(zone, 'time').format(ms)

/** For example `14:05`. */
export const timeOfDay = (ms: number, zone: string): string => localText(ms, zone).slice(11)

const units = [
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** For example `3 days`, `1 hour` or `less than a minute`. */
export function spanWord(ms: number): string {
  for (const [unit, unitMs] of units) {
    const count = Math.floor(Math.abs(ms) / unitMs)
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'}`
  }
  return 'less than a minute'
}

/** For example `in 3 days` or `3 days ago`. */
export const fromNow = (ms: number, nowMs: number): string =>
  ms >= nowMs ? `in ${spanWord(ms - nowMs)}` : `${spanWord(nowMs - ms)} ago`

/** For example `2026-11-22`, the value of a date field, in the zone. */
export function dayText(ms: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    timeZone: knownZone(zone),
  })
  return parts.format(ms)
}

/**
 * The last second of a day in a zone, as RFC 3339. Other text is returned as it is, so that the
 * route reports the error.
 */
export function endOfDay(day: string, zone: string): string {
  return atInZone(day, '23:59:59', zone)
}

export const startOfDay = (day: string, zone: string): string => atInZone(day, '00:00:00', zone)

/** For example `2026-11-22T14:05`, the value of a datetime field, in the zone. */
export function localText(ms: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    timeZone: knownZone(zone),
  })
  return `${dayText(ms, zone)}T${parts.format(ms)}`
}

/** Converts the value of a datetime field to RFC 3339; other text is returned as it is. */
export function momentIn(text: string, zone: string): string {
  const [, day, minute, second = '00'] = /^([\d-]+)T(\d\d:\d\d)(?::(\d\d))?$/.exec(text) ?? []
  if (day === undefined || minute === undefined) return text
  const moment = atInZone(day, `${minute}:${second}`, zone)
  return moment === day ? text : moment
}

function atInZone(day: string, time: string, zone: string): string {
  const asUtcMs = Date.parse(`${day}T${time}Z`)
  // `Date` would turn 30 February into a day in March.
  const isDay = !Number.isNaN(asUtcMs) && new Date(asUtcMs).toISOString().startsWith(day)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || !isDay) return day
  const offsetMs = offsetAt(asUtcMs, zone)
  // The zone's offset may be different at the resulting moment.
  const ms = asUtcMs - offsetAt(asUtcMs - offsetMs, zone)
  return new Date(ms).toISOString()
}

/** The zone's offset from UTC at a moment, in ms. */
function offsetAt(ms: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    ...{ second: 'numeric', hourCycle: 'h23', timeZone: knownZone(zone) },
  })
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  const [year, month, day] = [Number(part['year']), Number(part['month']), Number(part['day'])]
  const [hour, minute] = [Number(part['hour']), Number(part['minute'])]
  const shown = Date.UTC(year, month - 1, day, hour, minute, Number(part['second']))
  return shown - Math.floor(ms / 1_000) * 1_000
}
