/**
 * Values made from a schema: valid ones, in which every optional field occurs and every limit is
 * reached, and broken ones, each with one thing wrong. Nothing is random, so what fails once always
 * fails.
 */
import type { Json } from './document.ts'
import { isFit } from './validity.ts'

/**
 * Values that mean something to the service, such as ids and selectors, by the field's name. A field
 * with an empty list is left out, for example a cursor, which only the service can make.
 */
export type Known = Readonly<Record<string, readonly unknown[]>>

type Schemas = Readonly<Record<string, Json>>

/** No operation has more of them, so that a test ends. */
const valuesMax = 24
const depthMax = 5

/** Valid values; the first has only what is required. */
export function validValues(schema: Json, known: Known, name = '', depth = 0): readonly unknown[] {
  const values = (known[name] ?? []).filter((value) => isFit(schema, value))
  // A known field has nothing but known values: others would wait for what is not there.
  if (values.length > 0) return values
  const made = madeOf(schema, known, name, depth).filter((value) => isFit(schema, value))
  return unique(made).slice(0, valuesMax)
}

function madeOf(schema: Json, known: Known, name: string, depth: number): readonly unknown[] {
  if (depth > depthMax) return [null, {}, [], '', 0]
  if ('const' in schema) return [schema['const']]
  const listed = schema['enum'] as readonly unknown[] | undefined
  if (listed) return listed
  if (schema['properties'] === undefined) {
    const unions = [schema['oneOf'], schema['anyOf']].flat().filter(Boolean) as Json[]
    if (unions.length > 0) return unions.flatMap((one) => validValues(one, known, name, depth + 1))
  }
  const given = [...((schema['examples'] as unknown[] | undefined) ?? []), schema['default']]
  const ofType = [schema['type']]
    .flat()
    .flatMap((type) => typed(String(type), schema, known, depth))
  return [...given.filter((value) => value !== undefined), ...ofType]
}

function typed(type: string, schema: Json, known: Known, depth: number): readonly unknown[] {
  switch (type) {
    case 'object':
      return objects(schema, known, depth)
    case 'array': {
      const items = validValues((schema['items'] ?? {}) as Json, known, '', depth + 1)
      const least = Number(schema['minItems'] ?? 0)
      const some = Array.from({ length: Math.max(least, 1) }, (_, at) => items[at % items.length])
      return [...(least === 0 ? [[]] : []), some, ...items.map((item) => [item])]
    }
    case 'string':
      return texts(schema)
    case 'integer':
    case 'number':
      return numbers(schema)
    case 'boolean':
      return [true, false]
    case 'null':
      return [null]
    default:
      return ['any', 1, null]
  }
}

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-11-22T14:05:00.000Z',
  date: '2026-11-22',
  email: 'ada@example.org',
  uri: 'https://example.com/',
  cidrv4: '192.0.2.0/24',
  cidrv6: '2001:db8::/32',
}

function texts(schema: Json): readonly unknown[] {
  const format = byFormat[String(schema['format'])]
  if (format !== undefined) return [format]
  const least = Number(schema['minLength'] ?? 0)
  const most = Math.min(Number(schema['maxLength'] ?? 40), 4_000)
  const plain = 'text'.padEnd(least, 't').slice(0, Math.max(most, least))
  const matching = schema['pattern'] === undefined ? [] : [`ab_${'0'.repeat(26)}`, 'ab', '00:00']
  return [plain, ...matching, 'é'.repeat(Math.max(least, Math.min(most, 3)))]
}

function numbers(schema: Json): readonly unknown[] {
  const above = schema['exclusiveMinimum'] as number | undefined
  const least = (schema['minimum'] as number | undefined) ?? (above === undefined ? 0 : above + 1)
  const most = schema['maximum'] as number | undefined
  // Ends beyond what anybody means are those of the number format.
  const ends = [least, most].filter((end) => end !== undefined && Math.abs(end) < 1e9)
  return [...ends, Math.max(least, 1)]
}

/** What is required, then this with each optional field, in each of its values. */
function objects(schema: Json, known: Known, depth: number): readonly Json[] {
  const fields = (schema['properties'] ?? {}) as Schemas
  return combinationsOf(schema).flatMap((combination) => {
    const required = new Set(combination)
    const valuesOf = (field: string) =>
      isSkipped(known, field) ? [] : validValues(fields[field] ?? {}, known, field, depth + 1)
    const least = Object.fromEntries([...required].map((field) => [field, valuesOf(field)[0]]))
    const withEach = Object.entries(fields).flatMap(([field, inner]) =>
      shortened(valuesOf(field), inner, depth).map((value) => ({ ...least, [field]: value })),
    )
    // Some go together, which a query cannot say; those stand beside each other.
    const one = (field: string) => ({ [field]: valuesOf(field)[0] })
    const names = Object.keys(fields).filter(
      (field) => !required.has(field) && valuesOf(field).length > 0,
    )
    const pairs = names
      .slice(1)
      .map((field, at) => ({ ...least, ...one(names[at]!), ...one(field) }))
    return [least, ...(depth === 0 ? pairs : []), ...withEach]
  })
}

/** Of a field deep inside one value will do, but for an object each of its own fields. */
function shortened(values: readonly unknown[], field: Json, depth: number): readonly unknown[] {
  return depth === 0 || 'properties' in field ? values : values.slice(0, 1)
}

const isSkipped = (known: Known, field: string) => known[field]?.length === 0

/** The sets of fields that an object may have at least. */
function combinationsOf(schema: Json): readonly (readonly string[])[] {
  const own = (schema['required'] ?? []) as readonly string[]
  const members = [schema['oneOf'], schema['anyOf']].filter(Boolean) as (readonly Json[])[]
  return members.reduce<readonly (readonly string[])[]>(
    (sets, union) =>
      sets.flatMap((set) =>
        union.map((one) => [...set, ...((one['required'] ?? []) as readonly string[])]),
      ),
    [own],
  )
}

/** Broken variants of a valid value: what its schema refuses, each for one reason. */
export function brokenValues(schema: Json, valid: unknown): readonly unknown[] {
  const broken = brokenOf(schema, valid, 0)
  return unique(broken.filter((value) => !isFit(schema, value))).slice(0, valuesMax)
}

const otherTypes = [{ odd: 1 }, ['odd'], 'odd', -1.5, true, null]

function brokenOf(schema: Json, valid: unknown, depth: number): readonly unknown[] {
  const beyond = [
    ...[schema['maximum'], schema['exclusiveMaximum']].map((end) => Number(end) + 1),
    ...[schema['minimum'], schema['exclusiveMinimum']].map((end) => Number(end) - 1),
  ].filter((value) => Number.isSafeInteger(value))
  const longest = Number(schema['maxLength'] ?? 1e9)
  const long = longest <= 4_000 ? ['x'.repeat(longest + 1)] : []
  const short = schema['minLength'] === undefined ? [] : ['']
  const inside = isObject(valid) && depth < depthMax ? brokenFields(schema, valid, depth) : []
  return [...inside, ...beyond, ...long, ...short, ...otherTypes]
}

function brokenFields(schema: Json, valid: Json, depth: number): readonly unknown[] {
  const fields = (schema['properties'] ?? {}) as Schemas
  const missing = Object.keys(valid).map((name) => {
    return Object.fromEntries(Object.entries(valid).filter(([field]) => field !== name))
  })
  const wrong = Object.entries(fields).flatMap(([name, field]) =>
    brokenOf(field, valid[name], depth + 1)
      .filter((value) => !isFit(field, value))
      .slice(0, 3)
      .map((value) => ({ ...valid, [name]: value })),
  )
  return [...missing, { ...valid, no_such_field: 1 }, ...wrong]
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function unique(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
