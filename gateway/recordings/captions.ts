/** What happened in a session as WebVTT: captions for its video, which say at each moment what was done. */
import { videoLength, type VideoSpan } from '../../proto/browser-host/video.ts'
import type { LoggedEvent } from '../../proto/session/session-event.ts'
import { eventActor, eventDetail, eventWord } from '../../runtime/browser-host/event-words.ts'
import { secondsInVideo } from './recording-times.ts'

/** A caption stays for so long, or until the next one. */
const shownSeconds = 4
/** Events of the same moment share a caption. */
const sameSeconds = 0.3

interface Cue {
  readonly seconds: number
  readonly lines: string[]
}

const besides: readonly LoggedEvent['type'][] = [
  'client',
  'page_error',
  'request_failed',
  'skipped',
]

/** Whether a person who may only watch the video may also read of it. */
export const isOfFilm = ({ type }: LoggedEvent): boolean => !besides.includes(type)

/**
 * Of the events that the video shows, in the order in which they are given. `hasActors`: with who did
 * it.
 */
export function captionsOf(
  events: readonly LoggedEvent[],
  spans: readonly VideoSpan[],
  { hasActors }: { readonly hasActors: boolean } = { hasActors: true },
): string {
  const cues: Cue[] = []
  for (const event of events) {
    const seconds = secondsInVideo(spans, Date.parse(event.at))
    if (seconds === undefined) continue
    const last = cues.at(-1)
    const line = lineOf(event, hasActors)
    if (last && seconds - last.seconds < sameSeconds) last.lines.push(line)
    else cues.push({ seconds, lines: [line] })
  }
  const total = videoLength(spans) / 1_000
  const parts = cues.map(({ seconds, lines }, n) => {
    const next = cues[n + 1]?.seconds ?? total
    const end = Math.max(seconds + 0.001, Math.min(seconds + shownSeconds, next))
    return [`${vttTime(seconds)} --> ${vttTime(end)}`, ...lines].join('\n')
  })
  return `${['WEBVTT', ...parts].join('\n\n')}\n`
}

function lineOf(event: LoggedEvent, hasActor: boolean): string {
  const detail = eventDetail(event)
  const actor = hasActor ? eventActor(event) : ''
  const text = `${eventWord(event)}${detail && `: ${detail}`}${actor && ` (${actor})`}`
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** `00:01:02.003` */
function vttTime(seconds: number): string {
  const ms = Math.round(seconds * 1_000)
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60]
  const rest = (ms % 60_000) / 1_000
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(hours)}:${two(minutes)}:${rest.toFixed(3).padStart(6, '0')}`
}
