/** The video of a recorded session: its controls while it is made, and the player afterwards. */
import { videoLength, type VideoInfo } from '../../../../../proto/browser-host/video.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { PostForm, SubmitButton } from '../../../../html/form.tsx'
import { EmptyState, PageSection, StateMark } from '../../../../html/parts.tsx'
import { clockText } from '../../../../recordings/recording-json.ts'
import { secondsInVideo } from '../../../../recordings/recording-times.ts'
import { recordingOf } from '../../../../recordings/session-recordings.ts'
import { sizeWord } from '../../../html/sizes.ts'
import type { ConsoleFile, ConsoleRedirect } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { sessionOf } from './session-acts.ts'

/** `problem`: it could not be asked for. */
export type ShownRecording = VideoInfo | { readonly state: 'unknown'; readonly problem: string }

interface Props {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}

/** Undefined if the session is not recorded, or if this key may not see what it showed. */
export async function recordingIn({ view, visit }: Props): Promise<ShownRecording | undefined> {
  if (!view.options.recording || !visit.has('drive') || view.nodeId === undefined) return undefined
  try {
    return await recordingOf(visit.deps.bus, view)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { state: 'unknown', problem: error.message }
  }
}

/** The link of an event to its moment in the video; nothing if that does not show it. */
export const MomentLink = ({
  recording,
  at,
  here,
}: {
  readonly recording: ShownRecording | undefined
  readonly at: string
  readonly here: string
}) => {
  const seconds =
    recording?.state === 'ready' ? secondsInVideo(recording.spans, Date.parse(at)) : undefined
  if (seconds === undefined) return <></>
  const text = clockText(Math.floor(seconds) * 1_000).replace(/^00:/, '')
  return (
    <a href={`${here}?moment=${seconds.toFixed(1)}#video`} data-moment={seconds.toFixed(1)}>
      {text}
      <span class="hidden"> in the video</span>
    </a>
  )
}

const lengthOf = ({ spans }: VideoInfo) => clockText(videoLength(spans))

/** In place of the live view, once the session has ended. It plays without scripts, too. */
export const RecordingFigure = ({
  view,
  visit,
  recording,
}: Props & { readonly recording: ShownRecording }) => {
  if (recording.state === 'unknown' || recording.state === 'failed') {
    return (
      <EmptyState title="There is no video">
        <p>{recording.problem ?? 'Nothing of the session was recorded.'}</p>
      </EmptyState>
    )
  }
  if (recording.state !== 'ready') {
    return (
      <div data-again="3">
        <EmptyState title="The video is being made">
          <p>This takes a few seconds for each minute. The page loads itself again.</p>
        </EmptyState>
      </div>
    )
  }
  const file = visit.at(`/sessions/${view.id}/video`)
  const at = Date.parse(visit.asked('at') ?? '')
  const moment = Number(visit.asked('moment') ?? secondsInVideo(recording.spans, at) ?? 0)
  const place = moment > 0 ? `#t=${moment.toFixed(1)}` : ''
  return (
    <figure class="film">
      <video
        id="video"
        controls
        muted
        playsinline
        preload="metadata"
        src={`${file}${place}`}
        aria-label="Video of the session; it has no sound"
      >
        <track kind="captions" srclang="en" label="What happened" src={`${file}/captions`} />
      </video>
      <figcaption>
        <SpeedChoice />
        <SkipChoice />
        <span>
          {lengthOf(recording)}, {sizeWord(recording.bytes)}
        </span>
        <a href={file} download={`${view.id}.mp4`}>
          Download
        </a>
        <RemoveButton view={view} visit={visit} />
        {recording.problem === undefined ? '' : <span>{recording.problem}</span>}
      </figcaption>
    </figure>
  )
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

const RemoveButton = ({ view: { id }, visit }: Props) => (
  <>
    <button type="button" class="link danger" popovertarget="remove-video">
      Delete
    </button>
    <div
      id="remove-video"
      popover="auto"
      class="question"
      role="group"
      aria-label="Delete the video"
    >
      <p>
        <b>Delete the video?</b> It cannot be watched any more, by anybody.
      </p>
      <PostForm visit={visit} action={visit.at(`/sessions/${id}/video/remove`)} class="buttons">
        <SubmitButton kind="danger">Delete video</SubmitButton>
        <button type="button" class="button plain" popovertarget="remove-video">
          Keep video
        </button>
      </PostForm>
    </div>
  </>
)

/** While the session runs. */
export const RecordingSection = ({
  view,
  visit,
  recording,
}: Props & { readonly recording: ShownRecording }) => {
  if (recording.state === 'unknown') {
    return (
      <PageSection title="Recording">
        <p class="quiet">{recording.problem}</p>
      </PageSection>
    )
  }
  const isPaused = recording.state === 'paused'
  const order = isPaused ? 'resume' : 'pause'
  return (
    <PageSection title="Recording">
      <PostForm
        visit={visit}
        action={visit.at(`/sessions/${view.id}/video/${order}`)}
        class="in-line"
      >
        <StateMark tone={isPaused ? 'wait' : 'good'}>{isPaused ? 'Paused' : 'Recording'}</StateMark>
        <span>{lengthOf(recording)} so far</span>
        <SubmitButton kind="plain">{isPaused ? 'Go on' : 'Pause'}</SubmitButton>
      </PostForm>
      {recording.problem === undefined ? '' : <p>{recording.problem}</p>}
      <p class="quiet">
        A video of the tab in front. It can be watched here when the session has ended.
      </p>
    </PageSection>
  )
}

const route = '/v1/sessions/{session_id}/recordings'

export async function readVideo(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { id, tenant } = sessionOf(visit)
  const range = visit.facts.request.headers.get('range')
  const call = {
    params: { session_id: id, recording_id: 'primary' },
    ...(range !== undefined && { range }),
  }
  return { file: await visit.file(`GET ${route}/{recording_id}/fetch`, call, tenant) }
}

export async function readCaptions(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { id, tenant } = sessionOf(visit)
  const call = { params: { session_id: id, recording_id: 'primary' } }
  return { file: await visit.file(`GET ${route}/{recording_id}/captions`, call, tenant) }
}

/** For the path that ends with the order. */
export const orderVideo =
  (order: 'pause' | 'resume') =>
  async (visit: ConsoleVisit): Promise<ConsoleRedirect> => {
    const { id, tenant } = sessionOf(visit)
    await visit.do(`POST ${route}/${order}`, { params: { session_id: id } }, tenant)
    const notice = order === 'pause' ? 'recording-paused' : 'recording-resumed'
    return { to: visit.at(`/sessions/${id}`), notice }
  }

export async function removeVideo(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { id, tenant } = sessionOf(visit)
  const params = { session_id: id, recording_id: 'primary' }
  await visit.do(`DELETE ${route}/{recording_id}`, { params }, tenant)
  return { to: visit.at(`/sessions/${id}`), notice: 'recording-removed' }
}

/** Whether its page has a player. */
export const isWatchable = (view: SessionView, recording: ShownRecording | undefined): boolean =>
  isFinal(view.status) && recording?.state === 'ready'
