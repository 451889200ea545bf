/**
 * Parses a list's query: `limit`, `cursor`, `sort`, `fields`, `updated_since` and filters.
 */
import { defined } from '../../../proto/defined.ts'
import { commonSorts, type AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { timeText } from '../../../proto/access/common.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { unknownField } from '../../../runtime/access/records/validate-fields.ts'
import type { ListQuery } from '../../../runtime/access/records/index/list.ts'
import { visibleFields } from '../../../runtime/access/records/record-json.ts'
import {
  badListParameter,
  filterParameter,
  readFilters,
  type FilterParameter,
} from './list-filters.ts'

export interface ListRequest {
  readonly query: ListQuery
  /** The fields to return of each record. */
  readonly fields: readonly string[]
}

const parameters = ['limit', 'cursor', 'sort', 'fields', 'updated_since'] as const
type Parameter = (typeof parameters)[number]

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
  const cursor = given.get('cursor')
  const since = given.get('updated_since')
  return {
    fields: readFields(given.get('fields'), seen),
    query: {
      area: area.key,
      limit: readLimit(given.get('limit')),
      sort: readSort(given.get('sort'), [...commonSorts, ...allowed(area.sortable)]),
      ...readFilters(area, seen, filters),
      where: permission.where ?? [],
      ...defined({ cursor }),
      ...(since !== undefined && { updatedSinceMs: readTime(since) }),
    },
  }
}

function sortParameters(query: URLSearchParams) {
  const given = new Map<Parameter, string>()
  const filters: FilterParameter[] = []
  for (const [name, value] of query) {
    const filter = filterParameter(name, value)
    const parameter = parameters.find((one) => one === name)
    if (query.getAll(name).length > 1) throw badListParameter(name, 'may be given only once')
    if (parameter !== undefined) given.set(parameter, value)
    else if (filter !== undefined) filters.push(filter)
    else
      throw badListParameter(
        name,
        `is not a parameter of this list; use ${parameters.join(', ')} or filter[field]`,
      )
  }
  return { given, filters }
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return limits.listRows
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= limits.listRowsMost) return limit
  throw badListParameter('limit', `must be a whole number from 1 to ${limits.listRowsMost}`)
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
  throw badListParameter('updated_since', 'must be a time such as 2026-12-31T23:59:59Z')
}
