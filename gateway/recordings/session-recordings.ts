/** The recordings of sessions, from the hosts of their browsers. */
import { Readable } from 'node:stream'
import parseRange from 'range-parser'
import type { VideoInfo, VideoOrder, VideoPart } from '../../proto/browser-host/video.ts'
import { defined } from '../../proto/defined.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { SessionView } from '../../proto/session/session.ts'
import { askNode, type NodeRequester } from '../../runtime/browser-host/node-client.ts'
import type { LoggedEvent } from '../../proto/session/session-event.ts'
import { allEvents } from '../session-events/read-events.ts'
import type { HttpReply } from '../server/http.ts'
import { captionsOf, isOfFilm } from './captions.ts'

/** For the host to take a picture out of a video, on a busy machine as well. */
const frameMs = 20_000
/** A minute of video takes a free processor some ten seconds. */
const clipMs = 90_000

export type WatchedSession = Pick<SessionView, 'id' | 'nodeId' | 'options'>

/** Throws `not_found` if there is none, and `unavailable` if the host of the browser is gone. */
export function recordingOf(bus: NodeRequester, view: WatchedSession): Promise<VideoInfo> {
  const { sessionId, nodeId } = recorded(view)
  return askNode(bus, nodeId, 'video_info', { sessionId }, limits.nodeCallMs).catch(explained)
}

export async function orderRecording(
  bus: NodeRequester,
  view: WatchedSession,
  order: VideoOrder,
): Promise<void> {
  const { sessionId, nodeId } = recorded(view)
  const request = { sessionId, order }
  await askNode(bus, nodeId, 'video_order', request, limits.nodeCallMs).catch(explained)
}

/**
 * The video, or the part that a `Range` header wants. Of several ranges the whole is sent, as RFC 9110
 * allows.
 */
export async function videoReply(
  bus: NodeRequester,
  view: WatchedSession,
  range: string | undefined,
): Promise<HttpReply> {
  const info = await recordingOf(bus, view)
  if (info.state !== 'ready') throw unfinishedError(info)
  const size = info.bytes
  const headers = {
    'content-type': 'video/mp4',
    'content-disposition': `inline; filename="${view.id}.mp4"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
  }
  const ranges = range === undefined ? -2 : parseRange(size, range)
  if (ranges === -1) {
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } }
  }
  const [part, ...more] = ranges === -2 || ranges.type !== 'bytes' ? [] : ranges
  const isWhole = !part || more.length > 0
  const { start, end } = isWhole ? { start: 0, end: size - 1 } : part
  const stream = Readable.from(bytesOf(bus, view, start, end), { objectMode: false })
  return {
    status: isWhole ? 200 : 206,
    headers: { ...headers, ...(!isWhole && { 'content-range': `bytes ${start}-${end}/${size}` }) },
    body: { stream, bytes: end - start + 1 },
  }
}

/** The picture of a moment, or the last one. */
export async function frameReply(
  bus: NodeRequester,
  view: WatchedSession,
  at: string | undefined,
): Promise<HttpReply> {
  const { sessionId, nodeId } = recorded(view)
  const request = { sessionId, ...(at !== undefined && { atMs: Date.parse(at) }) }
  const { jpeg } = await askNode(bus, nodeId, 'video_frame', request, frameMs)
  const headers = { 'content-type': 'image/jpeg', 'cache-control': 'private, no-store' }
  return { status: 200, headers, body: jpeg }
}

/** A video of what the recording shows between two moments. */
export async function clipReply(
  bus: NodeRequester,
  view: WatchedSession,
  part: VideoPart,
): Promise<HttpReply> {
  const { sessionId, nodeId } = recorded(view)
  const { clip, size } = await askNode(bus, nodeId, 'video_clip', { sessionId, ...part }, clipMs)
  const stream = Readable.from(bytesOf(bus, view, 0, size - 1, clip), { objectMode: false })
  const headers = {
    'content-type': 'video/mp4',
    'content-disposition': `attachment; filename="${view.id}-clip.mp4"`,
    'cache-control': 'private, no-store',
  }
  return { status: 200, headers, body: { stream, bytes: size } }
}

/** In chunks as the host sends them; `end` is the last one. Of a clip, or of the whole video. */
async function* bytesOf(
  bus: NodeRequester,
  view: WatchedSession,
  start: number,
  end: number,
  clip?: string,
): AsyncGenerator<Uint8Array> {
  const { sessionId, nodeId } = recorded(view)
  for (let from = start; from <= end;) {
    const request = { sessionId, from, ...defined({ clip }) }
    const { bytes } = await askNode(bus, nodeId, 'video', request, limits.nodeCallMs)
    const wanted = bytes.subarray(0, end + 1 - from)
    // It was removed meanwhile: the client notices that bytes are missing.
    if (wanted.byteLength === 0) throw noRecordingError()
    yield wanted
    from += wanted.byteLength
  }
}

/** What happened meanwhile, as WebVTT. `isShared`: for a person who may only see the video. */
export async function captionsReply(
  bus: NodeRequester,
  view: WatchedSession,
  { isShared }: { readonly isShared: boolean } = { isShared: false },
): Promise<HttpReply> {
  const { spans } = await recordingOf(bus, view)
  const events: LoggedEvent[] = []
  for await (const event of allEvents(bus, view)) {
    if (!isShared || isOfFilm(event)) events.push(event)
  }
  return {
    status: 200,
    headers: { 'content-type': 'text/vtt; charset=utf-8', 'cache-control': 'no-store' },
    body: captionsOf(events, spans, { hasActors: !isShared }),
  }
}

function recorded({ id: sessionId, nodeId, options }: WatchedSession) {
  if (!options.recording || nodeId === undefined) throw noRecordingError()
  return { sessionId, nodeId }
}

function explained(error: unknown): never {
  throw isNotFound(error) ? goneError() : error
}

export function noRecordingError(): ServiceError {
  const text =
    'This session has no recording; create one with {"session": {"recording": {"active": true}}}.'
  return new ServiceError('not_found', text)
}

const goneError = () =>
  new ServiceError(
    'not_found',
    'The recording of this session was removed, or is not kept any more.',
  )

function unfinishedError({ state, problem }: VideoInfo): ServiceError {
  const texts: Readonly<Record<VideoInfo['state'], string>> = {
    recording: 'The session is still recorded: its video can be fetched a moment after its end.',
    paused: 'The session still runs: its video can be fetched a moment after its end.',
    processing: 'The video is being made; try again in a few seconds.',
    ready: '',
    failed: problem ?? 'Nothing of the session was recorded.',
  }
  return new ServiceError('not_found', texts[state], { status: state })
}
