/**
 * Parses a list's filters: `filter[status]=open,won`, and the ranges `filter[due_at][gte]=2026-12-01`
 * and `[lte]`. A value that the field never has is refused, since it would give an empty list.
 */
import { commonSorts, type AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import {
  fieldTypesOf,
  rangeFields,
  type FieldType,
} from '../../../proto/access/areas/field-type.ts'
import { dayField, timestampField } from '../../../proto/access/areas/fields.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { unknownField } from '../../../runtime/access/records/validate-fields.ts'
import type { FieldRange, ListQuery } from '../../../runtime/access/records/index/list.ts'

/** A parameter `filter[field]` or `filter[field][end]`. */
export interface FilterParameter {
  readonly name: string
  readonly field: string
  readonly end?: string
  readonly value: string
}

const filterPattern = /^filter\[([^\]]{0,64})\](?:\[([^\]]{0,64})\])?$/

export function filterParameter(name: string, value: string): FilterParameter | undefined {
  const [, field, end] = filterPattern.exec(name) ?? []
  if (field === undefined) return undefined
  return { name, field, value, ...(end !== undefined && { end }) }
}

/** `seen`: the fields of the caller's permission; any other is answered like an unknown one. */
export function readFilters(
  area: AreaDefinition,
  seen: readonly string[],
  given: readonly FilterParameter[],
): Pick<ListQuery, 'filters' | 'ranges'> {
  const fields = new Set(given.map(({ field }) => field))
  if (fields.size > limits.filtersPerList) {
    throw badListParameter('filter', `may be given for at most ${limits.filtersPerList} fields`)
  }
  const allowed = (names: readonly string[]) => names.filter((name) => seen.includes(name))
  const filterable = allowed(area.filterable)
  const ranged = [...commonSorts, ...allowed(rangeFields(area))]
  const types = fieldTypesOf(area)
  const filters: ListQuery['filters'][number][] = []
  const ranges = new Map<string, FieldRange>()
  for (const { name, field, end, value } of given) {
    if (end === undefined) {
      if (!filterable.includes(field)) throw unknownField(field, 'filter by', filterable)
      filters.push({ field, values: readValues(name, value, types.get(field)) })
      continue
    }
    if (!ranged.includes(field)) throw unknownField(field, 'filter by a range', ranged)
    if (end !== 'gte' && end !== 'lte') {
      throw badListParameter(name, 'must end in [gte] (at least) or [lte] (at most)')
    }
    const bound = readBound(name, field, end, value, types.get(field))
    const known = ranges.get(field) ?? { field }
    ranges.set(field, { ...known, [end === 'gte' ? 'least' : 'most']: bound })
  }
  return { filters, ...(ranges.size > 0 && { ranges: [...ranges.values()] }) }
}

function readValues(name: string, text: string, type: FieldType | undefined): readonly string[] {
  const values = text.split(',').map((value) => value.normalize('NFC'))
  if (values.length > limits.valuesPerFilter) {
    throw badListParameter(name, `takes at most ${limits.valuesPerFilter} values`)
  }
  const possible = possibleValues(type)
  const stranger = possible && values.find((value) => !possible.includes(value))
  if (stranger === undefined) return values
  const shown = JSON.stringify(stranger.slice(0, 64))
  throw badListParameter(name, `has no value ${shown}; the values are: ${possible!.join(', ')}`)
}

/** Undefined if the field can have any text. */
export function possibleValues(type: FieldType | undefined): readonly string[] | undefined {
  if (type?.kind === 'choice') return type.values
  if (type?.kind === 'flag') return ['true', 'false']
  return type?.kind === 'list' ? possibleValues(type.items) : undefined
}

const dayEnds = { gte: 'T00:00:00.000Z', lte: 'T23:59:59.999Z' } as const

/** A day is also a bound of times: its beginning (UTC) for `gte`, and its end for `lte`. */
function readBound(
  name: string,
  field: string,
  end: 'gte' | 'lte',
  text: string,
  type: FieldType | undefined,
): number | string {
  if (type?.kind === 'number') {
    if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
    throw badListParameter(name, 'must be a number')
  }
  const isDay = dayField.safeParse(text).success
  if (type?.kind === 'day') {
    if (isDay) return text
    throw badListParameter(name, 'must be a date such as 2026-12-31')
  }
  const time = timestampField.safeParse(isDay ? `${text}${dayEnds[end]}` : text)
  if (!time.success) {
    throw badListParameter(
      name,
      'must be a date such as 2026-12-31 or a time such as 2026-12-31T23:59:59Z',
    )
  }
  return commonSorts.some((common) => common === field) ? Date.parse(time.data) : time.data
}

export function badListParameter(name: string, text: string): ServiceError {
  const shown = name.slice(0, 64)
  return new ServiceError('bad_request', `${shown} ${text}.`, { field: shown })
}
