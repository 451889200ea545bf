/**
 * Goal: a recorded session can be watched again: what it showed, when it showed it, without its
 * pauses, whoever was killed meanwhile. Method: the whole service, real pages that paint the time, and
 * ffmpeg to read the video again.
 */
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import type { LoggedEvent } from '../../../proto/session/session-event.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { barsIn, barsPage, videoSeconds } from '../../helpers/files/video.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { isRecording } from '../../helpers/service/isolation-here.ts'
import { createSession, headless, isReady, startService } from '../../helpers/service/service.ts'

const skip = !isRecording && 'sessions cannot be recorded on this machine'
const service = await startService()
t.teardown(() => service.stop())
const { rest } = service

const sinceMs = Date.now()
const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html')
  response.end(barsPage(sinceMs))
})
const site = `http://127.0.0.1:${await listenOnLoopback(server)}`
t.teardown(() => closeServer(server))

interface Recording {
  readonly id: string
  readonly status: string
  readonly duration: string
  readonly size: number
  readonly file_link: string
  readonly spans: readonly { readonly at: string; readonly seconds: number }[]
  readonly problem?: string
}
interface ListAnswer {
  readonly data: { readonly count: number; readonly items: readonly [Recording] }
  readonly error: { readonly message: string; readonly type: string; readonly status?: string }
}

const recorded = { session: { recording: { active: true } }, ...headless }
const recordings = (id: string, path = '') => `/v1/sessions/${id}/recordings${path}`
const list = (id: string) => rest<ListAnswer>('GET', recordings(id))

/** Undefined while its host does not answer. */
async function recordingOf(id: string): Promise<Recording | undefined> {
  const { status, body } = await list(id)
  if (status >= 500) return undefined
  if (status !== 200) throw new Error(body.error.message)
  return body.data.items[0]
}

/** Resolves when so many seconds of this span are recorded. */
const whenSpanHas = (id: string, span: number, seconds: number) =>
  until(`span ${span} has ${seconds} s`, async () => {
    const { spans = [] } = (await recordingOf(id)) ?? {}
    return (spans[span]?.seconds ?? 0) >= seconds
  })

async function open(t: Test, body: object = recorded) {
  const session = await createSession(rest, body)
  t.teardown(() => rest('DELETE', `/v1/sessions/${session.id}`))
  return session
}

const go = (id: string) => rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: site })

const whenReady = (id: string) =>
  until('the video is made', async () => {
    const recording = await recordingOf(id)
    return recording?.status === 'ready' && recording
  })

const fetchVideo = (id: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${service.baseUrl}${recordings(id, '/primary/fetch')}`, {
    headers: { authorization: `Bearer ${service.key}`, ...headers },
  })

/** A clip of it, in wall-clock ms. */
const fetchClip = (id: string, fromMs: number, toMs: number) =>
  fetch(`${service.baseUrl}${recordings(id, '/primary/clip')}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
    }),
  })

const videoOf = async (id: string) => Buffer.from(await (await fetchVideo(id)).arrayBuffer())

/** A single picture, at a wall-clock ms or the last one. */
async function frameOf(id: string, atMs?: number) {
  const query = atMs === undefined ? '' : `?at=${new Date(atMs).toISOString()}`
  const path = service.baseUrl + recordings(id, `/primary/frames${query}`)
  const response = await fetch(path, { headers: { authorization: `Bearer ${service.key}` } })
  const { status, headers } = response
  if (headers.get('content-type') !== 'image/jpeg') return { status, paintedMs: undefined }
  const [bars] = barsIn(new Uint8Array(await response.arrayBuffer()))
  return { status, paintedMs: sinceMs + (bars?.shownMs ?? NaN) }
}

const totalOf = ({ spans }: Recording) => spans.reduce((sum, { seconds }) => sum + seconds, 0)

/** The time of a picture in a file is a rounded one: where one span ends and the next begins, it may be of both. */
const roundedMs = 20

/** When each picture with bars was painted, and where the video has it, both in wall-clock ms. */
function timesIn(video: Uint8Array, { spans }: Recording) {
  return barsIn(video).flatMap(({ ms, shownMs }) => {
    if (shownMs === undefined) return []
    const paintedMs = sinceMs + shownMs
    const distance = (atMs: number) => Math.abs(atMs - paintedMs)
    let beginMs = 0
    const [atMs] = spans
      .flatMap(({ at, seconds }) => {
        const inSpan = ms - beginMs
        beginMs += seconds * 1_000
        const isIn = inSpan > -roundedMs && ms < beginMs + roundedMs
        return isIn ? [Date.parse(at) + inSpan] : []
      })
      .toSorted((one, other) => distance(one) - distance(other))
    return [{ atMs: atMs ?? NaN, paintedMs }]
  })
}

t.test('what it showed, when it showed it, without the pause', { skip }, async (t) => {
  const { id, cdp_url } = await open(t)
  const browser = await connectPlaywright(cdp_url)
  const context = browser.contexts()[0]!
  await context.pages()[0]!.goto(site)
  t.match((await list(id)).body.data, { count: 1, items: [{ status: 'recording', size: 0 }] })
  const early = await fetchVideo(id)
  t.equal(early.status, 404)
  t.match(await early.json(), { error: { status: 'recording', message: /after its end/ } })
  await whenSpanHas(id, 0, 4)
  const now = await frameOf(id)
  t.ok(now.paintedMs! > Date.now() - 60_000, 'a single picture, while it is recorded')

  for (let twice = 0; twice < 2; twice++) {
    t.equal((await rest('POST', recordings(id, '/pause'))).status, 200)
  }
  const pausedAtMs = Date.now()
  t.match(await recordingOf(id), { status: 'paused' })
  await until('the pause has lasted', () => Date.now() > pausedAtMs + 4_000)
  const resumedAtMs = Date.now()
  t.equal((await rest('POST', recordings(id, '/resume'))).status, 200)
  t.match(await recordingOf(id), { status: 'recording' })
  await whenSpanHas(id, 1, 2)

  const other = await context.newPage()
  await other.setContent('<body style="background: black">')
  await whenSpanHas(id, 1, 5)
  await until('what was done to it is among the events', async () => {
    const { body } = await rest<{ data: { items: readonly LoggedEvent[] } }>(
      'GET',
      `/v1/sessions/${id}/events`,
    )
    const states = body.data.items.flatMap((e) => (e.type === 'recording' ? [e.state] : []))
    return states.join() === 'paused,resumed'
  })
  await browser.close()
  await rest('DELETE', `/v1/sessions/${id}`)
  const made = await whenReady(id)

  const video = await videoOf(id)
  t.equal(video.byteLength, made.size)
  t.equal(made.spans.length, 2)
  t.equal(made.problem, undefined)
  t.ok(Math.abs(videoSeconds(video) - totalOf(made)) < 0.2, 'as long as its spans')
  const bars = timesIn(video, made)
  t.ok(new Set(bars.map(({ paintedMs }) => paintedMs)).size >= 10, 'many pictures')
  for (const { atMs, paintedMs } of bars) {
    if (!(Math.abs(atMs - paintedMs) <= 3_000)) t.fail(`painted ${paintedMs}, but shown at ${atMs}`)
  }
  // From the page's timer to its picture.
  const margin = 1_000
  const askedMs = pausedAtMs - 500
  const { paintedMs } = await frameOf(id, askedMs)
  t.ok(Math.abs(paintedMs! - askedMs) < 3_000, 'a single picture of the whole video')
  t.equal((await frameOf(id, pausedAtMs + 2_000)).status, 404, 'none of the pause')
  t.notOk(
    bars.some(
      ({ paintedMs }) => paintedMs > pausedAtMs + margin && paintedMs < resumedAtMs - margin,
    ),
    'nothing of the pause',
  )
  t.equal(barsIn(video).at(-1)!.shownMs, undefined, 'the tab in front')

  const captions = await fetch(`${service.baseUrl}${recordings(id, '/primary/captions')}`, {
    headers: { authorization: `Bearer ${service.key}` },
  })
  t.match(captions.headers.get('content-type'), /^text\/vtt/)
  t.match(await captions.text(), /^WEBVTT\n\n00:00:0\d\.\d{3} --> [\d:.]+\n[^]*Navigated: http/)
})

t.test('a part of it, as players ask for it; it can be deleted', { skip }, async (t) => {
  const { id } = await open(t)
  await go(id)
  await whenSpanHas(id, 0, 2)
  const beginMs = Date.parse((await recordingOf(id))!.spans[0]!.at)
  t.equal((await fetchClip(id, beginMs, beginMs + 1_000)).status, 404, 'until it is ready')
  await rest('DELETE', `/v1/sessions/${id}`)
  const made = await whenReady(id)
  const clip = await fetchClip(id, beginMs + 500, beginMs + 1_500)
  t.equal(clip.headers.get('content-type'), 'video/mp4')
  const clipped = Buffer.from(await clip.arrayBuffer())
  t.equal(clip.headers.get('content-length'), String(clipped.byteLength))
  t.ok(Math.abs(videoSeconds(clipped) - 1) < 0.2, 'a clip of a second')
  for (const [fromMs, toMs, status, message] of [
    [beginMs + 2_000, beginMs, 400, /later than "from"/],
    [beginMs, beginMs + 60_001, 400, /at most 60 seconds/],
    [beginMs - 9_000, beginMs - 8_000, 404, /shows nothing at that time/],
  ] as const) {
    const refused = await fetchClip(id, fromMs, toMs)
    t.equal(refused.status, status)
    t.match(await refused.json(), { error: { message } })
  }
  const whole = await videoOf(id)
  for (const [range, from, to] of [
    ['bytes=0-9', 0, 9],
    ['bytes=100-', 100, made.size - 1],
    ['bytes=-5', made.size - 5, made.size - 1],
  ] as const) {
    const part = await fetchVideo(id, { range })
    t.equal(part.status, 206, range)
    t.equal(part.headers.get('content-range'), `bytes ${from}-${to}/${made.size}`)
    t.same(Buffer.from(await part.arrayBuffer()), whole.subarray(from, to + 1))
  }
  const past = await fetchVideo(id, { range: `bytes=${made.size}-` })
  t.match(past, { status: 416 })
  t.equal(past.headers.get('content-range'), `bytes */${made.size}`)
  const several = await fetchVideo(id, { range: 'bytes=0-1,5-6' })
  t.equal(several.status, 200)
  t.equal((await several.arrayBuffer()).byteLength, made.size)
  const head = await fetch(`${service.baseUrl}${recordings(id, '/primary/fetch')}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${service.key}` },
  })
  t.equal(head.headers.get('content-length'), String(made.size))
  t.equal(head.headers.get('accept-ranges'), 'bytes')

  t.equal((await rest('DELETE', recordings(id, '/rec_other'))).status, 404)
  t.equal((await rest('DELETE', recordings(id, `/${made.id}`))).status, 200)
  t.match(await list(id), { status: 404, body: { error: { message: /was removed/ } } })
  t.equal((await fetchVideo(id)).status, 404)
})

t.test('killed processes cost a moment of it at most', { skip }, async (t) => {
  const { id } = await open(t)
  await go(id)
  await whenSpanHas(id, 0, 2)
  await service.strike('node-agent')
  await whenSpanHas(id, 1, 2)
  await service.strike('gateway')
  await service.strike('actors')
  await until('it serves', () => isReady(rest))
  await whenSpanHas(id, 1, 4)
  await until('the session ends', async () => {
    return (await rest('DELETE', `/v1/sessions/${id}`)).status === 200
  })
  await until('the browser is gone', async () => {
    const { status } = (await recordingOf(id)) ?? {}
    return status !== undefined && status !== 'recording'
  })
  // What it has not made yet is left to the next agent.
  await service.strike('node-agent')
  await until('the next agent answers', async () => (await list(id)).status === 200)
  const made = await whenReady(id)
  t.equal(made.spans.length, 2)
  t.equal(made.problem, undefined)
  const video = await videoOf(id)
  const bars = timesIn(video, made)
  t.same(
    bars.toSorted((a, b) => a.paintedMs - b.paintedMs),
    bars,
    'in order',
  )
  t.ok(bars.some(({ paintedMs }) => paintedMs > Date.parse(made.spans[1]!.at)))
})

t.test('a session with a desktop', { skip }, async (t) => {
  const { id } = await open(t, { session: recorded.session })
  t.match((await rest<{ data: object }>('GET', `/v1/sessions/${id}`)).body.data, {
    configuration: { session: { recording: { active: true } } },
  })
  await go(id)
  await whenSpanHas(id, 0, 2)
  await rest('DELETE', `/v1/sessions/${id}`)
  const made = await whenReady(id)
  const bars = timesIn(await videoOf(id), made)
  t.ok(new Set(bars.map(({ paintedMs }) => paintedMs)).size >= 2)
})

t.test(
  'sessions that are not recorded, and recordings of sessions that go on',
  { skip },
  async (t) => {
    const plain = await open(t, headless)
    t.match(await list(plain.id), { status: 404, body: { error: { message: /"recording"/ } } })
    t.equal((await rest('DELETE', recordings(plain.id, '/primary'))).status, 400)
    t.equal((await rest('POST', recordings(plain.id, '/pause'))).status, 404)
    t.equal((await fetchVideo(plain.id)).status, 404)
    t.equal((await frameOf(plain.id)).status, 404)

    const { id } = await open(t)
    await whenSpanHas(id, 0, 1)
    await rest('POST', recordings(id, '/pause'))
    await rest('POST', recordings(id, '/resume'))
    // Of a page on which nothing changes.
    await whenSpanHas(id, 1, 1)
    t.equal((await rest('DELETE', recordings(id, '/primary'))).status, 200)
    t.equal((await list(id)).status, 404)
    t.equal((await go(id)).status, 200, 'the session goes on')
    await rest('DELETE', `/v1/sessions/${id}`)
    t.equal((await rest('POST', recordings(id, '/resume'))).status, 410)
  },
)
