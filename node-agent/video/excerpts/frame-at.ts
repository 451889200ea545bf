/** Single pictures of a video, while it is recorded, encoded, and when it is whole. */
import { join } from 'node:path'
import type { Encoder } from '../encoder.ts'
import { slicePath, slicesIn, wholeVideo, type Slice } from '../slices.ts'
import { readSpool } from '../spool.ts'
import { knownVideo, type VideoRecord } from '../video-record.ts'

type FrameReader = Pick<Encoder, 'frame'>

/** A part of the session that has its pictures in one file. */
interface Part {
  readonly startMs: number
  readonly endMs: number
  /** `ms` counts from its begin. */
  read(ms: number): Promise<Uint8Array | undefined>
}

/**
 * What the video shows at a moment, or last, as JPEG; undefined if it shows nothing then. Its file may
 * be gone meanwhile, because it was encoded or joined: then the next one has it. Throws `not_found`
 * if there is no video.
 */
export async function frameAt(
  folder: string,
  atMs: number | undefined,
  encoder: FrameReader,
): Promise<Uint8Array | undefined> {
  const look = async () => {
    const record = await knownVideo(folder)
    return await frameOf(await partsOf(folder, record, encoder), atMs)
  }
  return await look().catch(look)
}

async function frameOf(parts: readonly Part[], atMs: number | undefined) {
  const part =
    atMs === undefined
      ? parts.at(-1)
      : parts.findLast(({ startMs, endMs }) => startMs <= atMs && atMs < endMs)
  return await part?.read((atMs ?? part.endMs - 1) - part.startMs)
}

async function partsOf(
  folder: string,
  { finished }: VideoRecord,
  encoder: FrameReader,
): Promise<readonly Part[]> {
  if (!finished) return (await slicesIn(folder)).map((slice) => partOf(folder, slice, encoder))
  const path = join(folder, wholeVideo)
  let beforeMs = 0
  return finished.spans.map(({ atMs: startMs, ms }) => {
    const offsetMs = beforeMs
    beforeMs += ms
    return { startMs, endMs: startMs + ms, read: (at) => encoder.frame(path, offsetMs + at) }
  })
}

function partOf(folder: string, slice: Slice, encoder: FrameReader): Part {
  const { startMs, ms, kind } = slice
  const path = slicePath(folder, slice)
  return {
    startMs,
    endMs: kind === 'open' ? Infinity : startMs + ms,
    read: (at) => (kind === 'encoded' ? encoder.frame(path, at) : spooledAt(path, startMs + at)),
  }
}

async function spooledAt(path: string, atMs: number): Promise<Uint8Array | undefined> {
  let shown: Uint8Array | undefined
  for await (const picture of readSpool(path)) {
    if (shown && picture.atMs > atMs) break
    shown = picture.jpeg
  }
  return shown
}
