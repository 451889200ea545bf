/**
 * The calendar of a client's changes: two changes never work on the same target at the same time.
 * Pure.
 */
import type { BookedWindow } from '../../../proto/access/engagement/client.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'

interface Calendar {
  readonly windows: readonly BookedWindow[]
}

const otherWindows = (
  { windows }: Calendar,
  changeId: string,
  at: number,
): readonly BookedWindow[] => windows.filter((one) => one.changeId !== changeId && one.endMs > at)

export const isWindowBooked = (
  { windows }: Calendar,
  { changeId, target, startMs, endMs }: BookedWindow,
): boolean =>
  windows.some(
    (one) =>
      one.changeId === changeId &&
      one.target === target &&
      one.startMs === startMs &&
      one.endMs === endMs,
  )

/** A change has one window; windows that are over are removed. */
export const withWindow = (
  calendar: Calendar,
  { changeId, target, startMs, endMs, at }: BookedWindow & { readonly at: number },
): readonly BookedWindow[] => [
  ...otherWindows(calendar, changeId, at),
  { changeId, target, startMs, endMs },
]

export const withoutWindow = ({ windows }: Calendar, changeId: string): readonly BookedWindow[] =>
  windows.filter((one) => one.changeId !== changeId)

/** Throws `conflict`, with the change that has booked the time. */
export function admitWindow(calendar: Calendar, requested: BookedWindow, at: number): void {
  const booked = otherWindows(calendar, requested.changeId, at)
  const other = booked.find(
    ({ target, startMs, endMs }) =>
      target === requested.target && startMs < requested.endMs && requested.startMs < endMs,
  )
  if (other) {
    const { changeId, startMs, endMs } = other
    const iso = (ms: number) => new Date(ms).toISOString()
    const message = `${changeId} has the same target from ${iso(startMs)} to ${iso(endMs)}; choose another window.`
    throw new ServiceError('conflict', message, { change_id: changeId })
  }
  const limit = limits.changeWindowsBooked
  if (booked.length < limit) return
  const message = `This client already has ${limit} scheduled changes; complete or cancel some of them.`
  throw new ServiceError('quota_exceeded', message, { limit })
}
