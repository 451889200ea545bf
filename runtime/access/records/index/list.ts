/** Reads one page of an area's records by its client's index. */
import { createHash } from 'node:crypto'
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { ClientId } from '../../../../proto/access/ids.ts'
import type { Condition } from '../../../../proto/access/permissions.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import type { AreaIndex, IndexedValue, IndexPosition, IndexRow } from './area-index.ts'
import type { Cursors, ListIdentity } from './cursor.ts'
import type { RecordIndexes } from './record-indexes.ts'
import { canEvaluate, isRecordVisible } from './visible.ts'

export interface ListQuery {
  readonly area: AreaKey
  readonly limit: number
  readonly cursor?: string
  readonly sort: { readonly field: string; readonly descending: boolean }
  /** A filter matches if the field, as text, equals one of the values. */
  readonly filters: readonly { readonly field: string; readonly values: readonly string[] }[]
  /** Both ends are included; a record without the field is not. */
  readonly ranges?: readonly FieldRange[]
  readonly updatedSinceMs?: number
  /** Conditions of the caller's permissions. */
  readonly where: readonly Condition[]
}

export interface FieldRange {
  readonly field: string
  readonly least?: number | string
  readonly most?: number | string
}

export interface ListPage {
  readonly records: readonly StoredRecord[]
  readonly nextCursor?: string
}

export interface ListDeps {
  readonly indexes: RecordIndexes
  readonly cursors: Cursors
}

/**
 * A record may be deleted between index and store, so a page can have fewer than `limit` records.
 */
export async function listRecords(
  { indexes, cursors }: ListDeps,
  client: ClientId,
  query: ListQuery,
): Promise<ListPage> {
  const identity = identityOf(client, query)
  const after = query.cursor === undefined ? undefined : cursors.read(identity, query.cursor)
  const index = (await indexes.of(client)).area(query.area)
  const { rows, last } = pageOf(index, query, after)
  const found = await Promise.all(rows.map(({ id }) => indexes.read(client, query.area, id)))
  return {
    records: found.flatMap((record) => (record && isRecordVisible(query, record) ? [record] : [])),
    ...(last && { nextCursor: cursors.write(identity, last) }),
  }
}

function pageOf(
  index: AreaIndex,
  query: ListQuery,
  after: IndexPosition | undefined,
): { readonly rows: readonly IndexRow[]; readonly last?: IndexPosition } {
  const { limit, sort } = query
  const matches = matcherOf(index, query)
  const rows: IndexRow[] = []
  if (!canEvaluate(query.area, query.where)) return { rows }
  for (const row of index.walk(sort.field, sort.descending, after)) {
    if (!matches(row)) continue
    if (rows.length === limit) return { rows, last: index.position(rows.at(-1)!, sort.field) }
    rows.push(row)
  }
  return { rows }
}

/**
 * All rows of an area that a caller may see; a condition that cannot be evaluated hides every row.
 */
export function* rowsWhere(
  index: AreaIndex,
  area: AreaKey,
  where: readonly Condition[],
): Iterable<IndexRow> {
  if (!canEvaluate(area, where)) return
  const matches = matcherOf(index, { filters: [], where })
  for (const row of index.walk('created_at', false)) if (matches(row)) yield row
}

/** Called for every row of a walk, so all look-ups are done in advance. */
function matcherOf(
  index: AreaIndex,
  query: Pick<ListQuery, 'filters' | 'ranges' | 'where' | 'updatedSinceMs'>,
): (row: IndexRow) => boolean {
  const { filters, ranges = [], where, updatedSinceMs = -Infinity } = query
  const within = ranges.map((range) => ({ range, read: index.reader(range.field) }))
  const conditions = where.map(({ field, equals, every }) => ({ field, values: equals, every }))
  const asked = [...filters.map((filter) => ({ ...filter, every: false })), ...conditions].map(
    ({ field, values, every }) => ({
      read: index.reader(field),
      values: new Set(values),
      fits: every ? isEveryOf : isOneOf,
    }),
  )
  return (row) => {
    if (row.updatedAtMs < updatedSinceMs) return false
    for (const { read, values, fits } of asked) if (!fits(read(row), values)) return false
    for (const { read, range } of within) if (!isWithin(read(row), range)) return false
    return true
  }
}

/** Stored days and times are texts that sort by time. */
function isWithin(value: IndexedValue, { least, most }: FieldRange): boolean {
  if (typeof value !== 'number' && typeof value !== 'string') return false
  return (least === undefined || value >= least) && (most === undefined || value <= most)
}

function isOneOf(value: IndexedValue, values: ReadonlySet<string>): boolean {
  if (value === undefined) return false
  if (typeof value === 'string') return values.has(value)
  if (typeof value !== 'object') return values.has(String(value))
  return value.some((one) => values.has(one))
}

function isEveryOf(value: IndexedValue, values: ReadonlySet<string>): boolean {
  if (typeof value !== 'object') return value === undefined || isOneOf(value, values)
  return value.every((one) => values.has(one))
}

function identityOf(client: ClientId, query: ListQuery): ListIdentity {
  const { area, sort, filters, ranges = [], updatedSinceMs } = query
  const narrowed = filters
    .map(({ field, values }) => [field, values.toSorted()] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const within = ranges.map(({ field, least, most }) => [field, least ?? null, most ?? null])
  const text = JSON.stringify([
    narrowed,
    updatedSinceMs ?? null,
    // A list without ranges keeps the digest of services that do not know them.
    ...(within.length > 0 ? [within.toSorted()] : []),
  ])
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return { client, area, sort: `${sort.descending ? '-' : ''}${sort.field}`, digest }
}
