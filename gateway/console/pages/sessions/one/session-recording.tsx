/** The video of a recorded session: its controls while it is made, and the player afterwards. */
import { z } from 'zod'
import type { VideoInfo } from '../../../../../proto/browser-host/video.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { PostForm, SubmitButton } from '../../../../html/form.tsx'
import { PageSection, StateMark } from '../../../../html/parts.tsx'
import {
  Film,
  FilmLater,
  lengthOf,
  NoFilm,
  startSecondsOf,
} from '../../../../recordings/player/film.tsx'
import { recordingOf } from '../../../../recordings/session-recordings.ts'
import { QuestionButton } from '../../../html/question.tsx'
import type { ConsoleFile, ConsoleRedirect } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { sessionOf } from './session-acts.ts'
import { LifetimeField } from './session-controls.tsx'

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

/** In place of the live view, once the session has ended. */
export const RecordingFigure = ({
  view,
  visit,
  recording,
}: Props & { readonly recording: ShownRecording }) => {
  if (recording.state === 'unknown' || recording.state === 'failed') {
    return <NoFilm why={recording.problem} />
  }
  if (recording.state !== 'ready') return <FilmLater />
  const file = visit.at(`/sessions/${view.id}/video`)
  return (
    <Film
      recording={recording}
      file={file}
      captions={`${file}/captions`}
      fileName={`${view.id}.mp4`}
      startSeconds={startSecondsOf(recording, visit.query)}
    >
      <ShareButton view={view} visit={visit} />
      <RemoveButton view={view} visit={visit} />
    </Film>
  )
}

const ShareButton = ({ view: { id }, visit }: Props) => (
  <QuestionButton
    id="share-video"
    visit={visit}
    action={visit.at(`/sessions/${id}/video/share`)}
    label="Share"
    does="Create link"
    keeps="Close"
    isLink
    isHarmless
    question={
      <>
        <b>Share the recording?</b> Whoever has the link can watch it without a key, and sees
        nothing else of the session.
      </>
    }
  >
    <p class="in-line">
      <LifetimeField label="For" />
    </p>
  </QuestionButton>
)

const RemoveButton = ({ view: { id }, visit }: Props) => (
  <QuestionButton
    id="remove-video"
    visit={visit}
    action={visit.at(`/sessions/${id}/video/remove`)}
    label="Delete"
    does="Delete video"
    keeps="Keep video"
    isLink
    question={
      <>
        <b>Delete the video?</b> It cannot be watched any more, by anybody.
      </>
    }
  />
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

const linkAnswer = z.object({ data: z.object({ recording_url: z.string() }) })

/** Creates a link to the video for somebody without a key. It is shown once, on the page that follows. */
export async function makeVideoLink(visit: ConsoleVisit): Promise<string> {
  const { id, tenant } = sessionOf(visit)
  const body = { ttl_seconds: Number(visit.form.text('ttl_seconds')) }
  const call = { params: { session_id: id, recording_id: 'primary' }, body }
  const made = await visit.run(`POST ${route}/{recording_id}/links`, call, linkAnswer, tenant)
  return made.data.recording_url
}

/** Whether its page has a player. */
export const isWatchable = (
  view: SessionView,
  recording: ShownRecording | undefined,
): recording is VideoInfo => isFinal(view.status) && recording?.state === 'ready'
