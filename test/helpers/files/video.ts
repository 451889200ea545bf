/**
 * Pages that paint the time as bars, and what a video shows of them, so that tests can compare when
 * something was shown with where it is in the video.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Of a number that a page paints, the least first: white is 1. */
export const bits = 16
const stepMs = 10

/** A page of bars that show the wall clock since `sinceMs`, 20 times a second, for eleven minutes. */
export const barsPage = (sinceMs: number): string => `<!doctype html><title>Bars</title>
  <body style="margin: 0; background: gray">
  <canvas width="${bits}" height="1" style="width: 100vw; height: 50vh; image-rendering: pixelated">
  </canvas><script>
    const context = document.querySelector('canvas').getContext('2d')
    setInterval(() => {
      const value = Math.floor((Date.now() - ${sinceMs}) / ${stepMs})
      for (let bit = 0; bit < ${bits}; bit++) {
        context.fillStyle = (value >> bit) & 1 ? 'white' : 'black'
        context.fillRect(bit, 0, 1, 1)
      }
    }, 50)
  </script>`

export interface ShownPicture {
  /** From the begin of the video. */
  readonly ms: number
  /** What the bars show: ms since the page's begin; undefined for a picture that is all black or white. */
  readonly shownMs: number | undefined
}

/** The pictures of an MP4, in order. */
export const barsIn = (video: Uint8Array): readonly ShownPicture[] =>
  numbersIn(video, 'iw:ih/4:0:ih/8').map(({ ms, value }) => {
    const isBlank = value === 0 || value === 2 ** bits - 1
    return { ms, shownMs: isBlank ? undefined : value * stepMs }
  })

/** The number that the bars in a part of each picture say. */
export const numbersIn = (video: Uint8Array, crop: string) =>
  pixelsIn(video, bits, 1, crop).map(({ ms, grays }) => {
    return { ms, value: grays.reduce((sum, gray, bit) => sum + (gray > 127 ? 2 ** bit : 0), 0) }
  })

/** The gray in the middle of each picture of an MP4. */
export const graysIn = (video: Uint8Array) =>
  pixelsIn(video, 1, 1, 'iw/4:ih/4').map(({ ms, grays }) => ({ ms, gray: grays[0]! }))

/** A part of each picture, scaled to so many pixels, row by row, with its time from the begin. */
export function pixelsIn(video: Uint8Array, width: number, height: number, crop = 'iw:ih') {
  return withFile(video, (path) => {
    const times = run('ffprobe', [
      ...['-v', 'error', '-select_streams', 'v', '-show_entries', 'frame=pts_time'],
      ...['-of', 'csv=p=0', path],
    ])
      .toString()
      .split('\n')
      .flatMap((line) => (line ? [Math.round(Number.parseFloat(line) * 1_000)] : []))
    const pixels = run('ffmpeg', [
      ...['-v', 'error', '-i', path, '-vf', `crop=${crop},scale=${width}:${height}:flags=area`],
      ...['-fps_mode', 'passthrough', '-pix_fmt', 'gray', '-f', 'rawvideo', 'pipe:1'],
    ])
    const size = width * height
    return times.map((ms, n) => ({ ms, grays: pixels.subarray(n * size, (n + 1) * size) }))
  })
}

/** Seconds of the whole. */
export const videoSeconds = (video: Uint8Array): number =>
  withFile(video, (path) =>
    Number(
      run('ffprobe', [
        ...['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path],
      ]),
    ),
  )

/** A JPEG of one gray, as a picture of a page. */
export const grayJpeg = (gray: number, size = '320x200'): Buffer =>
  run('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', `color=0x${hex(gray).repeat(3)}:s=${size}`],
    ...['-frames:v', '1', '-f', 'mjpeg', 'pipe:1'],
  ])

const hex = (value: number) => value.toString(16).padStart(2, '0')

const run = (program: string, args: readonly string[]): Buffer =>
  execFileSync(program, args, { maxBuffer: 2 ** 28 })

function withFile<T>(bytes: Uint8Array, work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'video-'))
  try {
    const path = join(folder, 'video.mp4')
    writeFileSync(path, bytes)
    return work(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
