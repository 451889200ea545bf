import { UsageError } from './command.ts'

const unitMs = { h: 3_600_000, d: 86_400_000 } as const

/** Parses a future time of an option: `12h`, `30d` or a date. Returns wall-clock ms. */
export function readWhen(option: string, text: string, nowMs: number): number {
  const span = /^(\d{1,5})([hd])$/.exec(text)
  const at = span ? nowMs + Number(span[1]) * unitMs[span[2] as 'h' | 'd'] : Date.parse(text)
  if (!(at > nowMs)) throw new UsageError(`--${option} takes 12h, 30d or a future date`)
  return at
}
