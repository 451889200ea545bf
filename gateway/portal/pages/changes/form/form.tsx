/** The form of a change, for a new one or a draft being edited. */
import { customAccess } from '../../../../../proto/access/changes/change-terms.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { mergePatch } from '../../../../../runtime/access/records/merge-patch.ts'
import { LongField, SelectField, TextField } from '../../../../html/fields.tsx'
import {
  ErrorSummary,
  hiddenField,
  PostForm,
  SubmitButton,
  type NamedField,
} from '../../../../html/form.tsx'
import { NoticeBox } from '../../../../html/parts.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import { isAbout } from '../../../../html/forms/problem.ts'
import { localText } from '../../../../html/times.ts'
import { targetWord } from '../change/target.tsx'
import { implementerChoices, specsOf } from './base.ts'
import { CustomInputs, customNamed } from './custom.tsx'
import { namedInputs, PatchInputs } from './inputs.tsx'
import { changeSubjectPairs } from './change-subject.ts'
import { fieldText, type FormProps } from './form-props.ts'
import { Plans } from './plans.tsx'

/** A problem with the whole window is shown at its start field. */
const startAbout = (problem: FormProblem | undefined) =>
  isAbout(problem, 'window.end') ? 'window.start' : 'window'

function namedIn({ subject, problem }: FormProps): readonly NamedField[] {
  const { on } = subject
  return [
    { name: 'title', label: 'Title' },
    { name: 'need_id', label: 'Need' },
    { name: 'version', label: 'Record version', about: 'target' },
    ...(on === customAccess ? customNamed : namedInputs(specsOf(subject))),
    { name: 'type', label: 'Urgency' },
    { name: 'risk', label: 'Risk' },
    { name: 'impact', label: 'Impact' },
    { name: 'test_plan', label: 'Test plan' },
    { name: 'rollback_plan', label: 'Rollback plan' },
    { name: 'description', label: 'Description' },
    { name: 'window_start', label: 'Start', about: startAbout(problem) },
    { name: 'window_end', label: 'End', about: 'window.end' },
    { name: 'implementer_id', label: 'Implementer' },
  ]
}

export const ChangeForm = (props: FormProps) => {
  const { visit, subject, action, draft, problem } = props
  return (
    <PostForm
      {...{ visit, action, class: 'narrow', isOnce: draft === undefined }}
      {...(draft && { seen: draft.version })}
    >
      <ErrorSummary problem={problem} fields={namedIn(props)} />
      {changeSubjectPairs(subject, visit.isStaff)
        .filter(([name]) => name !== 'need' && name !== 'source')
        .map(([name, value]) => hiddenField(name, value))}
      <About {...props} />
      <fieldset class="field part-of">
        <legend class="big">
          {subject.does === 'delete' ? 'What is deleted' : 'What is written'}
        </legend>
        <Written {...props} />
      </fieldset>
      <fieldset class="field part-of">
        <legend class="big">Risk and rollback</legend>
        <Plans {...props} />
      </fieldset>
      <fieldset class="field part-of">
        <legend class="big">Schedule</legend>
        <Course {...props} />
      </fieldset>
      <div class="buttons">
        <SubmitButton>{draft ? 'Save the draft' : 'Save as draft'}</SubmitButton>
        <span class="quiet">
          No one is notified yet. You propose the change after checking the draft.
        </span>
      </div>
    </PostForm>
  )
}

const About = (props: FormProps) => {
  const { visit, subject, draft, problem } = props
  const terms = draft?.terms
  const needs = visit.list('need', subject.client).filter(({ status }) => status !== 'closed')
  return (
    <>
      <TextField
        {...{ name: 'title', label: 'Title', problem }}
        hint="What is to be done, in at least 10 characters. Shown on the board."
        value={fieldText(props, 'title', terms?.title ?? subject.template?.title)}
      />
      {needs.length === 0 ? (
        <NoticeBox tone="wait" title="There is no open need">
          <p>
            Every change is made for a need.{' '}
            {visit.may('POST /v1/needs') ? (
              <a href={visit.at('/needs/new')}>Open a need</a>
            ) : (
              'An owner of the client can open one.'
            )}
          </p>
        </NoticeBox>
      ) : (
        <SelectField
          {...{ name: 'need_id', label: 'Need', problem }}
          hint="What the change is for."
          value={fieldText(props, 'need_id', terms?.needId ?? subject.need)}
          choices={needs.map(({ id, title }) => ({ value: id, label: title }))}
        />
      )}
      <LongField
        {...{ name: 'description', label: 'Description', problem, rows: 3, isOptional: true }}
        hint="Optional. Background, links, who asked for it."
        value={fieldText(props, 'description', terms?.description)}
      />
    </>
  )
}

/** The initial values: the target's fields with the draft's patch applied. */
function valuesOf({ base, draft }: FormProps): RecordFields {
  const work = draft?.terms.work
  const patch = work && 'patch' in work ? work.patch : {}
  return mergePatch(base.fields ?? {}, patch)
}

const Written = (props: FormProps) => {
  const { visit, subject, base, choices, problem } = props
  const { on, record, does, source } = subject
  if (on === undefined) {
    return (
      <p>This change writes no records. Describe the work above, and how it is tested below.</p>
    )
  }
  const which =
    record === 'new'
      ? `New record in ${targetWord(on)}.`
      : `${targetWord(on)}: ${base.title ?? record ?? ''}`
  return (
    <>
      <p>{which}</p>
      {record === 'new' ? '' : <Version {...props} />}
      {does === 'delete' ? (
        <p>It is deleted when the change is done.</p>
      ) : on === customAccess ? (
        <CustomInputs
          {...{ visit, problem, source: source ?? 'contacts', isNew: record === 'new' }}
          values={valuesOf(props)}
        />
      ) : (
        <PatchInputs
          {...{ visit, choices, problem, mode: base.mode, specs: specsOf(subject) }}
          values={valuesOf(props)}
        />
      )}
    </>
  )
}

/**
 * The version of the target that the change is based on: the one shown, or the one that the reader
 * types if the target is hidden.
 */
const Version = (props: FormProps) => {
  const { base, draft, problem } = props
  if (base.version !== undefined) return <>{hiddenField('version', String(base.version))}</>
  const work = draft?.terms.work
  const drafted = work && 'version' in work ? String(work.version) : undefined
  return (
    <>
      <NoticeBox tone="info">
        <p>
          None of your portal grants shows this record. Only the fields you fill in are written; the
          rest stays unchanged.
        </p>
      </NoticeBox>
      <TextField
        {...{ name: 'version', label: 'Record version', problem, about: 'target' }}
        {...{ width: 'short', inputmode: 'numeric' }}
        hint="The version of the record that you know."
        value={fieldText(props, 'version', drafted)}
      />
    </>
  )
}

const Course = (props: FormProps) => {
  const { visit, draft, problem } = props
  const terms = draft?.terms
  const local = (ms: number | undefined) =>
    ms === undefined ? undefined : localText(ms, visit.zone)
  return (
    <>
      <TextField
        {...{ name: 'window_start', label: 'Start', type: 'datetime-local', width: 'middle' }}
        {...{ problem, about: startAbout(problem), isOptional: true }}
        hint={`Optional. Time zone: ${visit.zone}.`}
        value={fieldText(props, 'window_start', local(terms?.window?.startMs))}
      />
      <TextField
        {...{ name: 'window_end', label: 'End', type: 'datetime-local', width: 'middle' }}
        {...{ problem, about: 'window.end', isOptional: true }}
        value={fieldText(props, 'window_end', local(terms?.window?.endMs))}
      />
      {visit.isStaff ? (
        <SelectField
          {...{ name: 'implementer_id', label: 'Implementer', problem }}
          hint="Someone who does not approve the change."
          value={fieldText(props, 'implementer_id', terms?.implementerId)}
          choices={[{ value: '', label: 'Any operator' }, ...implementerChoices(visit)]}
        />
      ) : (
        ''
      )}
    </>
  )
}
