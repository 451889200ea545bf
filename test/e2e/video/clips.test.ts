/**
 * Goal: a clip shows what the video does between two moments, all of it and nothing else, and nothing
 * of it is left. Method: a video of grays with a pause, a real ffmpeg, a clock that the test moves on.
 */
import { readdirSync } from 'node:fs'
import t from 'tap'
import { videoLimits } from '../../../node-agent/video/limits.ts'
import { newId } from '../../../proto/ids.ts'
import { graysIn, videoSeconds } from '../../helpers/files/video.ts'
import {
  bytesOf,
  encoder,
  grays,
  jpegs,
  near,
  openVideos,
  skip,
  whenMade,
} from '../../helpers/video/played-videos.ts'

/** Five grays for three seconds each, with a pause of ten seconds after the second one. */
async function openGrays(...given: Parameters<typeof openVideos>) {
  const [t] = given
  const opened = await openVideos(...given)
  const { clock, run, videos, sessionId, show } = opened
  const shownAtMs: number[] = []
  for (const [n, jpeg] of jpegs.entries()) {
    if (n === 2) {
      await videos.order(sessionId, 'pause')
      await run(10_000)
      await videos.order(sessionId, 'resume')
    }
    shownAtMs.push(clock.now())
    show(jpeg)
    await run(3_000)
  }
  const unfinished = videos.excerpts.clip({ sessionId, fromMs: shownAtMs[0]!, toMs: clock.now() })
  await t.rejects(unfinished, { message: /not finished/ })
  const endMs = clock.now()
  videos.end(sessionId)
  t.match(await whenMade(videos, sessionId), { state: 'ready' })
  const clipOf = async (fromMs: number, toMs: number) => {
    const { clip, size } = await videos.excerpts.clip({ sessionId, fromMs, toMs })
    const bytes = await bytesOf(videos, sessionId, clip)
    t.equal(bytes.byteLength, size)
    return { clip, bytes }
  }
  return { ...opened, shownAtMs, endMs, clipOf }
}

t.test('what was shown from one moment to another', { skip }, async (t) => {
  const { shownAtMs, endMs, clipOf, files } = await openGrays(t)
  const [first, second, third, fourth] = shownAtMs as [number, number, number, number]
  for (const [what, fromMs, toMs, seconds, shown] of [
    ['within a picture that was painted before', first + 1_200, first + 1_700, 0.5, [0]],
    ['from one picture to the next', first + 2_500, second + 1_000, 1.5, [0, 1]],
    ['over the pause', second + 2_000, third + 1_000, 2, [1, 2]],
    ['from within the pause', third - 4_000, third + 1_000, 1, [2]],
    ['to the end and beyond', fourth + 2_000, endMs + 60_000, 4, [3, 4]],
    ['all of it', first - 1_000, endMs + 1_000, 15, [0, 1, 2, 3, 4]],
  ] as const) {
    const { bytes } = await clipOf(fromMs, toMs)
    t.ok(Math.abs(videoSeconds(bytes) - seconds) < 0.3, `${what}: ${videoSeconds(bytes)} s`)
    const seen = graysIn(bytes).map(({ gray }) => grays.findIndex((one) => near(gray, one)))
    t.strictSame([...new Set(seen)], shown, what)
  }
  const { bytes } = await clipOf(first + 2_000, second + 2_000)
  const change = graysIn(bytes).find(({ gray }) => near(gray, grays[1]!))!
  t.ok(Math.abs(change.ms - 1_000) < 150, `each at its time: ${change.ms} ms`)
  t.equal(readdirSync(files).length, 2, 'only the video and its record are on the disk')
})

t.test('it is kept for a minute after it was read, for its session only', { skip }, async (t) => {
  const { run, videos, sessionId, shownAtMs, endMs, clipOf } = await openGrays(t)
  const { clip } = await clipOf(shownAtMs[0]!, endMs)
  const read = (id = sessionId) => videos.excerpts.read({ sessionId: id, from: 0, clip })
  const gone = { type: 'not_found', message: /ask for it again/ }
  await run(videoLimits.clipKeptMs - 1_000)
  t.ok((await read()).size > 0)
  await t.rejects(read(newId('ses')), gone)
  await run(videoLimits.clipKeptMs - 1_000)
  t.ok((await read()).size > 0, 'since it was read')
  await run(videoLimits.clipKeptMs)
  await t.rejects(read(), gone)
  const clips: string[] = []
  for (let n = 0; n <= videoLimits.clips; n++) {
    clips.push((await clipOf(shownAtMs[0]!, shownAtMs[0]! + 200)).clip)
  }
  const sizes = await Promise.allSettled(
    clips.map((one) => videos.excerpts.read({ sessionId, from: 0, clip: one })),
  )
  const kept = sizes.map(({ status }) => status === 'fulfilled')
  t.strictSame(kept, [false, true, true, true, true], 'the oldest makes room')
  const nothing = videos.excerpts.clip({ sessionId, fromMs: endMs + 1_000, toMs: endMs + 2_000 })
  await t.rejects(nothing, { type: 'not_found', message: /nothing at that time/ })
})

t.test('a recording that is deleted while a clip is cut out of it', { skip }, async (t) => {
  let before = async (): Promise<unknown> => undefined
  const deleting = {
    clip: async (...asked: Parameters<typeof encoder.clip>) => {
      await before()
      return encoder.clip(...asked)
    },
    encode: encoder.encode.bind(encoder),
    frame: encoder.frame.bind(encoder),
    join: encoder.join.bind(encoder),
  }
  const { videos, sessionId, shownAtMs, endMs } = await openGrays(t, { encoder: deleting })
  before = () => videos.order(sessionId, 'remove')
  const clip = videos.excerpts.clip({ sessionId, fromMs: shownAtMs[0]!, toMs: endMs })
  await t.rejects(clip, { type: 'not_found', message: /no recording/ })
})
