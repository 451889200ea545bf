/** Encodes the slices of a video that wait, and takes their pictures off the disk. */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Encoder } from './encoder.ts'
import { videoLimits } from './limits.ts'
import type { PictureSize, TimedPicture } from './matroska.ts'
import { encodedName, slicePath, slicesIn, type Slice } from './slices.ts'
import { readSpool, type Picture } from './spool.ts'

export interface Encoded {
  /** Of pictures that are no longer on the disk. */
  readonly spooledBytes: number
  /** Of the video that was made of them. */
  readonly videoBytes: number
  /** Slices that could not be encoded, and are gone. */
  readonly lost: number
}

export interface EncodingMeans {
  readonly encoder: Pick<Encoder, 'encode'>
  /** Of the video. */
  readonly size: PictureSize
  /** Of the encoder's process. */
  readonly nice: number
  /** True once this agent ends, and its encoders with it: what waits is left to the next one. */
  readonly isStopped: () => boolean
  readonly failed: (slice: Slice, error: unknown) => void
}

/** A slice is tried twice: the encoder may have been killed. */
export async function encodeWaiting(
  folder: string,
  { encoder, size, nice, isStopped, failed }: EncodingMeans,
): Promise<Encoded> {
  let spooledBytes = 0
  let videoBytes = 0
  let lost = 0
  for (const slice of await slicesIn(folder)) {
    if (slice.kind !== 'waiting') continue
    const path = slicePath(folder, slice)
    const made = join(folder, encodedName(slice))
    const encode = () => encoder.encode(timed(readSpool(path), slice), size, made, nice)
    try {
      await encode().catch((error: unknown) => {
        if (isStopped()) throw error
        return encode()
      })
      videoBytes += (await stat(made)).size
    } catch (error) {
      if (isStopped()) break
      failed(slice, error)
      lost++
    }
    spooledBytes += (await stat(path)).size
    await rm(path)
  }
  return { spooledBytes, videoBytes, lost }
}

/** Times from the begin of the slice, which rise; the picture that is shown is repeated until its end. */
export async function* timed(
  pictures: AsyncIterable<Picture>,
  { startMs, ms: endMs }: Pick<Slice, 'startMs' | 'ms'>,
): AsyncGenerator<TimedPicture> {
  let shown: TimedPicture | undefined
  for await (const { atMs, jpeg } of pictures) {
    const ms = Math.max(atMs - startMs, shown ? shown.ms + 1 : 0)
    if (shown) yield* repeats(shown, ms)
    shown = { ms, jpeg }
    yield shown
  }
  if (!shown) return
  yield* repeats(shown, endMs)
  // It lasts until then, and players have a length to show.
  const last = endMs - 1
  if (shown.ms < last) yield { ms: last, jpeg: shown.jpeg }
}

function* repeats({ ms, jpeg }: TimedPicture, untilMs: number): Generator<TimedPicture> {
  const { repeatEveryMs } = videoLimits
  // Not close to what follows.
  for (let at = ms + repeatEveryMs; at < untilMs - repeatEveryMs / 4; at += repeatEveryMs) {
    yield { ms: at, jpeg }
  }
}
