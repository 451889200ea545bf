/** Videos of a played browser: real files and a real ffmpeg, and a clock that the test moves on. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { CdpPipe } from '../../../node-agent/cdp/cdp.ts'
import type { CdpEvent } from '../../../node-agent/cdp/protocol.ts'
import { Encoder } from '../../../node-agent/video/encoder.ts'
import { SessionVideos } from '../../../node-agent/video/session-videos.ts'
import { defined } from '../../../proto/defined.ts'
import { newId } from '../../../proto/ids.ts'
import { MiB } from '../../../proto/units.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { Guard } from '../../../runtime/process/guard.ts'
import { graysIn, grayJpeg } from '../files/video.ts'
import { until } from '../lib/until.ts'
import { silent } from '../nats/nats.ts'
import { isRecording } from '../service/isolation-here.ts'

export const skip = !isRecording && 'sessions cannot be recorded on this machine'
const guard = new Guard()
t.teardown(() => guard.stop())
export const encoder = new Encoder({ guard, clock: systemClock })
export const grays = [0, 60, 120, 180, 240]
/** A picture of each. */
export const jpegs = isRecording ? grays.map((gray) => grayJpeg(gray)) : []
export const playedOptions = { recording: true, viewport: { width: 320, height: 200 } } as const

/** Timers that are due fire in order while it is moved on; real ones run beside it. */
function movedClock() {
  let nowMs = 1_764_000_000_000
  const timers = new Set<{ readonly atMs: number; readonly fire: () => void }>()
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5))
  return {
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      timer(ms: number, fire: () => void) {
        const timer = { atMs: nowMs + ms, fire }
        timers.add(timer)
        return { cancel: () => void timers.delete(timer) }
      },
    },
    async run(ms: number) {
      const untilMs = nowMs + ms
      for (;;) {
        await settle()
        const [next] = [...timers].toSorted((a, b) => a.atMs - b.atMs)
        if (!next || next.atMs > untilMs) break
        timers.delete(next)
        nowMs = next.atMs
        next.fire()
      }
      nowMs = untilMs
    },
  }
}

/** A browser with one page, which shows what the test gives. */
export function playedBrowser(clock: CdpPipe['clock']) {
  let hear: ((event: CdpEvent) => void) | undefined
  const calls: string[] = []
  const cdp = {
    clock,
    onEvent(listener: (event: CdpEvent) => void, sessionId?: string) {
      if (sessionId !== undefined) hear = listener
      return () => undefined
    },
    async send(method: string) {
      calls.push(method)
      if (method === 'Target.getTargets') {
        return { targetInfos: [{ type: 'page', targetId: 'p', browserContextId: 'b' }] }
      }
      return { sessionId: 's' }
    },
  }
  return {
    browser: { id: newId('brw'), cdp: cdp as unknown as CdpPipe, ownContextId: 'own' },
    calls,
    /** `agoMs`: it was painted earlier. */
    show(jpeg: Uint8Array, agoMs = 0) {
      const params = {
        data: Buffer.from(jpeg).toString('base64'),
        metadata: { timestamp: (clock.now() - agoMs) / 1_000 },
        sessionId: 1,
      }
      hear!({ method: 'Page.screencastFrame', params } as CdpEvent)
    },
  }
}

export type VideoEncoder = Pick<Encoder, 'clip' | 'encode' | 'frame' | 'join'>

interface Options {
  readonly encoder?: VideoEncoder
  readonly folder?: string
}

/** The videos of an agent, and a session that is recorded. */
export async function openVideos(t: Test, given: Options = {}) {
  const { clock, run } = movedClock()
  const folder = given.folder ?? t.testdir()
  const agent = (its: VideoEncoder = given.encoder ?? encoder) => {
    const videos = new SessionVideos({
      ...{ folder, clock, log: silent, encoder: its, allBytes: 100 * MiB, keptMs: 3_600_000 },
    })
    t.teardown(() => videos.stop())
    return videos
  }
  const videos = agent()
  const sessionId = newId('ses')
  const { browser, show, calls } = playedBrowser(clock)
  videos.begin(sessionId, 'tenant', browser, playedOptions)
  await until('its page is shown', () => calls.includes('Page.startScreencast'))
  const files = join(folder, sessionId)
  return { ...{ clock, run, folder, agent, videos, sessionId, browser, show, calls, files } }
}

export const whenMade = (videos: SessionVideos, sessionId: string) =>
  until('the video is made', async () => {
    const info = await videos.info(sessionId)
    return info.state !== 'processing' && info.state !== 'recording' && info
  })

/** Of the whole video, or of a clip. */
export async function bytesOf(
  videos: SessionVideos,
  sessionId: string,
  clip?: string,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (let from = 0; ;) {
    const { bytes, size } = await videos.excerpts.read({ sessionId, from, ...defined({ clip }) })
    parts.push(bytes)
    from += bytes.byteLength
    if (from >= size) return Buffer.concat(parts)
  }
}

/** The gray of the picture that the video has at a moment, or last. */
export async function grayAt(
  videos: SessionVideos,
  sessionId: string,
  atMs?: number,
): Promise<number> {
  const { jpeg } = await videos.excerpts.frame({ sessionId, ...defined({ atMs }) })
  return graysIn(jpeg)[0]!.gray
}

export const near = (gray: number, wanted: number) => Math.abs(gray - wanted) < 12
