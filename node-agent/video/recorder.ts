/**
 * Writes the pictures of one session into slices while it runs. A slice ends after so many pictures,
 * and the next one begins with the picture that is still shown. A disk that is full, or slow, costs
 * pictures and never the session.
 */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import { videoLimits } from './limits.ts'
import { openName, slicePath, slicesIn, waitingName } from './slices.ts'
import { readSpool, Spool, type Picture } from './spool.ts'

export interface RecorderOptions {
  readonly folder: string
  readonly clock: Clock
  /** A slice waits for the encoder now. */
  readonly onSlice: () => void
  readonly onProblem: (error: unknown) => void
}

interface OpenSlice {
  readonly startMs: number
  readonly spool: Spool
  pictures: number
  lastMs: number
}

const { sliceMs, sliceMsMax, slicePictures, waitingBytes, behindEveryMs, writesWaiting } =
  videoLimits

export class Recorder {
  readonly #options: RecorderOptions
  readonly #writes = new SerialQueue()
  #slice: OpenSlice | undefined
  /** The one that the page shows still. */
  #last: Uint8Array | undefined
  #isPaused = false
  #isOver = false
  #timer: Timer | undefined
  /** Bytes of pictures that are not encoded yet, on the disk or about to be. */
  #waiting = 0
  #keptMs = 0
  /** Of the last slice. */
  #endMs = 0
  /** Earlier pictures are left out. */
  #fromMs = 0

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#arm()
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Bytes of pictures that the encoder has taken off the disk. */
  encoded(bytes: number): void {
    this.#waiting = Math.max(0, this.#waiting - bytes)
  }

  add({ atMs, jpeg }: Picture): void {
    if (this.#isPaused || this.#isOver || atMs < this.#fromMs) return
    this.#last = jpeg
    if (this.#writes.size >= writesWaiting) return
    if (this.#waiting > waitingBytes) return
    if (this.#waiting > waitingBytes / 2 && atMs - this.#keptMs < behindEveryMs) return
    this.#keptMs = atMs
    void this.#keep({ atMs, jpeg })
  }

  /** Resolves when it is on the disk. */
  pause(): Promise<void> {
    if (this.#isPaused) return this.#writes.settled()
    this.#isPaused = true
    this.#last = undefined
    const nowMs = this.#options.clock.now()
    return this.#write(() => this.#close(nowMs))
  }

  /** It goes on with the next picture; one of the pause that comes late is left out. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#fromMs = this.#options.clock.now()
  }

  /** Nothing is written after it has resolved. */
  end(): Promise<void> {
    this.#isOver = true
    this.#timer?.cancel()
    const nowMs = this.#options.clock.now()
    return this.#write(() => this.#close(nowMs))
  }

  #keep(picture: Picture): Promise<void> {
    this.#waiting += picture.jpeg.byteLength
    return this.#write(() => this.#put(picture))
  }

  #write(work: () => Promise<void>): Promise<void> {
    return this.#writes.run(work).catch((error: unknown) => {
      // What follows a picture that is not whole cannot be read.
      this.#isOver = true
      this.#timer?.cancel()
      this.#options.onProblem(error)
    })
  }

  async #put({ atMs, jpeg }: Picture): Promise<void> {
    const slice = (this.#slice ??= await this.#open(Math.max(atMs, this.#endMs)))
    // Times of a page that is shown instead of another one may be a little earlier.
    slice.lastMs = Math.max(atMs, slice.lastMs)
    slice.pictures++
    await slice.spool.add({ atMs: slice.lastMs, jpeg })
  }

  async #open(startMs: number): Promise<OpenSlice> {
    const spool = await Spool.create(join(this.#options.folder, openName(startMs)))
    return { startMs, spool, pictures: 0, lastMs: startMs }
  }

  /** The clock may have been set back meanwhile. */
  async #close(atMs: number): Promise<void> {
    const slice = this.#slice
    this.#slice = undefined
    if (!slice) return
    await slice.spool.close()
    const { folder, onSlice } = this.#options
    this.#endMs = Math.max(atMs, slice.lastMs + 1)
    const ms = this.#endMs - slice.startMs
    await rename(
      join(folder, openName(slice.startMs)),
      join(folder, waitingName(slice.startMs, ms)),
    )
    onSlice()
  }

  #arm(): void {
    this.#timer = this.#options.clock.timer(sliceMs, () => {
      void this.#turn().finally(() => this.#isOver || this.#arm())
    })
  }

  /** A slice of few pictures goes on, because each costs a start of the encoder. */
  async #turn(): Promise<void> {
    const nowMs = this.#options.clock.now()
    const { startMs = nowMs, pictures = 0 } = this.#slice ?? {}
    if (pictures < slicePictures && nowMs - startMs < sliceMsMax) return
    const jpeg = this.#last
    if (jpeg) this.#waiting += jpeg.byteLength
    // The next one begins where this one ends, with what the page shows, before any other picture.
    await this.#write(async () => {
      await this.#close(nowMs)
      if (jpeg) await this.#put({ atMs: this.#endMs, jpeg })
    })
  }
}

/** Closes what an agent that was killed has left open: a slice ends with its last picture. */
export async function closeLeftSlices(folder: string): Promise<void> {
  for (const slice of await slicesIn(folder)) {
    if (slice.kind !== 'open') continue
    let lastMs: number | undefined
    for await (const { atMs } of readSpool(slicePath(folder, slice))) lastMs = atMs
    if (lastMs === undefined) await rm(slicePath(folder, slice))
    else {
      const ms = lastMs - slice.startMs + videoLimits.pictureEveryMs
      await rename(slicePath(folder, slice), join(folder, waitingName(slice.startMs, ms)))
    }
  }
}
