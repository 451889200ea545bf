/** The forms that act on a session. */
import type { SessionView } from '../../../../../proto/session/session.ts'
import { TextField } from '../../../../html/fields.tsx'
import { PostForm, SubmitButton } from '../../../../html/form.tsx'
import type { Markup } from '../../../../html/markup.ts'
import { QuestionButton } from '../../../html/question.tsx'
import type { ConsoleVisit } from '../../../visit.ts'

interface Controlled {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}

export const EndButton = ({
  view: { id },
  visit,
  isLink,
  children,
}: Controlled & { isLink?: boolean; children?: Markup }) => (
  <QuestionButton
    id={`end-${id}`}
    visit={visit}
    action={visit.at(`/sessions/${id}/end`)}
    label={children}
    does="End session"
    keeps="Keep session"
    isLink={isLink === true}
    question={
      <>
        <b>End this session?</b> Its browser closes immediately, and everything open in it is lost.
      </>
    }
  />
)

const spans = [
  { minutes: 5, label: '5 minutes' },
  { minutes: 15, label: '15 minutes' },
  { minutes: 60, label: '1 hour' },
  { minutes: 240, label: '4 hours' },
]

export const ExtendForm = ({ view: { id }, visit }: Controlled) => (
  <PostForm visit={visit} action={visit.at(`/sessions/${id}/extend`)} class="in-line">
    <label for="f-minutes">More time</label>
    <select id="f-minutes" name="minutes">
      {spans.map(({ minutes, label }) => (
        <option value={String(minutes)} selected={minutes === 15}>
          {label}
        </option>
      ))}
    </select>
    <SubmitButton kind="plain">Extend</SubmitButton>
  </PostForm>
)

export const TagForm = ({ view: { id, tags }, visit }: Controlled) => (
  <PostForm visit={visit} action={visit.at(`/sessions/${id}/tags`)} class="in-line">
    <TextField name="tags" label="Tags" isOptional value={tags.join(', ')} />
    <SubmitButton kind="plain">Save</SubmitButton>
  </PostForm>
)

export const LinkForm = ({ view, visit }: Controlled) => (
  <PostForm visit={visit} action={visit.at(`/sessions/${view.id}/links`)} class="in-line">
    <label for="f-mode">Link to</label>
    <select id="f-mode" name="mode">
      <option value="view">watch</option>
      {visit.has('drive') && !view.options.liveViewReadOnly ? (
        <option value="control">watch and control</option>
      ) : (
        ''
      )}
    </select>
    <LifetimeField label="for" />
    <SubmitButton kind="plain">Create link</SubmitButton>
  </PostForm>
)

const lifetimes = [
  { seconds: 600, label: '10 minutes' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: 86_400, label: '1 day' },
]

/** How long a link is valid. */
export const LifetimeField = ({ label }: { label: string }) => (
  <>
    <label for="f-ttl">{label}</label>
    <select id="f-ttl" name="ttl_seconds">
      {lifetimes.map(({ seconds, label: span }) => (
        <option value={String(seconds)}>{span}</option>
      ))}
    </select>
  </>
)
