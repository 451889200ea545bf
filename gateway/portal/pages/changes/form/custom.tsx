/** The fields of a custom view, in the form of a change that creates or modifies it. */
import { areaRules, type AreaKey } from '../../../../../proto/access/areas/areas.ts'
import { commonFields, commonSorts } from '../../../../../proto/access/areas/define-area.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../../../proto/access/areas/registry.ts'
import { isDeepStrictEqual } from 'node:util'
import { isRecordObject } from '../../../../../runtime/access/records/merge-patch.ts'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import { ChoiceField, SelectField, TextField } from '../../../../html/fields.tsx'
import { hiddenField, type NamedField } from '../../../../html/form.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { Visit } from '../../../visit.ts'
import { toWords } from '../../../words/words.ts'
import { inputNameOf } from './form-values.ts'

const conditionRows = 3

export const customNamed: readonly NamedField[] = [
  { name: inputNameOf('title'), label: 'View name' },
  { name: inputNameOf('slug'), label: 'Slug' },
  { name: inputNameOf('fields'), label: 'Fields to show' },
  { name: inputNameOf('sort'), label: 'Sort order' },
  ...Array.from({ length: conditionRows }, (_, n) => ({
    name: inputNameOf('where', n, 'equals'),
    label: 'Values',
    about: inputNameOf('where', n),
  })),
]

interface Condition {
  readonly field: string
  readonly equals: readonly string[]
}

const conditionsIn = (value: unknown): readonly Condition[] =>
  Array.isArray(value)
    ? value.filter(isRecordObject).map(({ field, equals }) => ({
        field: String(field),
        equals: Array.isArray(equals) ? equals.map(String) : [],
      }))
    : []

const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function typedConditions(form: SubmittedForm): readonly Condition[] {
  return Array.from({ length: conditionRows }, (_, n) => ({
    field: form.text(inputNameOf('where', n, 'field')),
    equals: split(form.text(inputNameOf('where', n, 'equals'))),
  })).filter(({ field }) => field !== '')
}

/**
 * All fields of a new view; for an existing one the differences, without slug and area, which are
 * fixed.
 */
export function customPatch(
  form: SubmittedForm,
  source: AreaKey,
  before: RecordFields | undefined,
): RecordFields {
  const typed: RecordFields = {
    title: form.text(inputNameOf('title')),
    fields: [...form.all(inputNameOf('fields'))],
    where: typedConditions(form),
    sort: form.text(inputNameOf('sort')) || '-created_at',
  }
  if (!before) return { slug: form.text(inputNameOf('slug')), source_area: source, ...typed }
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => !isDeepStrictEqual(value, before[name])),
  )
}

interface CustomProps {
  readonly visit: Visit
  readonly source: AreaKey
  /** The initial values. */
  readonly values: RecordFields
  readonly problem: FormProblem | undefined
}

export const CustomInputs = ({ isNew, ...props }: CustomProps & { isNew: boolean }) => {
  const { visit, source, values, problem } = props
  const { form } = visit
  const isSent = visit.facts.request.method === 'POST'
  const text = (name: string) =>
    isSent ? form.text(inputNameOf(name)) : String(values[name] ?? '')
  const sorts = [...commonSorts, ...areaDefinitions[source].sortable]
  return (
    <>
      {hiddenField('source', source)}
      <p>
        A view of <strong>{areaRules[source].label}</strong> that shows only the fields and records
        chosen here.
      </p>
      <TextField
        {...{ name: inputNameOf('title'), label: 'View name', problem }}
        value={text('title')}
      />
      {isNew ? (
        <TextField
          {...{ name: inputNameOf('slug'), label: 'Slug', problem, width: 'middle' }}
          hint="Part of the URL: lower-case letters, digits and hyphens. Cannot be changed later."
          value={text('slug')}
        />
      ) : (
        ''
      )}
      <ShownFields {...props} />
      <Conditions {...props} />
      <SelectField
        {...{ name: inputNameOf('sort'), label: 'Sort order', problem }}
        hint="One of the fields to show, or the time a record was created or updated."
        value={text('sort') || '-created_at'}
        choices={sorts.flatMap((name) => [
          { value: `-${name}`, label: `${toWords(name)}, descending` },
          { value: name, label: toWords(name) },
        ])}
      />
    </>
  )
}

const ShownFields = ({ visit, source, values, problem }: CustomProps) => {
  const isSent = visit.facts.request.method === 'POST'
  const known = values['fields']
  const before = Array.isArray(known) ? known.map(String) : []
  const chosen = isSent ? visit.form.all(inputNameOf('fields')) : before
  const shown = [...areaDefinitions[source].fieldNames, ...commonFields]
  return (
    <ChoiceField
      {...{
        name: inputNameOf('fields'),
        label: 'Fields to show',
        kind: 'checkbox',
        problem,
      }}
      isInline
      choices={shown.map((name) => ({ value: name, label: toWords(name) }))}
      chosen={chosen}
    />
  )
}

const Conditions = ({ visit, source, values, problem }: CustomProps) => {
  const isSent = visit.facts.request.method === 'POST'
  const known = isSent ? typedConditions(visit.form) : conditionsIn(values['where'])
  const choices = areaDefinitions[source].filterable.map((name) => ({
    value: name,
    label: toWords(name),
  }))
  return (
    <fieldset class="field parts">
      <legend>Records to show</legend>
      <p class="hint">Records that match every condition. Without conditions, all records.</p>
      {Array.from({ length: conditionRows }, (_, n) => (
        <div class="part" role="group" aria-label={`Condition ${n + 1}`}>
          <SelectField
            {...{ name: inputNameOf('where', n, 'field'), label: 'Field' }}
            value={known[n]?.field ?? ''}
            choices={[{ value: '', label: 'None' }, ...choices]}
          />
          <TextField
            {...{ name: inputNameOf('where', n, 'equals'), label: 'Is one of', isOptional: true }}
            {...{ problem, about: inputNameOf('where', n) }}
            hint="Separate values with commas."
            value={known[n]?.equals.join(', ') ?? ''}
          />
        </div>
      ))}
    </fieldset>
  )
}
