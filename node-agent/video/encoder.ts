/**
 * ffmpeg, which decodes what hostile pages drew. So it runs in namespaces of its own: without a
 * network, with the system's programs and one folder to see, bounded in memory, time and output. Beside
 * sessions it has the least priority, so that they do not notice it. Not the idle one, with which it
 * would never end on a machine that is busy.
 */
import type { FileHandle } from 'node:fs/promises'
import { lstat, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { VideoPart } from '../../proto/browser-host/video.ts'
import { newId } from '../../proto/ids.ts'
import { systemArgs } from '../../runtime/browser-host/isolation/bubblewrap.ts'
import { canRun } from '../../runtime/browser-host/isolation/sandbox.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { killGroup, spawnGuarded, type Guard } from '../../runtime/process/guard.ts'
import { videoLimits } from './limits.ts'
import { matroska, type PictureSize, type TimedPicture } from './matroska.ts'
import { encodedName, type Slice } from './slices.ts'

export interface EncoderMeans {
  readonly guard: Guard
  readonly clock: Clock
}

/** Why this host cannot encode videos; undefined if it can. */
export function encoderLack(): string | undefined {
  if (!canRun(['sh', '-c', 'command -v ffmpeg'])) return 'there is no ffmpeg'
  if (canRun([...encoderWall(), 'true'])) return undefined
  return 'bwrap may not create the namespaces in which ffmpeg runs'
}

export class Encoder {
  readonly #means: EncoderMeans

  constructor(means: EncoderMeans) {
    this.#means = means
  }

  /** The file has the pictures at their times, scaled to the size. Nothing is there after a failure. */
  async encode(
    pictures: AsyncIterable<TimedPicture>,
    size: PictureSize,
    path: string,
    nice: number,
  ): Promise<void> {
    const part = `${path}.new`
    await rm(part, { force: true })
    const file = await open(part, 'wx', 0o600)
    try {
      await this.#run(nice, [], encoding(size), file, matroska(pictures, size))
    } catch (error) {
      await rm(part, { force: true })
      throw error
    } finally {
      await file.close()
    }
    await rename(part, path)
  }

  /** Puts encoded slices of one folder behind each other, so that players can begin and jump at once. */
  async join(folder: string, slices: readonly Slice[], path: string): Promise<void> {
    await writeFile(join(folder, listName), listOf(slices))
    await this.#runInto(path, ['--ro-bind', folder, '/in'], joining)
    await rm(join(folder, listName))
  }

  /** What a whole video shows from a moment to another, as a file of its own. */
  async clip(video: string, { fromMs, toMs }: VideoPart, path: string): Promise<void> {
    await this.#runInto(path, ['--ro-bind', video, '/in.mp4'], clipping(fromMs, toMs))
  }

  /** The picture that a file of a video shows after so many ms, as JPEG. */
  async frame(path: string, ms: number): Promise<Uint8Array> {
    const made = `${path}.${newId('frm')}`
    const file = await open(made, 'wx', 0o600)
    try {
      const shown = ['--ro-bind', path, '/in.mp4']
      await this.#run(videoLimits.niceAfter, shown, frameAfter(ms), file)
      return await readFile(made)
    } finally {
      await file.close()
      await rm(made)
    }
  }

  /** For files that players can begin and jump in at once: their index is written last. */
  async #runInto(path: string, shown: readonly string[], args: readonly string[]): Promise<void> {
    const out = `${path}.out`
    await rm(out, { recursive: true, force: true })
    await mkdir(out, { mode: 0o700 })
    try {
      await this.#run(videoLimits.niceAfter, [...shown, '--bind', out, '/out'], args)
      const made = join(out, 'video.mp4')
      // It could have made a link to a file of the host.
      if (!(await lstat(made)).isFile()) throw new Error('the encoder left no plain file')
      await rename(made, path)
    } finally {
      await rm(out, { recursive: true })
    }
  }

  async #run(
    nice: number,
    folders: readonly string[],
    args: readonly string[],
    output?: FileHandle,
    input: AsyncIterable<Buffer> | Iterable<Buffer> = [],
  ): Promise<void> {
    const { guard, clock } = this.#means
    const [command, ...rest] = [
      'nice',
      '-n',
      String(nice),
      ...bounded,
      ...encoderWall(folders),
      ...ffmpeg,
      ...args,
    ]
    const { child, group, exited } = spawnGuarded(guard, command!, rest, {
      key: newId('enc'),
      stdio: ['pipe', output?.fd ?? 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'] },
    })
    const late = clock.timer(videoLimits.encodeMs, () => group && killGroup(group))
    let said = ''
    child.stderr?.on('data', (text: Buffer) => (said = `${said}${text}`.slice(-2_000)))
    try {
      // If it ends early, its exit says why.
      const fed = pipeline(Readable.from(input), child.stdin!).catch(() => undefined)
      const { code, signal, error } = await exited
      child.stdin!.destroy()
      await fed
      if (error) throw error
      if (code !== 0) throw new Error(`ffmpeg ended with ${signal ?? code}: ${said}`)
    } finally {
      late.cancel()
    }
  }
}

const { encoderMemoryBytes, encoderCpuSeconds, encodedBytes, pictureEveryMs, repeatEveryMs } =
  videoLimits

const bounded = [
  ...['prlimit', `--as=${encoderMemoryBytes}`, `--cpu=${encoderCpuSeconds}`],
  ...[`--fsize=${encodedBytes}`, '--core=0'],
]

/** Precedes the program on the command line; `folders` are arguments of bubblewrap. */
export const encoderWall = (folders: readonly string[] = []): readonly string[] => [
  ...systemArgs(),
  ...['--unshare-net', '--unshare-ipc', '--die-with-parent', '--tmpfs', '/tmp', '--chdir', '/tmp'],
  ...folders,
]

const ffmpeg = ['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1']

const encoded: readonly string[] = [
  ...['-c:v', 'libx264', '-preset', 'superfast', '-crf', '26', '-bf', '0', '-threads', '1'],
  ...['-force_key_frames', `expr:gte(t,n_forced*${repeatEveryMs / 1_000})`],
  // Each picture keeps its time, in ms.
  ...['-fps_mode', 'passthrough', '-enc_time_base', '1:1000', '-video_track_timescale', '1000'],
]

/** All slices of a video are encoded alike, so that they can be joined without another encoding. */
const encoding = ({ width, height }: PictureSize): readonly string[] => [
  ...['-f', 'matroska', '-i', 'pipe:0', '-map', '0:v:0', '-vf', fitted(width, height)],
  ...encoded,
  ...['-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-f', 'mp4', 'pipe:1'],
]

/** Pages may change their size; the rest of the picture is black. */
function fitted(width: number, height: number): string {
  const size = `${width}:${height}`
  return (
    `scale=${size}:force_original_aspect_ratio=decrease:flags=bilinear,` +
    `pad=${size}:(ow-iw)/2:(oh-ih)/2,setsar=1,format=yuv420p`
  )
}

const listName = 'list'

const joining = [
  ...['-f', 'concat', '-i', `/in/${listName}`, '-map', '0:v:0', '-c', 'copy'],
  ...['-video_track_timescale', '1000', '-movflags', '+faststart', '-f', 'mp4', '/out/video.mp4'],
]

const seconds = (ms: number) => (ms / 1_000).toFixed(3)

/** The same picture is repeated, so one that is shown at a moment is not further back. */
const shownSince = (ms: number) => Math.max(0, ms - 2 * repeatEveryMs)

/**
 * Encoded again: a copy would begin at the key frame before, and contain what is cut off. It has
 * pictures at a constant rate, since what it begins and ends with may have been painted earlier.
 */
function clipping(fromMs: number, toMs: number): readonly string[] {
  const sinceMs = shownSince(fromMs)
  const filters = [
    `fps=${1_000 / pictureEveryMs}`,
    `tpad=stop_mode=clone:stop_duration=${seconds(2 * repeatEveryMs)}`,
    `trim=start=${seconds(fromMs - sinceMs)}:end=${seconds(toMs - sinceMs)}`,
    'setpts=PTS-STARTPTS',
  ]
  return [
    ...['-ss', seconds(sinceMs), '-i', '/in.mp4', '-map', '0:v:0', '-vf', filters.join()],
    ...encoded,
    ...['-movflags', '+faststart', '-f', 'mp4', '/out/video.mp4'],
  ]
}

/** The last one until then. */
function frameAfter(ms: number): readonly string[] {
  const fromMs = shownSince(ms)
  return [
    ...['-ss', seconds(fromMs), '-i', '/in.mp4', '-map', '0:v:0'],
    // Not `-t`, which counts from the first picture.
    ...['-vf', `trim=end=${seconds(ms - fromMs + 1)},reverse`, '-frames:v', '1', '-q:v', '4'],
    ...['-f', 'mjpeg', 'pipe:1'],
  ]
}

/** With the exact length of each, or errors would add up. */
const listOf = (slices: readonly Slice[]): string =>
  [
    'ffconcat version 1.0',
    ...slices.flatMap((slice) => [
      `file ${encodedName(slice)}`,
      `duration ${(slice.ms / 1_000).toFixed(3)}`,
    ]),
    '',
  ].join('\n')
