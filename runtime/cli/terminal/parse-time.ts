import { UsageError } from '../command.ts'

const unitMs = { h: 3_600_000, d: 86_400_000 } as const

/** Parses a future time of an option: `12h`, `30d` or a date. Returns wall-clock ms. */
export function parseTimeInput(option: string, text: string, nowMs: number): number {
  const span = spanMs(text)
  const at = span === undefined ? Date.parse(text) : nowMs + span
  if (!(at > nowMs)) throw new UsageError(`--${option} takes 12h, 30d or a future date`)
  return at
}

/** Parses a past time: `24h` or `30d` ago, or a date. Returns an ISO time. */
export function readSince(text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined) return undefined
  const span = spanMs(text)
  const at = span === undefined ? Date.parse(text) : nowMs - span
  if (!(at < nowMs)) throw new UsageError('--since takes 24h, 30d or a past date')
  return new Date(at).toISOString()
}

function spanMs(text: string): number | undefined {
  const span = /^(\d{1,5})([hd])$/.exec(text)
  return span ? Number(span[1]) * unitMs[span[2] as 'h' | 'd'] : undefined
}
