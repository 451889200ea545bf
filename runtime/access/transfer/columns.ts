/**
 * What the columns of a table become: a field, a part of one, or a custom field. A column that
 * nothing is known about is kept as a custom field where the area has them, and otherwise refused
 * by name, with the names that are known.
 */
import { commonFields, type AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { fieldTypesOf } from '../../../proto/access/areas/field-type.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { columnPlaces, foldName } from './column-names.ts'

export interface ImportColumn {
  /** Counted from 1. */
  readonly number: number
  /** As it is in the file. */
  readonly header: string
  /** A field, a part of one (`address.city`), or undefined if the column is left out. */
  readonly place?: string
  /** The custom field that keeps what the place does not take. */
  readonly custom?: string
}

export interface ImportColumns {
  readonly columns: readonly ImportColumn[]
  /** Why the table cannot be read, for the line of the headers. */
  readonly problems: readonly string[]
}

const customField = 'custom_fields'

export function tableColumns(
  area: AreaDefinition,
  headers: readonly string[],
  ignoreUnknown: boolean,
): ImportColumns {
  const placeOf = columnPlaces(area)
  const hasCustom = area.fieldNames.includes(customField)
  const slugs = new Set<string>()
  const found = headers.map((text, at): ImportColumn => {
    const header = text.trim()
    const place = header === '' ? undefined : placeOf(header)
    const isKept = header !== '' && hasCustom && place !== customField && !isCommon(header)
    const custom =
      isKept && (place !== undefined || !ignoreUnknown) ? slugOf(header, slugs) : undefined
    return { number: at + 1, header, ...(place && { place }), ...(custom && { custom }) }
  })
  const unknown = found.filter(({ header, place, custom }) => header !== '' && !place && !custom)
  const problems = doubled(found, hasCustom)
  if (unknown.length > 0 && !ignoreUnknown) problems.push(unknownText(area, unknown))
  const kept = found.filter(({ place, custom }) => !place && custom)
  if (kept.length > limits.customFieldsPerRecord) {
    problems.push(
      `${kept.length} columns are not known, and a record has at most ` +
        `${limits.customFieldsPerRecord} custom fields; --ignore-unknown leaves them out`,
    )
  }
  return { columns: found, problems }
}

const isCommon = (header: string) => commonFields.some((name) => name === header)

/** One header twice, or two headers of one field, of which the second has nowhere to be kept. */
function doubled(columns: readonly ImportColumn[], hasCustom: boolean): string[] {
  const seen = new Map<string, ImportColumn>()
  return columns.flatMap((column) => {
    const { header, number, place } = column
    if (header === '') return []
    const key = hasCustom || place === undefined ? header.toLowerCase() : place
    const first = seen.get(key)
    seen.set(key, first ?? column)
    if (first === undefined) return []
    const both =
      first.header === header
        ? `"${header}" stands twice`
        : `"${first.header}" and "${header}" are the same field`
    return [`${both}: columns ${first.number} and ${number}; remove or rename one`]
  })
}

function unknownText(area: AreaDefinition, unknown: readonly ImportColumn[]): string {
  const names = unknown.map(({ header }) => JSON.stringify(header.slice(0, 64))).join(', ')
  return (
    `unknown ${unknown.length === 1 ? 'column' : 'columns'} ${names}; ${area.label} has ` +
    `${['id', 'created_at', ...area.fieldNames].join(', ')}; --ignore-unknown leaves out the rest`
  )
}

/** The number of headers that are known, to choose between separators. */
export function knownColumns(area: AreaDefinition, headers: readonly string[]): number {
  const placeOf = columnPlaces(area)
  return headers.filter((header) => placeOf(header.trim()) !== undefined).length
}

/** A name that custom fields can have: lower-case letters, digits and _. */
function slugOf(header: string, taken: Set<string>): string {
  const words = header.split(/[^\p{L}\p{N}]+/u).map(foldName)
  const text = words.filter((word) => word !== '').join('_')
  const slug = (/^[a-z]/.test(text) ? text : `column_${text}`).slice(0, 60)
  let unique = slug
  for (let n = 2; taken.has(unique); n++) unique = `${slug}_${n}`
  taken.add(unique)
  return unique
}

/** Where each column goes, in words. */
export interface ColumnReport {
  readonly mapped: readonly string[]
  /** As custom fields. */
  readonly kept: readonly string[]
  readonly leftOut: readonly string[]
}

export function describeColumns(
  area: AreaDefinition,
  columns: readonly ImportColumn[],
): ColumnReport {
  const types = fieldTypesOf(area)
  const isField = (place: string) =>
    types.has(place) || place.includes('.') || place === 'full_name' || isCommon(place)
  const named = columns.filter(({ header }) => header !== '')
  const ignored = ['version', 'created_by', 'updated_at', 'updated_by']
  const isTaken = ({ place }: ImportColumn) =>
    place !== undefined && isField(place) && !ignored.includes(place)
  return {
    mapped: named.filter(isTaken).map(({ header, place }) => `${header} → ${placeText(place!)}`),
    kept: named
      .filter(({ place, custom }) => !place && custom)
      .map(({ header, custom }) => `${header} → ${custom!}`),
    leftOut: named.filter((one) => !isTaken(one) && !one.custom).map(({ header }) => header),
  }
}

const placeText = (place: string) =>
  place === 'full_name' ? 'first_name and last_name (split at the last space)' : place
