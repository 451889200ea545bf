/**
 * Compares what was typed with the record: the patch consists of the differences. Values are
 * compared as the texts of their fields, so an untouched field writes nothing.
 */
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { isRecordObject } from '../../../../../runtime/access/records/merge-patch.ts'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import { localText, momentIn } from '../../../../html/times.ts'
import { isGroup, type FieldSpec, type GroupSpec, type LeafSpec } from './spec.ts'

/** The name of a form field, as in REST. */
export const inputNameOf = (...path: readonly (string | number)[]): string =>
  ['patch', ...path].join('.')

export function inputTextOf(
  { kind }: Pick<LeafSpec, 'kind'>,
  value: unknown,
  zone: string,
): string {
  if (value === undefined || value === null) return ''
  if (kind.type === 'time') {
    const ms = Date.parse(String(value))
    return Number.isNaN(ms) ? String(value) : localText(ms, zone)
  }
  if (kind.type === 'lines' && Array.isArray(value)) return value.join('\n')
  if (typeof value === 'object') return JSON.stringify(value, null, 2)
  return String(value)
}

/**
 * Undefined for an empty text. Text that cannot be parsed is returned as it is, so that the schema
 * refuses it.
 */
function inputValueOf({ kind }: Pick<LeafSpec, 'kind'>, text: string, zone: string): unknown {
  if (text === '') return undefined
  switch (kind.type) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
    case 'flag':
      return text === 'true'
    case 'choice':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'time':
      return momentIn(text, zone)
    case 'lines':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
    case 'json':
      return parseJsonInput(text)
    case 'text':
    case 'long':
    case 'url':
    case 'day':
    case 'person':
    case 'record':
      return text
  }
}

function parseJsonInput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

export interface TypedForm {
  readonly form: SubmittedForm
  readonly zone: string
  /** The record's fields; undefined if it is new or hidden from the reader. */
  readonly before: RecordFields | undefined
  readonly isNew: boolean
}

export function typedPatchOf(specs: readonly FieldSpec[], typed: TypedForm): RecordFields {
  const found = specs.flatMap((spec) => {
    const value = isGroup(spec) ? groupValue(spec, typed) : leafValue(spec, typed)
    return value === undefined ? [] : [[spec.name, value] as const]
  })
  return Object.fromEntries(found)
}

/** Undefined if nothing changes; null removes the value. */
function leafValue(leaf: LeafSpec, { form, zone, before }: TypedForm): unknown {
  return changedValue(leaf, form.text(inputNameOf(leaf.name)), before, zone)
}

function changedValue(
  leaf: LeafSpec,
  text: string,
  before: RecordFields | undefined,
  zone: string,
): unknown {
  const known = before?.[leaf.name]
  if (text === inputTextOf(leaf, known, zone).trim()) return undefined
  return inputValueOf(leaf, text, zone) ?? null
}

function groupValue(group: GroupSpec, typed: TypedForm): unknown {
  return group.kind.type === 'rows' ? rowsValue(group, typed) : partsValue(group, typed)
}

/** Only the parts of an object that differ, since a merge patch keeps the others. */
function partsValue({ name, fields }: GroupSpec, { form, zone, before }: TypedForm): unknown {
  const known = before?.[name]
  const inner = isRecordObject(known) ? known : undefined
  const texts = fields.map((leaf) => [leaf, form.text(inputNameOf(name, leaf.name))] as const)
  const parts = texts.flatMap(([leaf, text]) => {
    const value = changedValue(leaf, text, inner, zone)
    return value === undefined ? [] : [[leaf.name, value] as const]
  })
  if (parts.length === 0) return undefined
  return texts.every(([, text]) => text === '') ? null : Object.fromEntries(parts)
}

/** The typed rows without empty ones; a row with only flags counts as empty. */
export function rowTexts(
  { name, fields }: GroupSpec,
  form: SubmittedForm,
): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = []
  for (let n = 0; form.has(inputNameOf(name, n, fields[0]!.name)); n++) {
    const row = fields.map((leaf) => form.text(inputNameOf(name, n, leaf.name)))
    if (row.some((text, i) => text !== '' && fields[i]!.kind.type !== 'flag')) rows.push(row)
  }
  return rows
}

/** A list is replaced as a whole if one of its rows differs. */
function rowsValue(group: GroupSpec, { form, zone, before, isNew }: TypedForm): unknown {
  const { name, fields } = group
  const known = before?.[name]
  const rows = rowTexts(group, form)
  const was = rowsIn(group, known, zone)
  if (JSON.stringify(rows) === JSON.stringify(was)) return undefined
  if (rows.length === 0 && (isNew || before === undefined)) return undefined
  return rows.map((row) =>
    Object.fromEntries(
      fields.flatMap((leaf, i) => {
        const value = inputValueOf(leaf, row[i]!, zone)
        return value === undefined ? [] : [[leaf.name, value] as const]
      }),
    ),
  )
}

/** The rows of a list value as the texts of their fields. */
export const rowsIn = (
  { fields }: GroupSpec,
  value: unknown,
  zone: string,
): readonly (readonly string[])[] =>
  Array.isArray(value)
    ? value
        .filter(isRecordObject)
        .map((row) => fields.map((leaf) => inputTextOf(leaf, row[leaf.name], zone).trim()))
    : []
