/** Derives form fields from the schema of an area: input types, and how their text is parsed. */
import { defined } from '../../../../../proto/defined.ts'
import { z } from 'zod'
import type { TechnicalArea } from '../../../../../proto/access/areas/areas.ts'
import type { ChangeTemplate } from '../../../../../proto/access/changes/change-templates.ts'
import { observedFields } from '../../../../../proto/access/jobs/check.ts'
import { areaDefinitions } from '../../../../../proto/access/areas/registry.ts'
import type { AreaKey } from '../../../../../proto/access/areas/areas.ts'
import { toWords } from '../../../words/words.ts'

export type LeafKind =
  | { readonly type: 'text' | 'long' | 'url' | 'number' | 'day' | 'time' | 'flag' | 'lines' }
  /** A value without a schema, entered as JSON. */
  | { readonly type: 'json' }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'person' }
  | { readonly type: 'record'; readonly area: AreaKey }

/** `name` is relative to its record, group or row. */
export interface LeafSpec {
  readonly name: string
  readonly label: string
  readonly kind: LeafKind
  readonly isRequired: boolean
  /** The default value. */
  readonly standard?: unknown
  readonly hint?: string
}

export interface GroupSpec {
  readonly name: string
  readonly label: string
  readonly kind: { readonly type: 'group' | 'rows' }
  readonly fields: readonly LeafSpec[]
}

export type FieldSpec = (LeafSpec | GroupSpec) & {
  /** A checker also writes this field. */
  readonly isObserved: boolean
}

export const isGroup = (spec: LeafSpec | GroupSpec): spec is GroupSpec =>
  spec.kind.type === 'group' || spec.kind.type === 'rows'

type Schema = z.core.JSONSchema.JSONSchema

const schemaOf = (schema: z.ZodObject): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

function propertiesOf(schema: Schema): readonly (readonly [string, Schema])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    isSchema(one) ? [[name, one] as const] : [],
  )
}

/** All fields of an area that a change may write, in the area's order. */
export function fieldSpecsOf(area: TechnicalArea): readonly FieldSpec[] {
  const { fields, references } = areaDefinitions[area]
  const observed: readonly string[] =
    area === 'monitoring' || area === 'domains' ? observedFields[area] : []
  const schema = schemaOf(fields)
  const specs = specsIn(schema).map((spec) => {
    const to = references.find(({ field }) => field === spec.name)?.to
    if (to === undefined || to === 'any' || isGroup(spec)) return spec
    const kind: LeafKind = to === 'person' ? { type: 'person' } : { type: 'record', area: to }
    return { ...spec, kind }
  })
  return specs.map((spec) => ({ ...spec, isObserved: observed.includes(spec.name) }))
}

/** The fields that a template allows, with the values it allows. */
export function templateFieldSpecs({ area, patch }: ChangeTemplate): readonly FieldSpec[] {
  const schema = schemaOf(patch)
  const own = fieldSpecsOf(area)
  return specsIn(schema).flatMap((narrow) => {
    const wide = own.find(({ name }) => name === narrow.name)
    if (!wide) return []
    if (isGroup(wide) || isGroup(narrow)) return [{ ...wide, isObserved: false }]
    const isNarrower = ['choice', 'flag', 'number'].includes(narrow.kind.type)
    const { kind, hint = narrow.hint } = isNarrower ? narrow : wide
    const { standard: _, ...rest } = wide
    const { isRequired } = narrow
    return [{ ...rest, kind, isRequired, isObserved: false, ...defined({ hint }) }]
  })
}

function specsIn(schema: Schema): readonly (LeafSpec | GroupSpec)[] {
  const required: readonly string[] = schema.required ?? []
  return propertiesOf(schema).map(([name, one]) => {
    const inner = groupIn(one)
    if (inner) return { name, label: toWords(name), ...inner }
    return leafOf(name, one, required.includes(name))
  })
}

function groupIn(schema: Schema): Pick<GroupSpec, 'kind' | 'fields'> | undefined {
  const { type, items, properties } = schema
  if (type === 'object' && properties) {
    return { kind: { type: 'group' }, fields: leavesOf(schema) }
  }
  if (type !== 'array' || !isSchema(items) || Array.isArray(items)) return undefined
  const item = items as Schema
  return item.properties ? { kind: { type: 'rows' }, fields: leavesOf(item) } : undefined
}

const leavesOf = (schema: Schema): readonly LeafSpec[] => {
  const required: readonly string[] = schema.required ?? []
  return propertiesOf(schema).map(([name, one]) => leafOf(name, one, required.includes(name)))
}

function leafOf(name: string, schema: Schema, isRequired: boolean): LeafSpec {
  const kind = kindOf(schema)
  const hint = hintOf(schema, kind)
  return {
    ...{ name, label: toWords(name), kind, isRequired },
    ...defined({ standard: schema.default, hint }),
  }
}

/** Longer texts get a textarea; URLs, which have this length, get one line. */
const longChars = 2_048

function kindOf({ type, enum: values, const: only, format, items, maxLength }: Schema): LeafKind {
  if (typeof only === 'boolean') return { type: 'choice', values: [String(only)] }
  if (values) return { type: 'choice', values: values.map(String) }
  if (type === 'boolean') return { type: 'flag' }
  if (type === 'integer' || type === 'number') return { type: 'number' }
  if (type === 'array' && isSchema(items) && 'type' in items && items.type === 'string') {
    return { type: 'lines' }
  }
  if (type !== 'string') return { type: 'json' }
  if (format === 'date') return { type: 'day' }
  if (format === 'date-time') return { type: 'time' }
  if (format === 'uri') return { type: 'url' }
  return { type: maxLength !== undefined && maxLength > longChars ? 'long' : 'text' }
}

function hintOf({ description, minimum, maximum }: Schema, { type }: LeafKind): string | undefined {
  const isBound = type === 'number' && minimum !== undefined && maximum !== undefined
  const bound = isBound && maximum < Number.MAX_SAFE_INTEGER && `From ${minimum} to ${maximum}.`
  const kinds: Partial<Record<LeafKind['type'], string>> = { lines: 'One per line.', json: 'JSON.' }
  const parts = [description, bound || undefined, kinds[type]].filter((one) => one !== undefined)
  return parts.length === 0 ? undefined : parts.join(' ')
}
