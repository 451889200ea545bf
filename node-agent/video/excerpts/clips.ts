/**
 * Parts of videos as files of their own, which are read soon after they are made. Only this process
 * has them: their names are removed at once, so that nothing is left on the disk, however it ends.
 */
import { rm, type FileHandle } from 'node:fs/promises'
import type { VideoPart } from '../../../proto/browser-host/video.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { newId } from '../../../proto/ids.ts'
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import { openPlain } from '../../files/open-plain.ts'
import type { Encoder } from '../encoder.ts'
import { videoLimits } from '../limits.ts'

interface OpenClip {
  readonly sessionId: string
  readonly file: FileHandle
  forget: Timer
}

export interface ClipsOptions {
  readonly clock: Clock
  readonly encoder: Pick<Encoder, 'clip'>
}

export class Clips {
  readonly #options: ClipsOptions
  /** The oldest first. */
  readonly #open = new Map<string, OpenClip>()

  constructor(options: ClipsOptions) {
    this.#options = options
  }

  stop(): void {
    for (const clip of this.#open.keys()) this.#close(clip)
  }

  /** Of the whole video of a session. Its id is what `fileOf` takes. */
  async make(
    sessionId: string,
    video: string,
    part: VideoPart,
  ): Promise<{ readonly clip: string; readonly size: number }> {
    const clip = newId('clp')
    const path = `${video}.${clip}`
    await this.#options.encoder.clip(video, part, path)
    const file = await openPlain(path)
    await rm(path)
    if (!file) throw new Error('the encoder left no plain file')
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < videoLimits.clips) break
      this.#close(oldest)
    }
    this.#open.set(clip, { sessionId, file, forget: this.#forgetLater(clip) })
    return { clip, size: (await file.stat()).size }
  }

  /** Throws `not_found` if it was closed meanwhile, or is another session's. */
  fileOf(sessionId: string, clip: string): FileHandle {
    const open = this.#open.get(clip)
    if (open?.sessionId !== sessionId) {
      throw new ServiceError('not_found', 'The clip was not read in time; ask for it again.')
    }
    open.forget.cancel()
    open.forget = this.#forgetLater(clip)
    return open.file
  }

  #forgetLater(clip: string): Timer {
    return this.#options.clock.timer(videoLimits.clipKeptMs, () => this.#close(clip))
  }

  #close(clip: string): void {
    const open = this.#open.get(clip)
    if (!this.#open.delete(clip) || !open) return
    open.forget.cancel()
    // It was only read.
    open.file.close().catch(() => undefined)
  }
}
