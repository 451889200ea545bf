/**
 * The videos of this host's recorded sessions. While a session runs, its pictures are encoded slice
 * by slice, one at a time on each host; at its end the slices become one file, which is kept for a
 * while. All of it is in files, so an agent that dies leaves the rest of the work to the next one.
 */
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import type { VideoInfo, VideoOrder } from '../../proto/browser-host/video.ts'
import { defined } from '../../proto/defined.ts'
import { ServiceError } from '../../proto/errors.ts'
import { isId, type BrowserId } from '../../proto/ids.ts'
import type { LoggedEvent } from '../../proto/session/session-event.ts'
import type { SessionOptions } from '../../proto/session/session.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { makePrivateFolder } from '../../runtime/lib/files/make-folder.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import { removedForRoom, type KeptFile } from '../line-files/room.ts'
import type { Encoder } from './encoder.ts'
import { videoLimits } from './limits.ts'
import { Pictures, type PicturedBrowser } from './pictures/pictures.ts'
import { closeLeftSlices, Recorder } from './recorder.ts'
import { slicesIn, wholeVideo } from './slices.ts'
import { encodeWaiting, type Encoded } from './encode-waiting.ts'
import { Excerpts } from './excerpts/excerpts.ts'
import {
  knownVideo,
  readVideoRecord,
  spansOf,
  videoFolder,
  videoSize,
  writeVideoRecord,
  type VideoRecord,
} from './video-record.ts'

export interface SessionVideosOptions {
  readonly folder: string
  readonly clock: Clock
  readonly log: Logger
  readonly encoder: Pick<Encoder, 'encode' | 'join' | 'frame' | 'clip'>
  /** Of all finished videos together. */
  readonly allBytes: number
  /** Counted from the end of the session. */
  readonly keptMs: number
  /** Tells the session of a finished video. Never rejects; told of it again if it was not heard. */
  readonly tell?: (folder: string) => Promise<void>
}

/** A session that is recorded now. */
interface Live {
  readonly folder: string
  readonly recorder: Recorder
  readonly pictures: Pictures
  /** Of the video that this agent has made so far. */
  videoBytes: number
}

type RecordingChange = Extract<LoggedEvent, { type: 'recording' }>['state']

interface RecordedBrowser extends PicturedBrowser {
  readonly id: BrowserId
}

type RecordedOptions = Pick<SessionOptions, 'recording' | 'viewport'>

export class SessionVideos {
  readonly excerpts: Excerpts
  readonly #options: SessionVideosOptions
  readonly #live = new Map<string, Promise<Live | undefined>>()
  readonly #encodings = new SerialQueue()
  #timer: Timer
  #isStopped = false
  /** Which sessions earlier agents have left to this one. */
  #knowsSessions = false

  constructor(options: SessionVideosOptions) {
    this.#options = options
    this.excerpts = new Excerpts(options)
    this.#timer = this.#sweepAfter(0)
  }

  /** What is on the disk stays there, for the next agent. */
  stop(): void {
    this.#isStopped = true
    this.#timer.cancel()
    this.excerpts.stop()
  }

  /** From now on the session is recorded, if its options say so. */
  begin(
    sessionId: string,
    tenant: string,
    browser: RecordedBrowser,
    { recording, viewport }: RecordedOptions,
  ): void {
    if (!recording || !isId('ses', sessionId)) return
    const { clock, log } = this.#options
    const size = videoSize(viewport, videoLimits.sidePx)
    const record = { tenant, sessionId, browserId: browser.id, size, startedAtMs: clock.now() }
    const begun = this.#begin(record, browser).catch((err: unknown) => {
      log.error({ session: sessionId, err }, 'a session could not be recorded')
      return undefined
    })
    this.#live.set(sessionId, begun)
  }

  /** The rest of its pictures is encoded, and the video made, after this has returned. */
  end(sessionId: string): void {
    const begun = this.#live.get(sessionId)
    if (!begun) return
    void begun.then(async (live) => {
      live?.pictures.stop()
      await live?.recorder.end()
      this.#live.delete(sessionId)
      if (live) this.#finishSoon(live.folder)
    })
  }

  /** Finishes what earlier agents have left, but for the sessions that have begun here since. */
  async finishLeft(): Promise<void> {
    this.#knowsSessions = true
    for (const folder of await this.#folders()) {
      if (this.#live.has(basename(folder))) continue
      const record = await readVideoRecord(folder)
      if (record?.finished) continue
      // That agent was killed before it had begun.
      if (!record) await rm(folder, { recursive: true, force: true })
      else {
        await closeLeftSlices(folder)
        this.#finishSoon(folder)
      }
    }
  }

  async info(sessionId: string): Promise<VideoInfo> {
    const live = await this.#live.get(sessionId)
    const folder = this.#folderOf(sessionId)
    const { finished, startedAtMs, problem } = await knownVideo(folder)
    if (finished) {
      const { bytes, spans } = finished
      const state = bytes > 0 ? 'ready' : 'failed'
      return { ...{ state, startedAtMs, spans, bytes }, ...defined({ problem }) }
    }
    const spans = spansOf(this.#withLengths(await slicesIn(folder)))
    const running = live?.recorder.isPaused ? 'paused' : 'recording'
    const state = live ? running : 'processing'
    return { ...{ state, startedAtMs, spans, bytes: 0 }, ...defined({ problem }) }
  }

  /**
   * What has become of the recording, undefined if it was so before. Throws `not_found` if the session
   * is not, or was not, recorded.
   */
  async order(sessionId: string, order: VideoOrder): Promise<RecordingChange | undefined> {
    const live = await this.#live.get(sessionId)
    const folder = this.#folderOf(sessionId)
    await knownVideo(folder)
    if (order === 'remove') {
      await this.#remove(sessionId, live)
      return 'removed'
    }
    if (!live) throw new ServiceError('session_ended', 'The session is not recorded any more.')
    const { recorder, pictures } = live
    const wasPaused = recorder.isPaused
    if (order === 'pause') {
      await recorder.pause()
      return wasPaused ? undefined : 'paused'
    }
    recorder.resume()
    pictures.refresh()
    return wasPaused ? 'resumed' : undefined
  }

  async #begin(record: VideoRecord, browser: PicturedBrowser): Promise<Live> {
    const { folder: root, clock, log } = this.#options
    const { sessionId } = record
    makePrivateFolder(root)
    const folder = this.#folderOf(sessionId)
    makePrivateFolder(folder)
    // A session that came from an earlier agent goes on with its video.
    const known = await readVideoRecord(folder)
    if (known && !known.finished) await closeLeftSlices(folder)
    else await writeVideoRecord(folder, record)
    const onProblem = (err: unknown) => {
      log.error({ session: sessionId, err }, 'a session is not recorded any more')
      void this.#tellProblem(folder, diskProblem)
    }
    const onSlice = () => this.#encodeSoon(live)
    const recorder = new Recorder({ folder, clock, onSlice, onProblem })
    const pictures = new Pictures(browser, (picture) => recorder.add(picture))
    const live: Live = { folder, recorder, pictures, videoBytes: 0 }
    return live
  }

  #encodeSoon(live: Live): void {
    const { folder } = live
    this.#inTurn(folder, async () => {
      const { niceBeside } = videoLimits
      const { spooledBytes, videoBytes } = await this.#encode(folder, niceBeside)
      live.recorder.encoded(spooledBytes)
      live.videoBytes += videoBytes
      if (live.videoBytes < videoLimits.videoBytes) return
      live.pictures.stop()
      await live.recorder.end()
      await this.#tellProblem(folder, lengthProblem)
    })
  }

  #finishSoon(folder: string): void {
    this.#inTurn(folder, async () => {
      try {
        await this.#finish(folder)
      } catch (error) {
        if (!this.#isStopped) await this.#tellProblem(folder, joinProblem)
        throw error
      }
    })
  }

  #inTurn(folder: string, work: () => Promise<void>): void {
    this.#encodings.run(work).catch((err: unknown) => {
      this.#options.log.error({ folder, err }, 'a video could not be made')
    })
  }

  /** A slice that cannot be encoded is missing in the video. */
  async #encode(
    folder: string,
    nice: number,
  ): Promise<Pick<Encoded, 'spooledBytes' | 'videoBytes'>> {
    const record = await readVideoRecord(folder)
    if (this.#isStopped || !record) return { spooledBytes: 0, videoBytes: 0 }
    const { encoder, log } = this.#options
    const { sessionId: session, size } = record
    const encoded = await encodeWaiting(folder, {
      ...{ encoder, size, nice, isStopped: () => this.#isStopped },
      failed: ({ name }, err) => log.error({ session, name, err }, 'a slice was not encoded'),
    })
    if (encoded.lost > 0) await this.#tellProblem(folder, lostProblem)
    return encoded
  }

  async #finish(folder: string): Promise<void> {
    await this.#encode(folder, videoLimits.niceAfter)
    const record = await readVideoRecord(folder)
    // A session whose first claim failed may have begun again.
    if (this.#isStopped || !record || record.finished || this.#live.has(record.sessionId)) return
    const { encoder, clock } = this.#options
    const slices = (await slicesIn(folder)).filter(({ kind }) => kind === 'encoded')
    const path = join(folder, wholeVideo)
    if (slices.length > 0) await encoder.join(folder, slices, path)
    const bytes = slices.length > 0 ? (await stat(path)).size : 0
    const finished = { atMs: clock.now(), bytes, spans: spansOf(slices) }
    const known = record.problem === joinProblem ? undefined : record.problem
    const problem = known ?? (bytes === 0 ? emptyProblem : undefined)
    const { problem: _, ...rest } = record
    await writeVideoRecord(folder, { ...rest, finished, ...defined({ problem }) })
    for (const { name } of slices) await rm(join(folder, name))
    void this.#options.tell?.(folder)
    await this.#makeRoom()
  }

  async #tellProblem(folder: string, problem: string): Promise<void> {
    const record = await readVideoRecord(folder)
    // The disk may be full; then the log has it.
    if (record) await writeVideoRecord(folder, { ...record, problem }).catch(() => undefined)
  }

  async #remove(sessionId: string, live: Live | undefined): Promise<void> {
    this.#live.delete(sessionId)
    live?.pictures.stop()
    await live?.recorder.end()
    // What the encoder has begun of it ends first.
    await this.#encodings.run(() => rm(this.#folderOf(sessionId), { recursive: true, force: true }))
  }

  #folderOf(sessionId: string): string {
    return videoFolder(this.#options.folder, sessionId)
  }

  async #folders(): Promise<string[]> {
    const { folder } = this.#options
    const names = await readdir(folder).catch(() => [])
    return names.filter((name) => isId('ses', name)).map((name) => join(folder, name))
  }

  /** An open slice lasts until now. */
  #withLengths(slices: Awaited<ReturnType<typeof slicesIn>>) {
    const nowMs = this.#options.clock.now()
    return slices.map(({ startMs, ms, kind }) => {
      return { startMs, ms: kind === 'open' ? Math.max(0, nowMs - startMs) : ms }
    })
  }

  #sweepAfter(ms: number): Timer {
    const { clock, log } = this.#options
    return clock.timer(ms, () => {
      this.#sweep().catch((err: unknown) => log.error({ err }, 'old videos were not swept'))
      this.#timer = this.#sweepAfter(videoLimits.sweepEveryMs)
    })
  }

  async #sweep(): Promise<void> {
    const { clock, keptMs, tell } = this.#options
    for (const { name: folder, atMs } of await this.#finished()) {
      if (clock.now() - atMs > keptMs) await rm(folder, { recursive: true, force: true })
      else void tell?.(folder)
    }
    // For instance because the disk was full.
    if (this.#knowsSessions) await this.finishLeft()
  }

  async #makeRoom(): Promise<void> {
    const kept = await this.#finished()
    for (const { name: folder } of removedForRoom(kept, this.#options.allBytes)) {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** By their folders. */
  async #finished(): Promise<KeptFile[]> {
    const all: KeptFile[] = []
    for (const name of await this.#folders()) {
      const record = await readVideoRecord(name)
      if (!record?.finished) continue
      const { bytes, atMs } = record.finished
      all.push({ name, tenant: record.tenant, bytes, atMs })
    }
    return all
  }
}

const diskProblem = 'The end is missing: the disk of the browser’s host was full.'
const lengthProblem = 'The end is missing: the video has its largest size, 2 GiB.'
const joinProblem = 'It could not be made yet, and is tried again every ten minutes.'
const lostProblem = 'Some seconds are missing: they could not be encoded.'
const emptyProblem = 'There is nothing to watch: the page never showed a picture.'
