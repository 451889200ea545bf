/** The video of a recorded session, as its browser's host has it. */

/**
 * `recording` and `paused` while the session runs; `processing` until the last pictures are encoded;
 * `failed`: nothing of it can be watched.
 */
export const videoStates = ['recording', 'paused', 'processing', 'ready', 'failed'] as const
export type VideoState = (typeof videoStates)[number]

/** A part of the session that was recorded without a pause. */
export interface VideoSpan {
  /** Wall-clock ms of its begin. */
  readonly atMs: number
  readonly ms: number
}

export interface VideoInfo {
  readonly state: VideoState
  /** Wall-clock ms. */
  readonly startedAtMs: number
  /** In the order of the video, which has nothing between them. */
  readonly spans: readonly VideoSpan[]
  /** Of the finished file; 0 before. */
  readonly bytes: number
  /** A sentence about what is missing, and why. */
  readonly problem?: string
}

/** A part of a video that leaves pauses out, in ms from its begin. */
export interface VideoPart {
  readonly fromMs: number
  readonly toMs: number
}

/** How long the video is, in ms. */
export const videoLength = (spans: readonly VideoSpan[]): number =>
  spans.reduce((sum, { ms }) => sum + ms, 0)

/** What a video shows of the time between two moments; undefined if nothing. */
export function partOfVideo(
  spans: readonly VideoSpan[],
  { fromMs, toMs }: VideoPart,
): VideoPart | undefined {
  let beforeMs = 0
  let part: VideoPart | undefined
  for (const { atMs, ms } of spans) {
    const beginMs = Math.max(fromMs, atMs)
    const endMs = Math.min(toMs, atMs + ms)
    const toVideo = beforeMs - atMs
    if (beginMs < endMs) part = { fromMs: part?.fromMs ?? beginMs + toVideo, toMs: endMs + toVideo }
    beforeMs += ms
  }
  return part
}

/** What can be done with the recording of a session. */
export type VideoOrder = 'pause' | 'resume' | 'remove'
