/** From what happened in a session to its moment in the video. */
import type { VideoSpan } from '../../../proto/browser-host/video.ts'
import { clockText } from '../recording-json.ts'
import { secondsInVideo } from '../recording-times.ts'

interface Props {
  readonly spans: readonly VideoSpan[]
  /** ISO 8601. */
  readonly at: string
  /** The address of the page with the player, at so many seconds. */
  readonly place: (seconds: string) => string
}

/** Nothing if the video does not show that moment. */
export const MomentLink = ({ spans, at, place }: Props) => {
  const seconds = secondsInVideo(spans, Date.parse(at))
  if (seconds === undefined) return <></>
  const text = clockText(Math.floor(seconds) * 1_000).replace(/^00:/, '')
  return (
    <a href={`${place(seconds.toFixed(1))}#video`} data-moment={seconds.toFixed(1)}>
      {text}
      <span class="hidden"> in the video</span>
    </a>
  )
}

/** Finds rows of the table in the same section. Needs scripts, which show it. */
export const EventSearch = () => (
  <div class="in-line" hidden>
    <label for="find-event">Find</label>
    <input id="find-event" type="search" placeholder="click, download, an address" />
    <output id="found-events" for="find-event" />
  </div>
)
