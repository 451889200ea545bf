/** Recordings as REST shows them: the contract's fields, and a few more. */
import { z } from 'zod'
import { videoLength, videoStates, type VideoInfo } from '../../proto/browser-host/video.ts'
import { defined } from '../../proto/defined.ts'
import { idLike } from '../../proto/ids.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'

const time = z.iso.datetime()

export const recordingJson = z.object({
  id: z.string(),
  is_primary: z.literal(true),
  status: z
    .enum(videoStates)
    .describe(
      'recording and paused: the session runs. processing: the video is being made. ready: it can ' +
        'be fetched. failed: nothing of it can be watched.',
    ),
  file_link: z.string(),
  suggested_file_name: z.string(),
  duration: z.string().describe('Without pauses: 00:01:30.'),
  size: z.number().int().describe('Bytes; 0 until it is ready.'),
  created_at: time,
  spans: z
    .array(z.object({ at: time, seconds: z.number() }))
    .describe('What it shows, without the pauses between: from that time on, for so long.'),
  problem: z.string().optional().describe('What is missing in it, and why.'),
})

export const recordingListJson = z.object({
  data: z.object({ count: z.number().int(), items: z.array(recordingJson) }),
})

export function toRecordingJson(
  sessionId: string,
  { state, startedAtMs, spans, bytes, problem }: VideoInfo,
  base: string,
): z.output<typeof recordingJson> {
  const ms = videoLength(spans)
  return {
    ...{ id: idLike('rec', sessionId), is_primary: true, status: state },
    file_link: `${base}/v1/sessions/${sessionId}/recordings/primary/fetch`,
    suggested_file_name: `${sessionId}.mp4`,
    duration: clockText(ms),
    size: bytes,
    created_at: toIsoTime(startedAtMs),
    spans: spans.map(({ atMs, ms: spanMs }) => ({ at: toIsoTime(atMs), seconds: spanMs / 1_000 })),
    ...defined({ problem }),
  }
}

/** `00:01:30`, to whole seconds. */
export function clockText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
