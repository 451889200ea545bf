/** The player of a recording. It plays without scripts, too; `web/recordings/watching.js` adds the rest. */
import { videoLength, type VideoInfo } from '../../../proto/browser-host/video.ts'
import type { Markup } from '../../html/markup.ts'
import { EmptyState } from '../../html/parts.tsx'
import { sizeWord } from '../../../runtime/lib/text/sizes.ts'
import { clockText } from '../recording-json.ts'
import { secondsInVideo } from '../recording-times.ts'

interface Props {
  readonly recording: VideoInfo
  /** The video, and its captions. */
  readonly file: string
  readonly captions: string
  readonly fileName: string
  /** Where it begins, in seconds. */
  readonly startSeconds: number
  /** More below it, such as acts. */
  readonly children?: Markup
}

export const Film = ({ recording, file, captions, fileName, startSeconds, children }: Props) => (
  <figure class="film">
    <video
      id="video"
      controls
      muted
      playsinline
      preload="metadata"
      src={startSeconds > 0 ? `${file}#t=${startSeconds.toFixed(1)}` : file}
      aria-label="Video of the session; it has no sound"
    >
      <track kind="captions" srclang="en" label="What happened" src={captions} />
    </video>
    <figcaption>
      <SpeedChoice />
      <SkipChoice />
      <span>
        {lengthOf(recording)}, {sizeWord(recording.bytes)}
      </span>
      <a href={file} download={fileName}>
        Download
      </a>
      {children}
      {recording.problem === undefined ? '' : <span>{recording.problem}</span>}
    </figcaption>
  </figure>
)

export const lengthOf = ({ spans }: VideoInfo) => clockText(videoLength(spans))

/** In place of the player; the page loads itself again until there is one. */
export const FilmLater = () => (
  <div data-again="3">
    <EmptyState title="The video is being made">
      <p>This takes a few seconds for each minute. The page loads itself again.</p>
    </EmptyState>
  </div>
)

export const NoFilm = ({ why }: { why: string | undefined }) => (
  <EmptyState title="There is no video">
    <p>{why ?? 'Nothing of the session was recorded.'}</p>
  </EmptyState>
)

/** Where a page that was asked for a moment begins: `?moment=12.5`, or `?at=` with a time (ISO 8601). */
export function startSecondsOf(recording: VideoInfo, query: URLSearchParams): number {
  const moment = Number(query.get('moment'))
  if (moment > 0) return moment
  return secondsInVideo(recording.spans, Date.parse(query.get('at') ?? '')) ?? 0
}

/** Needs scripts, which show it. */
const SpeedChoice = () => (
  <label class="speed" for="speed" hidden>
    Speed
    <select id="speed">
      {[0.5, 1, 2, 4, 8].map((speed) => (
        <option value={String(speed)} selected={speed === 1}>
          {speed} ×
        </option>
      ))}
    </select>
  </label>
)

/** Needs scripts, which show it. */
const SkipChoice = () => (
  <label class="speed" for="skip-quiet" hidden>
    <input type="checkbox" id="skip-quiet" />
    Skip where nothing happens
  </label>
)
