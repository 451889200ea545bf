/** Where a moment of a session is in its video, which leaves pauses out. */
import { partOfVideo, type VideoSpan } from '../../proto/browser-host/video.ts'

/** Seconds from the begin of the video; undefined for a moment that it does not show. */
export function secondsInVideo(spans: readonly VideoSpan[], atMs: number): number | undefined {
  const part = partOfVideo(spans, { fromMs: atMs, toMs: atMs + 1 })
  return part && part.fromMs / 1_000
}
