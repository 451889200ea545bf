/**
 * What a person can fill in of a record: the fields of its area that a form can hold, as far as the
 * grant includes them. Texts of a form become values here, and values texts.
 */
import type { AreaDefinition } from '../../../../../proto/access/areas/define-area.ts'
import { isAreaKey, type AreaKey } from '../../../../../proto/access/areas/areas.ts'
import { fieldTypesOf } from '../../../../../proto/access/areas/field-type.ts'
import { defined } from '../../../../../proto/defined.ts'
import type { Permission } from '../../../../../proto/access/permissions.ts'
import {
  visibleFields,
  type RecordJson,
} from '../../../../../runtime/access/records/record-json.ts'
import {
  CellError,
  cellValue,
  smallestUnits,
} from '../../../../../runtime/access/transfer/cell-values.ts'
import { badField } from '../../../../routing/schemas/validate.ts'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import { localText, momentIn } from '../../../../html/times.ts'
import { toWords } from '../../../words/words.ts'

export type FormFieldType =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'text' | 'flag' | 'number' | 'day' | 'time' }
  | { readonly kind: 'person' | 'money' | 'words' }

export interface FormField {
  readonly name: string
  readonly label: string
  readonly type: FormFieldType
  readonly isLong: boolean
  readonly isRequired: boolean
  /** Of a new record. */
  readonly initial: unknown
  /** The area of the record that it names by its id. */
  readonly refersTo?: AreaKey
}

export interface RecordForm {
  readonly fields: readonly FormField[]
  /** Labels of the fields that only programs write: lists and objects. */
  readonly leftOut: readonly string[]
}

export function recordForm(area: AreaDefinition, permission: Permission): RecordForm {
  const seen = visibleFields(area, permission)
  const names = Object.keys(area.fields.shape).filter((name) => seen.includes(name))
  const typed = names.map((name) => ({ name, type: formType(area, name) }))
  return {
    fields: typed.flatMap(({ name, type }) => {
      if (!type) return []
      const { success, data: initial } = area.fields.shape[name]!.safeParse(undefined)
      const to = area.references.find(({ field }) => field === name)?.to
      const refersTo = to !== undefined && isAreaKey(to) ? to : undefined
      const label = toWords(type.kind === 'person' ? name.replace(/_id$/, '') : name)
      return [
        {
          ...{ name, label, type, isLong: longFields.has(name), isRequired: !success, initial },
          ...defined({ refersTo }),
        },
      ]
    }),
    leftOut: typed.flatMap(({ name, type }) => (type ? [] : [toWords(name)])),
  }
}

/** Texts of paragraphs. */
const longFields: ReadonlySet<string> = new Set(['body', 'description', 'lost_reason', 'notes'])

function formType(area: AreaDefinition, name: string): FormFieldType | undefined {
  const type = fieldTypesOf(area).get(name)
  if (name === 'amount') return { kind: 'money' }
  if (!type) return undefined
  switch (type.kind) {
    case 'object':
      return undefined
    case 'list':
      return type.items.kind === 'text' ? { kind: 'words' } : undefined
    case 'text': {
      const isPerson = area.references.some(({ field, to }) => field === name && to === 'person')
      return { kind: isPerson ? 'person' : 'text' }
    }
    case 'choice':
      return type
    default:
      return { kind: type.kind }
  }
}

/** As the form shows it; '' if the record has no value. */
export function textOfValue(field: FormField, value: unknown, zone: string): string {
  if (value === undefined || value === null) return ''
  switch (field.type.kind) {
    case 'time':
      return localText(Date.parse(String(value)), zone)
    case 'words':
      return (value as readonly unknown[]).join(', ')
    case 'money':
      return moneyText(value as Money)
    case 'flag':
      return value === true ? 'yes' : 'no'
    default:
      return String(value)
  }
}

interface Money {
  readonly value: number
  readonly currency: string
}

function moneyText({ value, currency }: Money): string {
  const one = smallestUnits(1, currency)
  return `${(value / one).toFixed(Math.round(Math.log10(one)))} ${currency}`
}

/** Throws `bad_request` that names the field, for a text that cannot be read. */
function valueOfText({ name, type }: FormField, text: string, zone: string): unknown {
  try {
    switch (type.kind) {
      case 'time':
        return momentIn(text, zone)
      case 'words':
        return cellValue({ kind: 'list', items: { kind: 'text' } }, text)
      case 'money':
        return moneyValue(text)
      case 'person':
        return text
      default:
        return cellValue(type, text)
    }
  } catch (error) {
    if (error instanceof CellError) throw badField(name, `${name} ${error.message}`)
    throw error
  }
}

function moneyValue(text: string): Money {
  const [, amount = '', currency = ''] = /^(\S.*?)\s*([A-Za-z]{3})$/.exec(text) ?? []
  if (currency === '') throw new CellError('must be an amount with its currency: 1250.00 EUR')
  const code = currency.toUpperCase()
  return {
    value: smallestUnits(cellValue({ kind: 'number' }, amount) as number, code),
    currency: code,
  }
}

/**
 * What the form changes of the record that its page showed, as a merge patch: an emptied field is
 * removed, an untouched one left out.
 */
export function patchOf(
  { fields }: RecordForm,
  form: SubmittedForm,
  shown: RecordJson | undefined,
  zone: string,
): Readonly<Record<string, unknown>> {
  const changed = fields.flatMap((field) => {
    if (!form.has(field.name)) return []
    const text = form.text(field.name)
    if (text === textOfValue(field, shown?.[field.name], zone)) return []
    return [[field.name, text === '' ? null : valueOfText(field, text, zone)]]
  })
  return Object.fromEntries(changed) as Readonly<Record<string, unknown>>
}
