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
    { name: 'title', label: 'What is to be done?' },
    { name: 'need_id', label: 'Need' },
    { name: 'version', label: 'Version of the record', about: 'target' },
    ...(on === customAccess ? customNamed : namedInputs(specsOf(subject))),
    { name: 'type', label: 'How urgent is it?' },
    { name: 'risk', label: 'Risk' },
    { name: 'impact', label: 'Impact' },
    { name: 'test_plan', label: 'Test plan' },
    { name: 'rollback_plan', label: 'Way back' },
    { name: 'description', label: 'More about it' },
    { name: 'window_start', label: 'Start', about: startAbout(problem) },
    { name: 'window_end', label: 'End', about: 'window.end' },
    { name: 'implementer_id', label: 'To be done by' },
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
          {subject.does === 'delete' ? 'What is removed' : 'What is written'}
        </legend>
        <Written {...props} />
      </fieldset>
      <fieldset class="field part-of">
        <legend class="big">Risk and way back</legend>
        <Plans {...props} />
      </fieldset>
      <fieldset class="field part-of">
        <legend class="big">When, and by whom</legend>
        <Course {...props} />
      </fieldset>
      <div class="buttons">
        <SubmitButton>{draft ? 'Save the draft' : 'Save as a draft'}</SubmitButton>
        <span class="quiet">Nobody is asked yet: you check it, then propose it.</span>
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
        {...{ name: 'title', label: 'What is to be done?', problem }}
        hint="At least 10 characters, as a board shows it."
        value={fieldText(props, 'title', terms?.title ?? subject.template?.title)}
      />
      {needs.length === 0 ? (
        <NoticeBox tone="wait" title="No need is open">
          <p>
            A change serves a need.{' '}
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
          hint="What it is for."
          value={fieldText(props, 'need_id', terms?.needId ?? subject.need)}
          choices={needs.map(({ id, title }) => ({ value: id, label: title }))}
        />
      )}
      <LongField
        {...{ name: 'description', label: 'More about it', problem, rows: 3, isOptional: true }}
        hint="Optional: background, links, who asked."
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
    return <p>Nothing in the records here. Say above what is done, and below how it is tested.</p>
  }
  const which =
    record === 'new'
      ? `A new one in ${targetWord(on)}.`
      : `${targetWord(on)}: ${base.title ?? record ?? ''}`
  return (
    <>
      <p>{which}</p>
      {record === 'new' ? '' : <Version {...props} />}
      {does === 'delete' ? (
        <p>The whole of it is removed when the change is done.</p>
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
          No grant of yours for the portal shows this record. Only what is typed here is written;
          the rest stays as it is.
        </p>
      </NoticeBox>
      <TextField
        {...{ name: 'version', label: 'Version of the record', problem, about: 'target' }}
        {...{ width: 'short', inputmode: 'numeric' }}
        hint="Of the record as you know it."
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
        hint={`In ${visit.zone}. Optional: who schedules it may choose.`}
        value={fieldText(props, 'window_start', local(terms?.window?.startMs))}
      />
      <TextField
        {...{ name: 'window_end', label: 'End', type: 'datetime-local', width: 'middle' }}
        {...{ problem, about: 'window.end', isOptional: true }}
        value={fieldText(props, 'window_end', local(terms?.window?.endMs))}
      />
      {visit.isStaff ? (
        <SelectField
          {...{ name: 'implementer_id', label: 'To be done by', problem }}
          hint="Somebody who does not approve it."
          value={fieldText(props, 'implementer_id', terms?.implementerId)}
          choices={[{ value: '', label: 'Any operator' }, ...implementerChoices(visit)]}
        />
      ) : (
        ''
      )}
    </>
  )
}
