/**
 * Compares what was typed with the record: the patch consists of the differences. Values are
 * compared as the texts of their fields, so an untouched field writes nothing.
 */
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { isObject } from '../../../../../runtime/access/records/merge-patch.ts'
import type { Form } from '../../../form.ts'
import { localText, momentIn } from '../../../words/times.ts'
import { isGroup, type FieldSpec, type Group, type Leaf } from './spec.ts'

/** The name of a form field, as in REST. */
export const nameOf = (...path: readonly (string | number)[]): string =>
  ['patch', ...path].join('.')

export function textOf({ kind }: Pick<Leaf, 'kind'>, value: unknown, zone: string): string {
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
export function valueOf({ kind }: Pick<Leaf, 'kind'>, text: string, zone: string): unknown {
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
      return parsed(text)
    case 'text':
    case 'long':
    case 'url':
    case 'day':
    case 'person':
    case 'record':
      return text
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

export interface Typed {
  readonly form: Form
  readonly zone: string
  /** The record's fields; undefined if it is new or hidden from the reader. */
  readonly before: RecordFields | undefined
  readonly isNew: boolean
}

export function patchOf(specs: readonly FieldSpec[], typed: Typed): RecordFields {
  const found = specs.flatMap((spec) => {
    const value = isGroup(spec) ? groupValue(spec, typed) : leafValue(spec, typed)
    return value === undefined ? [] : [[spec.name, value] as const]
  })
  return Object.fromEntries(found)
}

/** Undefined if nothing changes; null removes the value. */
function leafValue(leaf: Leaf, { form, zone, before }: Typed): unknown {
  return changed(leaf, form.text(nameOf(leaf.name)), before, zone)
}

function changed(
  leaf: Leaf,
  text: string,
  before: RecordFields | undefined,
  zone: string,
): unknown {
  const known = before?.[leaf.name]
  if (text === textOf(leaf, known, zone).trim()) return undefined
  return valueOf(leaf, text, zone) ?? null
}

function groupValue(group: Group, typed: Typed): unknown {
  return group.kind.type === 'rows' ? rowsValue(group, typed) : partsValue(group, typed)
}

/** Only the parts of an object that differ, since a merge patch keeps the others. */
function partsValue({ name, fields }: Group, { form, zone, before }: Typed): unknown {
  const known = before?.[name]
  const inner = isObject(known) ? known : undefined
  const texts = fields.map((leaf) => [leaf, form.text(nameOf(name, leaf.name))] as const)
  const parts = texts.flatMap(([leaf, text]) => {
    const value = changed(leaf, text, inner, zone)
    return value === undefined ? [] : [[leaf.name, value] as const]
  })
  if (parts.length === 0) return undefined
  return texts.every(([, text]) => text === '') ? null : Object.fromEntries(parts)
}

/** The typed rows without empty ones; a row with only flags counts as empty. */
export function rowTexts({ name, fields }: Group, form: Form): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = []
  for (let n = 0; form.has(nameOf(name, n, fields[0]!.name)); n++) {
    const row = fields.map((leaf) => form.text(nameOf(name, n, leaf.name)))
    if (row.some((text, i) => text !== '' && fields[i]!.kind.type !== 'flag')) rows.push(row)
  }
  return rows
}

/** A list is replaced as a whole if one of its rows differs. */
function rowsValue(group: Group, { form, zone, before, isNew }: Typed): unknown {
  const { name, fields } = group
  const known = before?.[name]
  const rows = rowTexts(group, form)
  const was = rowsIn(group, known, zone)
  if (JSON.stringify(rows) === JSON.stringify(was)) return undefined
  if (rows.length === 0 && (isNew || before === undefined)) return undefined
  return rows.map((row) =>
    Object.fromEntries(
      fields.flatMap((leaf, i) => {
        const value = valueOf(leaf, row[i]!, zone)
        return value === undefined ? [] : [[leaf.name, value] as const]
      }),
    ),
  )
}

/** The rows of a list value as the texts of their fields. */
export const rowsIn = (
  { fields }: Group,
  value: unknown,
  zone: string,
): readonly (readonly string[])[] =>
  Array.isArray(value)
    ? value
        .filter(isObject)
        .map((row) => fields.map((leaf) => textOf(leaf, row[leaf.name], zone).trim()))
    : []
