/**
 * Goal: pictures become a video that has each at its time, also after an hour, when the encoder fails,
 * when the disk does, when it is behind, and when an agent was killed. Method: real files and a real
 * ffmpeg, a played browser, a clock that the test moves on.
 */
import { appendFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { videoLimits } from '../../../node-agent/video/limits.ts'
import { newId } from '../../../proto/ids.ts'
import { MiB } from '../../../proto/units.ts'
import { graysIn, videoSeconds } from '../../helpers/files/video.ts'
import { until } from '../../helpers/lib/until.ts'
import {
  bytesOf,
  encoder,
  grayAt,
  grays,
  jpegs,
  near,
  openVideos,
  playedOptions,
  skip,
  whenMade,
  type VideoEncoder,
} from '../../helpers/video/played-videos.ts'

t.test('each picture at its time, after half an hour too', { skip }, async (t) => {
  const { run, videos, sessionId, show, files, clock } = await openVideos(t)
  const beginMs = clock.now()
  const shown: { readonly ms: number; readonly gray: number }[] = []
  let ms = 0
  const showNext = () => {
    const which = shown.length % grays.length
    show(jpegs[which]!)
    shown.push({ ms, gray: grays[which]! })
  }
  const pass = async (byMs: number) => {
    await run(byMs)
    ms += byMs
  }
  showNext()
  await until('it is written', () => readdirSync(files).some((name) => name.endsWith('.spool')))
  for (const byMs of [130, 370, 1_000, 2_511]) {
    await pass(byMs)
    showNext()
  }
  const midMs = ms
  const grayOfMoment = async (at: number, what: string) => {
    const { gray } = shown.findLast((one) => one.ms <= at)!
    const seen = await grayAt(videos, sessionId, beginMs + at)
    t.ok(near(seen, gray), `${what}, at ${at} ms: ${seen}, not ${gray}`)
  }
  await grayOfMoment(midMs - 2_000, 'from what waits')
  await pass(30 * 60_000)
  await until('a slice is encoded', () => readdirSync(files).some((name) => name.endsWith('.mp4')))
  await grayOfMoment(midMs - 2_000, 'from an encoded slice')
  for (const byMs of [101, 250, 7_777]) {
    showNext()
    await pass(byMs)
  }
  videos.end(sessionId)
  const info = await whenMade(videos, sessionId)
  t.match(info, { state: 'ready', problem: undefined })
  t.equal(info.spans.length, 1)
  const video = await bytesOf(videos, sessionId)
  t.equal(video.byteLength, info.bytes)
  t.ok(Math.abs(videoSeconds(video) - ms / 1_000) < 0.2)
  const pictures = graysIn(video)
  for (const { ms: atMs, gray } of shown) {
    const there = pictures.find((one) => Math.abs(one.ms - atMs) <= 20)
    t.ok(there && near(there.gray, gray), `gray ${gray} at ${atMs} ms`)
  }
  t.ok(
    pictures.every(({ ms: atMs }, n) => n === 0 || atMs - pictures[n - 1]!.ms <= 3_000),
    'players can jump anywhere',
  )
  await until('its slices are gone', () => readdirSync(files).length === 2)
  for (const { ms: at } of shown) await grayOfMoment(at + 40, 'from the whole video')
  t.ok(near(await grayAt(videos, sessionId), shown.at(-1)!.gray), 'the last one')
  for (const at of [beginMs - 1, beginMs + ms + 1_000]) {
    await t.rejects(grayAt(videos, sessionId, at), { message: /nothing at that time/ })
  }
  t.same(readdirSync(files).length, 2, 'nothing is left of single pictures')
})

t.test('a slice that cannot be encoded is missing, and that is told', { skip }, async (t) => {
  const paths: string[] = []
  const failing: VideoEncoder = {
    join: (...given) => encoder.join(...given),
    frame: (...given) => encoder.frame(...given),
    clip: (...given) => encoder.clip(...given),
    encode(...given) {
      paths.push(given[2])
      const [, second] = new Set(paths)
      if (given[2] === second) return Promise.reject(new Error('killed'))
      return encoder.encode(...given)
    },
  }
  const { run, videos, sessionId, show, clock } = await openVideos(t, { encoder: failing })
  const orders = ['pause', 'resume'] as const
  for (const jpeg of jpegs.slice(0, 3)) {
    show(jpeg)
    await run(1_000)
    for (const order of orders) await videos.order(sessionId, order)
    await run(10)
  }
  videos.end(sessionId)
  const info = await whenMade(videos, sessionId)
  t.match(info, { state: 'ready', problem: /Some seconds are missing/ })
  t.equal(info.spans.length, 2)
  t.equal(paths.length, 4, 'it was tried twice')
  t.ok(info.startedAtMs <= clock.now())
  const seen = graysIn(await bytesOf(videos, sessionId)).map(({ gray }) => gray)
  t.ok(near(seen[0]!, grays[0]!) && near(seen.at(-1)!, grays[2]!))
  t.notOk(seen.some((gray) => near(gray, grays[1]!)))
})

t.test('what a killed agent has left is finished by the next one', { skip }, async (t) => {
  const folder = t.testdir()
  const sessionId = newId('ses')
  const files = join(folder, sessionId)
  mkdirSync(files)
  const startedAtMs = 1_764_000_000_000
  const size = { width: 320, height: 200 }
  const record = { tenant: 'tenant', sessionId, size, startedAtMs }
  writeFileSync(join(files, 'record.json'), JSON.stringify(record))
  const spool = join(files, `${startedAtMs}.spool`)
  for (const [n, jpeg] of jpegs.slice(0, 3).entries()) {
    const head = Buffer.alloc(12)
    head.writeDoubleLE(startedAtMs + 1_000 * n)
    head.writeUInt32LE(jpeg.byteLength, 8)
    appendFileSync(spool, Buffer.concat([head, n === 2 ? jpeg.subarray(0, 100) : jpeg]))
  }
  const { videos } = await openVideos(t, { folder })
  await videos.finishLeft()
  const info = await whenMade(videos, sessionId)
  t.match(info, { state: 'ready', startedAtMs })
  t.same(info.spans, [{ atMs: startedAtMs, ms: 1_000 + videoLimits.pictureEveryMs }])
  const seen = graysIn(await bytesOf(videos, sessionId))
  t.ok(near(seen.at(-1)!.gray, grays[1]!), 'without the picture that it had not finished')
})

t.test(
  'what an ending agent interrupts is left to the next one; a join is tried again',
  async (t) => {
    const folder = t.testdir()
    let joins = 0
    const { run, videos, sessionId, show, agent, files } = await openVideos(t, {
      folder,
      encoder: {
        join: () => Promise.reject(new Error('never asked')),
        frame: () => Promise.reject(new Error('never asked')),
        clip: () => Promise.reject(new Error('never asked')),
        encode: () => {
          videos.stop()
          return Promise.reject(new Error('ended with its agent'))
        },
      },
    })
    show(jpegs[1]!)
    await run(2_000)
    videos.end(sessionId)
    const isSpooled = () => readdirSync(files).some((name) => /-\d+\.spool$/.test(name))
    await until('its slice waits', isSpooled)
    const next = agent({
      encode: (...given) => encoder.encode(...given),
      frame: (...given) => encoder.frame(...given),
      clip: (...given) => encoder.clip(...given),
      join: (...given) => {
        joins++
        return joins === 1 ? Promise.reject(new Error('disk full')) : encoder.join(...given)
      },
    })
    t.ok(isSpooled())
    await next.finishLeft()
    await until('it is told', async () => (await next.info(sessionId)).problem)
    t.match(await next.info(sessionId), { state: 'processing', problem: /tried again/ })
    await run(videoLimits.sweepEveryMs)
    t.match(await whenMade(next, sessionId), { state: 'ready', problem: undefined })
  },
)

t.test('a disk that takes no more ends the recording, and nothing else', { skip }, async (t) => {
  const { run, videos, sessionId, show, files, clock } = await openVideos(t)
  show(jpegs[0]!)
  await run(1_000)
  await videos.order(sessionId, 'pause')
  await videos.order(sessionId, 'resume')
  await run(1_000)
  // In place of the file of the next slice.
  mkdirSync(join(files, `${clock.now()}.spool`))
  show(jpegs[1]!)
  await until('it is told', async () => (await videos.info(sessionId)).problem)
  show(jpegs[2]!)
  videos.end(sessionId)
  t.match(await whenMade(videos, sessionId), { state: 'ready', problem: /The end is missing/ })
})

t.test('while the encoder is behind, the pictures on the disk are bounded', { skip }, async (t) => {
  let encode = () => undefined as void
  const held: VideoEncoder = {
    join: (...given) => encoder.join(...given),
    frame: (...given) => encoder.frame(...given),
    clip: (...given) => encoder.clip(...given),
    encode: async (...given) => {
      await new Promise<void>((resolve) => (encode = resolve))
      return encoder.encode(...given)
    },
  }
  const { run, videos, sessionId, show, files } = await openVideos(t, { encoder: held })
  // After the end of a JPEG, anything may follow.
  const large = Buffer.concat([jpegs[0]!, Buffer.alloc(2 * MiB)])
  const waiting = () =>
    readdirSync(files)
      .filter((name) => name.endsWith('.spool'))
      .reduce((sum, name) => sum + statSync(join(files, name)).size, 0)
  const passed: number[] = []
  for (let n = 0; n < 120; n++) {
    show(large)
    await run(200)
    passed.push(waiting())
  }
  t.ok(passed.at(-1)! <= videoLimits.waitingBytes + 4 * MiB)
  t.ok(passed[40]! < 0.8 * videoLimits.waitingBytes, 'fewer are kept from half of it on')
  await until('half of it is used', () => waiting() >= videoLimits.waitingBytes / 2)
  videos.end(sessionId)
  const made = whenMade(videos, sessionId)
  const release = setInterval(() => encode(), 10)
  t.match(await made, { state: 'ready' })
  clearInterval(release)
})

t.test(
  'finished videos go after their time, and the oldest when there is no room',
  { skip },
  async (t) => {
    const folder = t.testdir()
    const make = (atMs: number, bytes: number, tenant = 'one') => {
      const sessionId = newId('ses')
      const files = join(folder, sessionId)
      mkdirSync(files)
      const finished = { atMs, bytes, spans: [] }
      const record = {
        tenant,
        sessionId,
        size: playedOptions.viewport,
        startedAtMs: atMs,
        finished,
      }
      writeFileSync(join(files, 'record.json'), JSON.stringify(record))
      writeFileSync(join(files, 'video.mp4'), 'video')
      return sessionId
    }
    const nowMs = 1_764_000_000_000
    const old = make(nowMs - 3_600_001, 1)
    const first = make(nowMs - 2_000, 60 * MiB)
    const second = make(nowMs - 1_000, 30 * MiB)
    const small = make(nowMs - 3_000, 20 * MiB, 'two')
    const { run, videos, sessionId, show } = await openVideos(t, { folder })
    const isThere = (id: string) => readdirSync(folder).includes(id)
    await run(1)
    await until('the old one is gone', () => !isThere(old))
    show(jpegs[0]!)
    await run(500)
    videos.end(sessionId)
    await whenMade(videos, sessionId)
    await until('there is room', () => !isThere(first))
    t.ok(isThere(second) && isThere(small) && isThere(sessionId), 'of the tenant that uses most')
  },
)
