/** The fields of a custom view, in the form of a change that creates or modifies it. */
import { areaRules, type AreaKey } from '../../../../../proto/access/areas.ts'
import { commonFields, commonSorts } from '../../../../../proto/access/areas/define-area.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../../../proto/access/areas/registry.ts'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../../../runtime/access/records/merge-patch.ts'
import type { Form } from '../../../form.ts'
import { ChoiceField, SelectField, TextField } from '../../../html/fields.tsx'
import { hidden, type Named } from '../../../html/form.tsx'
import type { Problem } from '../../../page.ts'
import type { Visit } from '../../../visit.ts'
import { words } from '../../../words/words.ts'
import { nameOf } from './typed.ts'

const conditionRows = 3

export const customNamed: readonly Named[] = [
  { name: nameOf('title'), label: 'Name of the view' },
  { name: nameOf('slug'), label: 'Address' },
  { name: nameOf('fields'), label: 'Fields that it shows' },
  { name: nameOf('sort'), label: 'Order' },
  ...Array.from({ length: conditionRows }, (_, n) => ({
    name: nameOf('where', n, 'equals'),
    label: 'Values',
    about: nameOf('where', n),
  })),
]

interface Condition {
  readonly field: string
  readonly equals: readonly string[]
}

const conditionsIn = (value: unknown): readonly Condition[] =>
  Array.isArray(value)
    ? value.filter(isObject).map(({ field, equals }) => ({
        field: String(field),
        equals: Array.isArray(equals) ? equals.map(String) : [],
      }))
    : []

const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function typedConditions(form: Form): readonly Condition[] {
  return Array.from({ length: conditionRows }, (_, n) => ({
    field: form.text(nameOf('where', n, 'field')),
    equals: split(form.text(nameOf('where', n, 'equals'))),
  })).filter(({ field }) => field !== '')
}

/**
 * All fields of a new view; for an existing one the differences, without slug and area, which are
 * fixed.
 */
export function customPatch(
  form: Form,
  source: AreaKey,
  before: RecordFields | undefined,
): RecordFields {
  const typed: RecordFields = {
    title: form.text(nameOf('title')),
    fields: [...form.all(nameOf('fields'))],
    where: typedConditions(form),
    sort: form.text(nameOf('sort')) || '-created_at',
  }
  if (!before) return { slug: form.text(nameOf('slug')), source_area: source, ...typed }
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => !isDeepStrictEqual(value, before[name])),
  )
}

export const CustomInputs = ({
  visit,
  source,
  values,
  isNew,
  problem,
}: {
  visit: Visit
  source: AreaKey
  /** The initial values. */
  values: RecordFields
  isNew: boolean
  problem: Problem | undefined
}) => {
  const { form } = visit
  const isSent = visit.facts.request.method === 'POST'
  const { fieldNames, sortable } = areaDefinitions[source]
  const text = (name: string) => (isSent ? form.text(nameOf(name)) : String(values[name] ?? ''))
  const known = values['fields']
  const before = Array.isArray(known) ? known.map(String) : []
  const chosen = isSent ? form.all(nameOf('fields')) : before
  const shown = [...fieldNames, ...commonFields]
  const sorts = [...commonSorts, ...sortable]
  return (
    <>
      {hidden('source', source)}
      <p>
        A view of <strong>{areaRules[source].label}</strong>, with the fields and the records that
        are chosen here and nothing else.
      </p>
      <TextField
        {...{ name: nameOf('title'), label: 'Name of the view', problem }}
        value={text('title')}
      />
      {isNew ? (
        <TextField
          {...{ name: nameOf('slug'), label: 'Address', problem, width: 'middle' }}
          hint="Lower-case letters, digits and hyphens, such as newsletter-list. It never changes."
          value={text('slug')}
        />
      ) : (
        ''
      )}
      <ChoiceField
        {...{ name: nameOf('fields'), label: 'Fields that it shows', kind: 'checkbox', problem }}
        isInline
        choices={shown.map((name) => ({ value: name, label: words(name) }))}
        chosen={chosen}
      />
      <Conditions visit={visit} source={source} values={values} problem={problem} />
      <SelectField
        {...{ name: nameOf('sort'), label: 'Order', problem }}
        hint="Fields that it shows, and when a record was made or changed."
        value={text('sort') || '-created_at'}
        choices={sorts.flatMap((name) => [
          { value: `-${name}`, label: `${words(name)}, last first` },
          { value: name, label: words(name) },
        ])}
      />
    </>
  )
}

const Conditions = ({
  visit,
  source,
  values,
  problem,
}: {
  visit: Visit
  source: AreaKey
  values: RecordFields
  problem: Problem | undefined
}) => {
  const isSent = visit.facts.request.method === 'POST'
  const known = isSent ? typedConditions(visit.form) : conditionsIn(values['where'])
  const choices = areaDefinitions[source].filterable.map((name) => ({
    value: name,
    label: words(name),
  }))
  return (
    <fieldset class="field parts">
      <legend>Records that it shows</legend>
      <p class="hint">Those for which all of this holds; all records, where nothing is said.</p>
      {Array.from({ length: conditionRows }, (_, n) => (
        <div class="part" role="group" aria-label={`Condition ${n + 1}`}>
          <SelectField
            {...{ name: nameOf('where', n, 'field'), label: 'Field' }}
            value={known[n]?.field ?? ''}
            choices={[{ value: '', label: 'None' }, ...choices]}
          />
          <TextField
            {...{ name: nameOf('where', n, 'equals'), label: 'Is one of', isOptional: true }}
            {...{ problem, about: nameOf('where', n) }}
            hint="With commas between them."
            value={known[n]?.equals.join(', ') ?? ''}
          />
        </div>
      ))}
    </fieldset>
  )
}
