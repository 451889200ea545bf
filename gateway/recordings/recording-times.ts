/** Where a moment of a session is in its video, which leaves pauses out. */
import type { VideoSpan } from '../../proto/browser-host/video.ts'

/** Seconds from the begin of the video; undefined for a moment that it does not show. */
export function secondsInVideo(spans: readonly VideoSpan[], atMs: number): number | undefined {
  let beforeMs = 0
  for (const { atMs: startMs, ms } of spans) {
    if (atMs >= startMs && atMs < startMs + ms) return (beforeMs + atMs - startMs) / 1_000
    beforeMs += ms
  }
  return undefined
}
