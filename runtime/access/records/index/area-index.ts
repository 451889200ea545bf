/**
 * The index of one area of one client: a row per record with its filterable and sortable values,
 * and, for each field that lists were sorted by, the rows in that order. A page is then a binary
 * search and a walk, without sorting.
 */
import { commonSorts, type AreaDefinition } from '../../../../proto/access/areas/define-area.ts'
import { fieldTypesOf } from '../../../../proto/access/areas/field-type.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'

export type IndexedValue = string | number | boolean | readonly string[] | undefined

export interface IndexRow {
  readonly id: string
  readonly revision: number
  readonly version: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly isDeleted: boolean
  /** Values in the order of the index's `names`. */
  readonly values: readonly IndexedValue[]
}

export type SortValue = string | number | boolean | undefined

export interface IndexPosition {
  readonly value: SortValue
  readonly id: string
}

/** Bytes of a row and of each text in it, measured by test/bench/access/lists.ts. */
const rowBytes = 500
const textBytes = 32
const bytesPerChar = 2

export class AreaIndex {
  readonly #names: readonly string[]
  readonly #at: ReadonlyMap<string, number>
  readonly #rows = new Map<string, IndexRow>()
  readonly #orders = new Map<string, IndexRow[]>()
  /** Fields that are sorted in the order in which the area lists their values: low, medium, high. */
  readonly #ranks: ReadonlyMap<string, readonly string[]>
  #bytes = 0

  constructor(area: AreaDefinition) {
    const { filterable, sortable } = area
    this.#names = [...new Set([...filterable, ...sortable])]
    this.#at = new Map(this.#names.map((name, at) => [name, at]))
    const types = fieldTypesOf(area)
    this.#ranks = new Map(
      sortable.flatMap((name) => {
        const type = types.get(name)
        return type?.kind === 'choice' ? [[name, type.values] as const] : []
      }),
    )
  }

  /** Includes tombstones, which prevent an older revision from restoring their record. */
  get size(): number {
    return this.#rows.size
  }

  /** Estimated. */
  get bytes(): number {
    return this.#bytes
  }

  get(id: string): IndexRow | undefined {
    return this.#rows.get(id)
  }

  /** False if the row has the same or a newer revision. */
  put(record: StoredRecord, revision: number): boolean {
    const known = this.#rows.get(record.id)
    if (known && known.revision >= revision) return false
    const row = this.#row(record, revision)
    this.#remove(known)
    this.#rows.set(row.id, row)
    this.#bytes += weight(row)
    if (row.isDeleted) return true
    for (const [field, order] of this.#orders) {
      order.splice(this.#place(order, field, this.#position(row, field)), 0, row)
    }
    return true
  }

  /** False if the row has the same or a newer revision, or is gone. */
  drop(id: string, revision: number): boolean {
    const known = this.#rows.get(id)
    if (!known || known.revision >= revision) return false
    this.#remove(known)
    return true
  }

  /**
   * Returns the accessor of a field: a filterable or sortable one, or one that every record has.
   */
  reader(field: string): (row: IndexRow) => IndexedValue {
    if (field === 'created_at') return (row) => row.createdAtMs
    if (field === 'updated_at') return (row) => row.updatedAtMs
    const at = this.#at.get(field)
    return at === undefined ? () => undefined : (row) => row.values[at]
  }

  /**
   * Rows sorted by a field, rows without it first; ties are ordered by id. `descending` is exactly
   * the reverse. `after` may have been removed since.
   */
  *walk(field: string, descending: boolean, after?: IndexPosition): Iterable<IndexRow> {
    const order = this.#order(field)
    if (descending) {
      let at = after ? this.#place(order, field, after) : order.length
      while (--at >= 0) yield order[at]!
      return
    }
    let at = after ? this.#place(order, field, after) : 0
    if (after && order[at]?.id === after.id) at++
    for (; at < order.length; at++) yield order[at]!
  }

  position(row: IndexRow, field: string): IndexPosition {
    return this.#position(row, field)
  }

  #row(record: StoredRecord, revision: number): IndexRow {
    const isDeleted = record.deletedAtMs !== undefined
    return {
      id: record.id,
      revision,
      version: record.version,
      createdAtMs: record.createdAtMs,
      updatedAtMs: record.updatedAtMs,
      isDeleted,
      values: isDeleted ? [] : this.#names.map((name) => toIndexedValue(record.fields[name])),
    }
  }

  #remove(row: IndexRow | undefined): void {
    if (!row) return
    this.#rows.delete(row.id)
    this.#bytes -= weight(row)
    if (row.isDeleted) return
    for (const [field, order] of this.#orders) {
      order.splice(this.#place(order, field, this.#position(row, field)), 1)
    }
  }

  #order(field: string): IndexRow[] {
    const known = this.#orders.get(field)
    if (known) return known
    if (!this.#at.has(field) && !commonSorts.some((common) => common === field)) {
      throw new Error(`lists cannot be sorted by ${field}`)
    }
    const keyed = [...this.#rows.values()]
      .filter(({ isDeleted }) => !isDeleted)
      .map((row) => ({ row, at: this.#position(row, field) }))
    const order = keyed.sort((a, b) => compare(a.at, b.at)).map(({ row }) => row)
    this.#orders.set(field, order)
    return order
  }

  #position(row: IndexRow, field: string): IndexPosition {
    const value = this.reader(field)(row)
    const ranks = this.#ranks.get(field)
    if (ranks && typeof value === 'string') return { value: ranks.indexOf(value), id: row.id }
    return { value: isList(value) ? value[0] : value, id: row.id }
  }

  /** Index of a position in the order, or where it would be inserted. */
  #place(order: readonly IndexRow[], field: string, wanted: IndexPosition): number {
    let low = 0
    let high = order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(this.#position(order[middle]!, field), wanted) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * Compares types first, because an older record may lack the field. Texts compare by code units.
 */
function compare(a: IndexPosition, b: IndexPosition): number {
  if (a.value !== b.value) {
    const rank = rankOf(a.value) - rankOf(b.value)
    if (rank !== 0) return rank
    return a.value! < b.value! ? -1 : 1
  }
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

const ranks = ['undefined', 'boolean', 'number', 'string']
const rankOf = (value: SortValue) => ranks.indexOf(typeof value)

const isList = (value: IndexedValue): value is readonly string[] => Array.isArray(value)

function toIndexedValue(value: unknown): IndexedValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value
    default:
      return Array.isArray(value) ? value.map(String) : undefined
  }
}

function weight({ values }: IndexRow): number {
  let bytes = rowBytes
  for (const value of values) {
    const texts = typeof value === 'string' ? [value] : isList(value) ? value : []
    for (const text of texts) bytes += textBytes + bytesPerChar * text.length
  }
  return bytes
}
