/** What is known of a video beside its slices: a small file in its folder. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { VideoSpan } from '../../proto/browser-host/video.ts'
import { ServiceError } from '../../proto/errors.ts'
import { isId, type BrowserId } from '../../proto/ids.ts'
import type { PictureSize } from './matroska.ts'
import type { Slice } from './slices.ts'

export interface VideoRecord {
  readonly tenant: string
  readonly sessionId: string
  /** Absent from records of version 0.1.0. */
  readonly browserId?: BrowserId
  readonly size: PictureSize
  readonly startedAtMs: number
  readonly problem?: string
  /** Once it is whole, or cannot be. */
  readonly finished?: {
    readonly atMs: number
    /** 0 if nothing of it is left. */
    readonly bytes: number
    readonly spans: readonly VideoSpan[]
  }
  /** The session knows that it is finished. */
  readonly isTold?: true
}

const fileName = 'record.json'

/** Undefined if there is none, or none that can be read. */
export async function readVideoRecord(folder: string): Promise<VideoRecord | undefined> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as VideoRecord
  } catch {
    return undefined
  }
}

/** Of a session that is, or was, recorded. Throws `not_found` if there is no video. */
export async function knownVideo(folder: string): Promise<VideoRecord> {
  const record = await readVideoRecord(folder)
  if (!record) throw noVideoError()
  return record
}

/** Throws `not_found` for what cannot be a session. */
export function videoFolder(root: string, sessionId: string): string {
  if (!isId('ses', sessionId)) throw noVideoError()
  return join(root, sessionId)
}

export const noVideoError = (): ServiceError =>
  new ServiceError('not_found', 'There is no recording of this session.')

/** A reader sees the record before or after it. */
export async function writeVideoRecord(folder: string, record: VideoRecord): Promise<void> {
  const path = join(folder, fileName)
  await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Slices that follow each other are one span. */
export function spansOf(slices: readonly Pick<Slice, 'startMs' | 'ms'>[]): VideoSpan[] {
  const spans: { atMs: number; ms: number }[] = []
  for (const { startMs, ms } of slices) {
    const last = spans.at(-1)
    if (last && last.atMs + last.ms === startMs) last.ms += ms
    else spans.push({ atMs: startMs, ms })
  }
  return spans
}

/** Scaled down to the longest side of pictures; sides of videos are even. */
export function videoSize({ width, height }: PictureSize, sidePx: number): PictureSize {
  const scale = Math.min(1, sidePx / Math.max(width, height))
  const even = (px: number) => Math.max(2, 2 * Math.round((px * scale) / 2))
  return { width: even(width), height: even(height) }
}
