/** What is shown of the videos of this host: single pictures, clips, and the bytes of each. */
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeVerbs } from '../../../proto/browser-host/node.ts'
import { partOfVideo } from '../../../proto/browser-host/video.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { SerialQueue } from '../../../runtime/lib/serial-queue.ts'
import { openPlain } from '../../files/open-plain.ts'
import type { Encoder } from '../encoder.ts'
import { videoLimits } from '../limits.ts'
import { wholeVideo } from '../slices.ts'
import { knownVideo, noVideoError, videoFolder } from '../video-record.ts'
import { Clips, type ClipsOptions } from './clips.ts'
import { frameAt } from './frame-at.ts'

export interface ExcerptsOptions extends ClipsOptions {
  /** Of all videos. */
  readonly folder: string
  readonly encoder: Pick<Encoder, 'clip' | 'frame'>
}

export class Excerpts {
  readonly #options: ExcerptsOptions
  readonly #clips: Clips
  /** One at a time of each on a host: they start an ffmpeg. */
  readonly #frames = new SerialQueue()
  readonly #clipping = new SerialQueue()

  constructor(options: ExcerptsOptions) {
    this.#options = options
    this.#clips = new Clips(options)
  }

  stop(): void {
    this.#clips.stop()
  }

  /** A part of the finished video, or of a clip, from a byte on. */
  async read({
    sessionId,
    from,
    clip,
  }: NodeVerbs['video']['request']): Promise<NodeVerbs['video']['reply']> {
    if (clip !== undefined) return await chunkOf(this.#clips.fileOf(sessionId, clip), from)
    const file = await openPlain(join(this.#folderOf(sessionId), wholeVideo))
    if (!file) throw noVideoError()
    try {
      return await chunkOf(file, from)
    } finally {
      await file.close()
    }
  }

  async frame({
    sessionId,
    atMs,
  }: NodeVerbs['video_frame']['request']): Promise<NodeVerbs['video_frame']['reply']> {
    const folder = this.#folderOf(sessionId)
    const jpeg = await this.#frames.run(() => frameAt(folder, atMs, this.#options.encoder))
    if (!jpeg) throw new ServiceError('not_found', nothingThen)
    return { jpeg }
  }

  /** Throws `not_found` until the video is finished, and for a time that it does not show. */
  async clip({
    sessionId,
    fromMs,
    toMs,
  }: NodeVerbs['video_clip']['request']): Promise<NodeVerbs['video_clip']['reply']> {
    const folder = this.#folderOf(sessionId)
    const { finished } = await knownVideo(folder)
    if (!finished) throw new ServiceError('not_found', unfinished)
    const part = partOfVideo(finished.spans, { fromMs, toMs })
    if (!part) throw new ServiceError('not_found', nothingThen)
    const video = join(folder, wholeVideo)
    try {
      return await this.#clipping.run(() => this.#clips.make(sessionId, video, part))
    } catch (error) {
      // It may have been removed meanwhile.
      await knownVideo(folder)
      throw error
    }
  }

  #folderOf(sessionId: string): string {
    return videoFolder(this.#options.folder, sessionId)
  }
}

async function chunkOf(file: FileHandle, from: number): Promise<NodeVerbs['video']['reply']> {
  const { size } = await file.stat()
  const wanted = Math.max(0, Math.min(videoLimits.chunkBytes, size - from))
  const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, from)
  return { bytes: buffer.subarray(0, bytesRead), size }
}

const nothingThen =
  'The recording shows nothing at that time; its spans say from when to when it does.'
const unfinished = 'The recording is not finished: clips can be made when its status is ready.'
