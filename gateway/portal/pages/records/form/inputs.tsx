/** The inputs of a record's form, by the types of its fields. */
import { areaPrefixes } from '../../../../../proto/access/areas/prefixes.ts'
import { LongField, SelectField, TextField, type FieldChoice } from '../../../../html/fields.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { Markup } from '../../../../html/markup.ts'
import type { Visit } from '../../../visit.ts'
import { toWords } from '../../../words/words.ts'
import type { FormField, FormFieldType } from './form-fields.ts'

interface InputProps {
  readonly visit: Visit
  readonly of: FormField
  readonly value: string
  /** Of the client whose record it is. */
  readonly tenant: string
  readonly problem: FormProblem | undefined
}

const hints: Readonly<Partial<Record<FormFieldType['kind'], string>>> = {
  words: 'Separated by commas.',
  money: 'With its currency, such as 1250.00 EUR.',
}

const inputTypes: Readonly<Partial<Record<FormFieldType['kind'], 'date' | 'datetime-local'>>> = {
  day: 'date',
  time: 'datetime-local',
}

export const RecordInput = ({ visit, of, value, tenant, problem }: InputProps): Markup => {
  const { name, label, type, isLong, isRequired, initial } = of
  const hint = hintOf(visit, of)
  const shared = { name, label, problem, ...(hint !== undefined && { hint }) }
  const hasAlways = isRequired || initial !== undefined || type.kind === 'flag'
  const none = hasAlways ? [] : [{ value: '', label: 'None' }]
  const select = (choices: readonly FieldChoice[]) => (
    <SelectField {...shared} value={value} choices={[...none, ...choices]} />
  )
  switch (type.kind) {
    case 'choice':
      return select(type.values.map((one) => ({ value: one, label: toWords(one) })))
    case 'flag':
      return select([
        { value: 'no', label: 'No' },
        { value: 'yes', label: 'Yes' },
      ])
    case 'person':
      return select(peopleOf(visit, tenant, value))
    default:
      if (isLong) return <LongField {...shared} value={value} isOptional={!isRequired} />
      return (
        <TextField
          {...shared}
          value={value}
          isOptional={!isRequired}
          type={inputTypes[type.kind] ?? 'text'}
          autocomplete="off"
        />
      )
  }
}

function hintOf({ zone }: Visit, { type, refersTo }: FormField): string | undefined {
  if (refersTo)
    return `The id of a record of ${toWords(refersTo).toLowerCase()}: ${areaPrefixes[refersTo]}_…`
  return type.kind === 'time' ? `In the time zone ${zone}.` : hints[type.kind]
}

/** Staff, and the people of the client; somebody who is no longer there stays chosen. */
function peopleOf(visit: Visit, tenant: string, value: string): readonly FieldChoice[] {
  const people = visit
    .list('person')
    .filter(({ kind, tenant: own }) => kind === 'staff' || own === tenant)
    .filter(({ id, status }) => status === 'active' || id === value)
    .map(({ id, name }) => ({ value: id, label: name }))
  const isKnown = value === '' || people.some((one) => one.value === value)
  return isKnown ? people : [{ value, label: 'As it is' }, ...people]
}
