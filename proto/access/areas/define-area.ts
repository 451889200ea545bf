/**
 * The definition of one area's records. Routes, lists, import, export and the OpenAPI document are
 * derived from it.
 */
import { z } from 'zod'
import { areaRules, type AreaKey } from './areas.ts'

export type RecordOperation = 'create' | 'patch' | 'delete'

/** What a field refers to. The referenced record must belong to the same client. */
export interface FieldReference {
  readonly field: string
  /** `any`: the value is `{area, id}`. A field may hold one, or an array of them. */
  readonly to: AreaKey | 'person' | 'any'
}

/** Values of a record's own fields: plain JSON data that fits its area's schema. */
export type RecordFields = Readonly<Record<string, unknown>>

/** Computes the read-only fields that follow from the fields of a write. */
export type DeriveFields = (after: RecordFields, before: RecordFields, at: string) => RecordFields

type Shape = Readonly<Record<string, z.ZodType>>

export interface AreaDefinition {
  readonly key: AreaKey
  readonly label: string
  /** Fields that a caller writes. */
  readonly fields: z.ZodObject
  /** Fields that only the service, an import or a completed change writes. */
  readonly readOnly: z.ZodObject
  /** The whole record: `fields` and `readOnly` together. */
  readonly record: z.ZodObject
  readonly fieldNames: readonly string[]
  /** A record needs at least one of these fields, or nobody could tell what it is. */
  readonly oneOf: readonly string[]
  /** Fields that lists filter by (equality). Permission conditions can name only these fields. */
  readonly filterable: readonly string[]
  readonly sortable: readonly string[]
  /** Operations open to REST. Empty for areas that only completed changes or jobs write. */
  readonly operations: readonly RecordOperation[]
  readonly references: readonly FieldReference[]
  readonly derive: DeriveFields
  /** Event types that webhooks can subscribe to. */
  readonly events: readonly string[]
}

export interface AreaSpec<F extends Shape, R extends Shape> {
  readonly key: AreaKey
  readonly fields: F
  readonly readOnly?: R
  readonly oneOf?: readonly Extract<keyof F, string>[]
  readonly filterable: readonly Extract<keyof F | keyof R, string>[]
  readonly sortable: readonly Extract<keyof F | keyof R, string>[]
  readonly operations?: readonly RecordOperation[]
  readonly references?: readonly (FieldReference & {
    readonly field: Extract<keyof F | keyof R, string>
  })[]
  readonly derive?: DeriveFields
  readonly events: readonly string[]
}

/** Fields that every record has; only the service sets them. */
export const commonFields = [
  'id',
  'version',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const
/** Sort keys that every list supports. */
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
    oneOf: spec.oneOf ?? [],
    filterable: spec.filterable,
    sortable: spec.sortable,
    operations: spec.operations ?? [],
    references: spec.references ?? [],
    derive: spec.derive ?? (() => ({})),
    events: spec.events,
  })
}
