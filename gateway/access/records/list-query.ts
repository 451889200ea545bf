/**
 * Parses a list's query: `limit`, `cursor`, `sort`, `fields`, `updated_since`, `filter[field]=a,b`.
 */
import { defined } from '../../../proto/defined.ts'
import { commonSorts, type AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { timeText } from '../../../proto/access/common.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { unknownField } from '../../../runtime/access/records/validate-fields.ts'
import type { ListQuery } from '../../../runtime/access/records/index/list.ts'
import { visibleFields } from '../../../runtime/access/records/record-json.ts'

export interface ListRequest {
  readonly query: ListQuery
  /** The fields to return of each record. */
  readonly fields: readonly string[]
}

const parameters = ['limit', 'cursor', 'sort', 'fields', 'updated_since'] as const
type Parameter = (typeof parameters)[number]
const filterPattern = /^filter\[([^\]]{0,64})\]$/

/**
 * A field outside the permission is answered like one that does not exist: `unknown_field` (400).
 */
export function readListQuery(
  area: AreaDefinition,
  permission: Permission,
  query: URLSearchParams,
): ListRequest {
  const seen = visibleFields(area, permission)
  const { given, filters } = sortParameters(query)
  const allowed = (names: readonly string[]) => names.filter((name) => seen.includes(name))
  const filterable = allowed(area.filterable)
  for (const { field } of filters) {
    if (!filterable.includes(field)) throw unknownField(field, 'filter by', filterable)
  }
  const cursor = given.get('cursor')
  const since = given.get('updated_since')
  return {
    fields: readFields(given.get('fields'), seen),
    query: {
      area: area.key,
      limit: readLimit(given.get('limit')),
      sort: readSort(given.get('sort'), [...commonSorts, ...allowed(area.sortable)]),
      filters,
      where: permission.where ?? [],
      ...defined({ cursor }),
      ...(since !== undefined && { updatedSinceMs: readTime(since) }),
    },
  }
}

type Filters = ListQuery['filters'][number][]

function sortParameters(query: URLSearchParams) {
  const given = new Map<Parameter, string>()
  const filters: Filters = []
  for (const [name, value] of query) {
    const field = filterPattern.exec(name)?.[1]
    const parameter = parameters.find((one) => one === name)
    if (query.getAll(name).length > 1) throw badInputError(name, 'may be given only once')
    if (parameter !== undefined) given.set(parameter, value)
    else if (field !== undefined) filters.push({ field, values: readValues(name, value) })
    else
      throw badInputError(
        name,
        `is not a parameter of this list; use ${parameters.join(', ')} or filter[field]`,
      )
  }
  if (filters.length > limits.filtersPerList) {
    throw badInputError('filter', `may be given for at most ${limits.filtersPerList} fields`)
  }
  return { given, filters }
}

function readValues(name: string, text: string): readonly string[] {
  const values = text.split(',').map((value) => value.normalize('NFC'))
  if (values.length > limits.valuesPerFilter) {
    throw badInputError(name, `takes at most ${limits.valuesPerFilter} values`)
  }
  return values
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return limits.listRows
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= limits.listRowsMost) return limit
  throw badInputError('limit', `must be a whole number from 1 to ${limits.listRowsMost}`)
}

function readSort(text = '-created_at', sortable: readonly string[]): ListQuery['sort'] {
  const descending = text.startsWith('-')
  const field = descending ? text.slice(1) : text
  if (!sortable.includes(field)) throw unknownField(field, 'sort by', sortable)
  return { field, descending }
}

/** The id is always included. */
function readFields(text: string | undefined, seen: readonly string[]): readonly string[] {
  if (text === undefined) return seen
  const asked = text.split(',')
  const stranger = asked.find((name) => !seen.includes(name))
  if (stranger !== undefined) throw unknownField(stranger, 'show', seen)
  return seen.filter((name) => name === 'id' || asked.includes(name))
}

function readTime(text: string): number {
  const time = timeText.safeParse(text)
  if (time.success) return time.data
  throw badInputError('updated_since', 'must be a time such as 2026-12-31T23:59:59Z')
}

function badInputError(name: string, text: string): ServiceError {
  const shown = name.slice(0, 64)
  return new ServiceError('bad_request', `${shown} ${text}.`, { field: shown })
}
