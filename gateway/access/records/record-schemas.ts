/** The schemas of records for `/openapi.json`, generated from the areas' definitions. */
import { z } from 'zod'
import { commonSorts, type AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import {
  fieldTypesOf,
  rangeFields,
  type FieldType,
} from '../../../proto/access/areas/field-type.ts'
import { areaPrefixes } from '../../../proto/access/areas/prefixes.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { possibleValues } from './list-filters.ts'
import type { RecordAnswer, RecordList } from './records.ts'

/**
 * The schema is documentation and not enforced: the fields that a caller may write depend on its
 * permission, and a patch is checked by its result. It is made when it is first read (`z.lazy`):
 * those of all areas together would be an eighth of a gateway's start.
 */
function describeSchema(schema: z.ZodObject, more: Readonly<Record<string, unknown>> = {}) {
  return anyFields.meta({ ...jsonSchema(schema), ...more })
}

const anyFields = z.record(z.string(), z.unknown())

function jsonSchema(schema: z.ZodObject): Readonly<Record<string, unknown>> {
  const { $schema: _, ...description } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  })
  return description
}

export const newRecordBody = ({ fields, oneOf }: AreaDefinition) =>
  z.lazy(() =>
    describeSchema(fields, {
      ...(oneOf.length > 0 && { anyOf: oneOf.map((name) => ({ required: [name] })) }),
    }),
  )

export const recordPatchBody = ({ fields }: AreaDefinition) =>
  z.lazy(() =>
    describeSchema(fields, {
      required: [],
      description: 'A merge patch (RFC 7396): null removes a field, objects are merged.',
    }),
  )

function recordSchema({ key, record }: AreaDefinition): Readonly<Record<string, unknown>> {
  return {
    ...jsonSchema(record.extend(commonSchema(areaPrefixes[key]))),
    required: ['id'],
    description: 'A record, with the fields that this access includes.',
  }
}

const commonSchema = (prefix: string) => ({
  id: z.string().describe(`${prefix}_…`),
  version: z.int().describe('Increases with every change of the record; also its ETag.'),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  updated_at: z.iso.datetime(),
  updated_by: z.string(),
})

export const recordAnswer = (area: AreaDefinition): z.ZodType<RecordAnswer> =>
  z.lazy(() =>
    z.object({
      data: z.looseObject({ id: z.string(), version: z.int() }).meta(recordSchema(area)),
    }),
  )

export const recordListAnswer = (area: AreaDefinition): z.ZodType<RecordList> =>
  z.lazy(() =>
    z.object({
      data: z.array(anyFields.meta(recordSchema(area))),
      page: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
    }),
  )

export const recordHistoryAnswer = z.object({
  data: z.array(
    z.object({
      version: z.int(),
      at: z.iso.datetime(),
      action: z.enum(['create', 'update', 'delete', 'import']),
      by: z.string().optional(),
      change_id: z.string().optional().describe('The managed change that wrote this version.'),
      changed_fields: z.array(z.string()),
      changes: z
        .array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() }).partial())
        .optional()
        .describe(
          'Absent if the previous version is no longer kept, or this access does not include it.',
        ),
    }),
  ),
})

type Texts<V> = Readonly<Partial<Record<FieldType['kind'], V>>>

const rangeTexts: Texts<string> = {
  number: 'number',
  day: 'date',
  time: 'time, or date (UTC, the whole day)',
}
const rangeFormats: Texts<Readonly<Record<string, string>>> = {
  number: { pattern: '^-?[0-9]+([.][0-9]+)?$' },
  day: { format: 'date' },
  time: { format: 'date-time' },
}

/** Documentation; `list-query.ts` parses the query, as it knows what the caller may ask for. */
export function listParameters(area: AreaDefinition) {
  const { filterable, sortable } = area
  const types = fieldTypesOf(area)
  const filters = filterable.map((name) => {
    const text = z.string().optional().describe('One value, or several separated by commas.')
    const values = possibleValues(types.get(name))?.join('|')
    const pattern = values && `^(${values})(,(${values}))*$`
    return [`filter[${name}]`, pattern ? text.meta({ pattern }) : text] as const
  })
  const ranges = [...commonSorts, ...rangeFields(area)].flatMap((name) =>
    (['gte', 'lte'] as const).map((end) => {
      const kind = types.get(name)?.kind ?? 'time'
      const bound = end === 'gte' ? 'At least this' : 'At most this'
      const text = z
        .string()
        .optional()
        .describe(`${bound} ${rangeTexts[kind] ?? 'value'}.`)
      return [`filter[${name}][${end}]`, text.meta(rangeFormats[kind] ?? {})] as const
    }),
  )
  const sorts = [...commonSorts, ...sortable]
  return z.looseObject({
    limit: z
      .int()
      .optional()
      .describe(`1 to ${limits.listRowsMost}; the default is ${limits.listRows}.`)
      .meta({ minimum: 1, maximum: limits.listRowsMost }),
    cursor: z.string().optional().describe('`next_cursor` of the previous page.'),
    sort: z
      .string()
      .optional()
      .describe(
        `One of ${sorts.join(', ')}; prefix it with - for descending order. Default: -created_at.`,
      )
      .meta({ pattern: `^-?(${sorts.join('|')})$` }),
    fields: z
      .string()
      .optional()
      .describe('Comma-separated names of the fields to return. The id is always included.'),
    updated_since: z
      .string()
      .optional()
      .describe('Only records updated at or after this time (RFC 3339).')
      .meta({ format: 'date-time' }),
    ...Object.fromEntries([...filters, ...ranges]),
  })
}
