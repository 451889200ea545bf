/**
 * What a record of an area is. Routes, lists, import and export and the OpenAPI document are all
 * derived from it.
 */
import { z } from 'zod'
import { areaRules, type AreaKey } from '../areas.ts'

export type RecordOperation = 'create' | 'patch' | 'delete'

/** What a field refers to; the record has to be one of the same client. */
export interface Reference {
  readonly field: string
  /** `any`: the value is `{area, id}`. A field may hold one, or an array of them. */
  readonly to: AreaKey | 'person' | 'any'
}

/** Values of a record's own fields: plain JSON data that fits its area's schema. */
export type RecordFields = Readonly<Record<string, unknown>>

/** What follows from other fields: read-only ones that a write brings along. */
export type Derive = (after: RecordFields, before: RecordFields, at: string) => RecordFields

type Shape = Readonly<Record<string, z.ZodType>>

export interface AreaDefinition {
  readonly key: AreaKey
  readonly label: string
  /** What a caller writes. */
  readonly fields: z.ZodObject
  /** What the service, an import or a done change writes. */
  readonly readOnly: z.ZodObject
  /** All of it. */
  readonly record: z.ZodObject
  readonly fieldNames: readonly string[]
  /** By equality; conditions of permissions may name these fields and no other. */
  readonly filterable: readonly string[]
  readonly sortable: readonly string[]
  /** By REST, directly. None for areas that are written by a done change or by a job. */
  readonly operations: readonly RecordOperation[]
  readonly references: readonly Reference[]
  readonly derive: Derive
  /** Types of events that webhooks may be told of. */
  readonly events: readonly string[]
}

export interface AreaSpec<F extends Shape, R extends Shape> {
  readonly key: AreaKey
  readonly fields: F
  readonly readOnly?: R
  readonly filterable: readonly Extract<keyof F | keyof R, string>[]
  readonly sortable: readonly Extract<keyof F | keyof R, string>[]
  readonly operations?: readonly RecordOperation[]
  readonly references?: readonly (Reference & {
    readonly field: Extract<keyof F | keyof R, string>
  })[]
  readonly derive?: Derive
  readonly events: readonly string[]
}

/** Of every record, whatever its area; set by the service alone. */
export const commonFields = [
  'id',
  'version',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const
/** Every list can be sorted by these. */
export const commonSorts = ['created_at', 'updated_at'] as const

export function defineArea<F extends Shape, R extends Shape = Record<never, never>>(
  spec: AreaSpec<F, R>,
): AreaDefinition {
  const readOnly: Shape = spec.readOnly ?? {}
  const shape: Shape = { ...spec.fields, ...readOnly }
  return Object.freeze({
    key: spec.key,
    label: areaRules[spec.key].label,
    fields: z.strictObject(spec.fields),
    readOnly: z.strictObject(readOnly),
    record: z.strictObject(shape),
    fieldNames: Object.keys(shape),
    filterable: spec.filterable,
    sortable: spec.sortable,
    operations: spec.operations ?? [],
    references: spec.references ?? [],
    derive: spec.derive ?? (() => ({})),
    events: spec.events,
  })
}
