/** The actions on a change: a form for those the reader may use, and the reason for the others. */
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import { LongField, TextField } from '../../../../html/fields.tsx'
import { Collapsible, PostForm, SubmitButton, type NamedField } from '../../../../html/form.tsx'
import { ButtonLink, NoticeBox, PageSection } from '../../../../html/parts.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import { isAbout } from '../../../../html/forms/problem.ts'
import type { Visit } from '../../../visit.ts'
import { localText } from '../../../../html/times.ts'
import { ReviewForm } from '../../reviews.tsx'
import { windowOf } from '../collisions.ts'
import { possibleActions, verbWord, type ChangeVerb } from './possible-actions.ts'

/** The last part of each URL, as in REST. */
export const suffixOf: Readonly<Record<ChangeVerb, string>> = {
  propose: 'propose',
  review: 'reviews',
  schedule: 'schedule',
  start: 'start',
  complete: 'complete',
  fail: 'fail',
  roll_back: 'roll-back',
  cancel: 'cancel',
  post_review: 'post-review',
}

/** A problem with the whole window is shown at its start field. */
const startAbout = (problem: FormProblem | undefined) =>
  isAbout(problem, 'window.end') ? 'window.start' : 'window'

export const summaryFields = (
  { verb }: Visit,
  problem: FormProblem | undefined,
): readonly NamedField[] => [
  { name: 'decision', label: 'Decision' },
  { name: 'reason', ...(verb !== 'reviews' && { id: `reason-${verb}` }), label: 'Reason' },
  { name: 'window_start', label: 'Start', about: startAbout(problem) },
  { name: 'window_end', label: 'End', about: 'window.end' },
  { name: 'evidence', label: 'Evidence' },
  { name: 'notes', label: 'Notes' },
]

interface Props {
  readonly visit: Visit
  readonly change: ChangeView
  readonly problem: FormProblem | undefined
}

export const ChangeActions = ({ visit, change, problem }: Props) => {
  const [main, ...others] = possibleActions(visit, change)
  if (!main) return <></>
  const mine = others.filter(({ whyNot }) => whyNot === undefined)
  const problemOf = (verb: ChangeVerb) => (suffixOf[verb] === visit.verb ? problem : undefined)
  return (
    <>
      {main.whyNot === undefined ? (
        <Act visit={visit} change={change} verb={main.verb} problem={problemOf(main.verb)} />
      ) : (
        <PageSection title={verbWord(main.verb)}>
          <NoticeBox tone="info" title="You cannot do this now">
            <p>{main.whyNot}</p>
          </NoticeBox>
        </PageSection>
      )}
      {mine.length === 0 ? (
        ''
      ) : (
        <PageSection title="Other actions">
          {mine.map(({ verb }) => (
            <Collapsible label={verbWord(verb)} isOpen={problemOf(verb) !== undefined}>
              <Fields visit={visit} change={change} verb={verb} problem={problemOf(verb)} />
            </Collapsible>
          ))}
        </PageSection>
      )}
    </>
  )
}

interface ActProps extends Props {
  readonly verb: ChangeVerb
}

const addressOf = (visit: Visit, { id }: ChangeView, verb: ChangeVerb) =>
  visit.at(`/changes/${id}/${suffixOf[verb]}`)

const Act = ({ visit, change, verb, problem }: ActProps) =>
  verb === 'review' ? (
    <ReviewForm {...{ visit, problem, of: change }} action={addressOf(visit, change, verb)} />
  ) : (
    <PageSection title={verbWord(verb)}>
      <Fields visit={visit} change={change} verb={verb} problem={problem} />
    </PageSection>
  )

const notes: Partial<Readonly<Record<ChangeVerb, string>>> = {
  propose: 'The change is checked against its target and shown to the people who must approve it.',
  schedule:
    'No other change can book this target for that time. A window that passes unused is released.',
  start: 'You become the implementer, and you report the result.',
  complete: 'The values are written now, unless the target has changed since the decision.',
  fail: 'Nothing is written. The change can be scheduled again or marked as rolled back.',
  roll_back: 'This closes the change. Say how it was rolled back.',
  cancel: 'This closes the change. Nothing is written.',
  post_review: 'Say whether it was right to make this change as an emergency.',
}

const Fields = ({ visit, change, verb, problem }: ActProps) => (
  <PostForm
    visit={visit}
    action={addressOf(visit, change, verb)}
    seen={change.version}
    class="narrow"
  >
    {notes[verb] === undefined ? '' : <p>{notes[verb]}</p>}
    {verb === 'schedule' ? <WindowFields {...{ visit, change, problem }} /> : ''}
    {verb === 'complete' ? <EvidenceFields visit={visit} problem={problem} /> : ''}
    {reasoned.includes(verb) ? <Reason {...{ visit, verb, problem }} /> : ''}
    <div class="buttons">
      <SubmitButton kind={grave.includes(verb) ? 'danger' : 'main'}>{buttons[verb]}</SubmitButton>
      {verb === 'propose' ? (
        <ButtonLink href={visit.at(`/changes/${change.id}/edit`)}>Edit the draft</ButtonLink>
      ) : (
        ''
      )}
    </div>
  </PostForm>
)

const reasoned: readonly ChangeVerb[] = ['fail', 'roll_back', 'cancel', 'post_review']
const grave: readonly ChangeVerb[] = ['fail', 'roll_back', 'cancel']
const buttons: Readonly<Record<ChangeVerb, string>> = {
  propose: 'Propose the change',
  review: 'Submit the review',
  schedule: 'Schedule the change',
  start: 'Start the change',
  complete: 'Mark as done',
  fail: 'Mark as failed',
  roll_back: 'Mark as rolled back',
  cancel: 'Cancel the change',
  post_review: 'Submit the review',
}

const hourMs = 3_600_000

/** The booked or requested window if it is in the future, otherwise the next full hour. */
const WindowFields = ({ visit, change, problem }: Props) => {
  const { form, zone, now } = visit
  const known = windowOf(change)
  const next = (Math.floor(now / hourMs) + 1) * hourMs
  const { startMs, endMs } =
    known && known.startMs > now ? known : { startMs: next, endMs: next + hourMs }
  return (
    <>
      <TextField
        {...{ name: 'window_start', label: 'Start', type: 'datetime-local', width: 'middle' }}
        {...{ problem, about: startAbout(problem) }}
        hint={`Time zone: ${zone}.`}
        value={form.given('window_start') ?? localText(startMs, zone)}
      />
      <TextField
        {...{ name: 'window_end', label: 'End', type: 'datetime-local', width: 'middle' }}
        {...{ problem, about: 'window.end' }}
        value={form.given('window_end') ?? localText(endMs, zone)}
      />
    </>
  )
}

const EvidenceFields = ({ visit, problem }: Pick<Props, 'visit' | 'problem'>) => (
  <>
    <LongField
      {...{ name: 'evidence', label: 'Evidence', problem, rows: 3 }}
      hint="What shows that it was done: a URL or an observation, one per line."
      value={visit.form.text('evidence')}
    />
    <LongField
      {...{ name: 'notes', label: 'Notes', problem, rows: 2, isOptional: true }}
      hint="Optional."
      value={visit.form.text('notes')}
    />
  </>
)

const Reason = ({ visit, verb, problem }: Pick<ActProps, 'visit' | 'verb' | 'problem'>) => (
  <LongField
    {...{ name: 'reason', id: `reason-${suffixOf[verb]}`, label: 'Reason', problem, rows: 2 }}
    hint="At least 10 characters. Kept in the audit."
    value={problem ? visit.form.text('reason') : ''}
  />
)
