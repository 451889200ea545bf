/** Units of bytes, and of time. */
export const KiB = 1024
export const MiB = 1024 * KiB
export const GiB = 1024 * MiB

export const dayMs = 24 * 60 * 60_000

/** For example `2026-11-30`: the day in UTC of wall-clock ms, or of an ISO time. */
export const utcDay = (time: number | string): string => new Date(time).toISOString().slice(0, 10)
