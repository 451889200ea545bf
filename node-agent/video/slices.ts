/**
 * The files of one video. A slice is some seconds of it: first pictures, then encoded. All that is to
 * be known of slices is in their names, so the next agent knows it too:
 *
 * - `1764408933123.spool`: pictures from that wall-clock ms on are being written,
 * - `1764408933123-10000.spool`: they are complete, and show 10,000 ms,
 * - `1764408933123-10000.mp4`: they are encoded,
 * - `video.mp4`: the whole.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface Slice {
  readonly name: string
  readonly kind: 'open' | 'waiting' | 'encoded'
  readonly startMs: number
  /** 0 while it is written. */
  readonly ms: number
}

export const wholeVideo = 'video.mp4'

const pattern = /^(\d{1,16})(?:-(\d{1,9}))?\.(spool|mp4)$/

export const openName = (startMs: number): string => `${startMs}.spool`
export const waitingName = (startMs: number, ms: number): string => `${startMs}-${ms}.spool`
export const encodedName = ({ startMs, ms }: Pick<Slice, 'startMs' | 'ms'>): string =>
  `${startMs}-${ms}.mp4`

/** In the order of their times. */
export async function slicesIn(folder: string): Promise<Slice[]> {
  const names = await readdir(folder)
  return names.flatMap(sliceOf).toSorted((a, b) => a.startMs - b.startMs)
}

function sliceOf(name: string): Slice[] {
  const [, start, ms, suffix] = pattern.exec(name) ?? []
  if (start === undefined) return []
  const times = { startMs: Number(start), ms: Number(ms ?? 0) }
  if (ms === undefined) return suffix === 'spool' ? [{ name, kind: 'open', ...times }] : []
  return [{ name, kind: suffix === 'mp4' ? 'encoded' : 'waiting', ...times }]
}

export const slicePath = (folder: string, { name }: Pick<Slice, 'name'>): string =>
  join(folder, name)
