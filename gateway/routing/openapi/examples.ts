/**
 * Examples for requests and answers, composed from their schemas: a field's own `examples` first,
 * then a typical value for its name (`field-examples.ts`), then its default, format or type. A
 * route whose schemas give no good example has its own `example`. `openapi.test.ts` validates every
 * example against its schema.
 */
import { fieldExamplesOf } from './field-examples.ts'
import type { Direction, Json } from './json.ts'

/** Deeper optional values are left out. */
const depthMax = 8

/** `path` is the route's path, from which the kind of ids is derived. */
export function exampleOf(schema: Json, io: Direction, path: string): unknown {
  return exampleAt(schema, { io, path, name: '', depth: 0 })
}

interface Place {
  readonly io: Direction
  readonly path: string
  /** The name of the nearest enclosing field. */
  readonly name: string
  readonly depth: number
}

function exampleAt(schema: Json, place: Place): unknown {
  const own = (schema['examples'] as readonly unknown[] | undefined)?.[0] ?? schema['example']
  if (own !== undefined) return own
  if ('const' in schema) return schema['const']
  const candidates = fieldExamplesOf(place.name, place.path)
  const values = schema['enum'] as readonly unknown[] | undefined
  if (values) return candidates.find((one) => values.includes(one)) ?? values[0]
  const known = candidates.find((one) => fits(one, schema))
  if (known !== undefined) return known
  // The union members of an object with fields of its own only say which fields go together.
  const [branch] = schema['properties'] === undefined ? branchesOf(schema) : []
  if (branch) return exampleAt(branch, place)
  if (Array.isArray(schema['allOf'])) {
    const parts = (schema['allOf'] as readonly Json[]).map((part) => exampleAt(part, place))
    return Object.assign({}, ...parts.filter((part) => typeof part === 'object'))
  }
  if (schema['default'] !== undefined) return schema['default']
  return ofType(schema, place)
}

/** The members of a union; null is used as an example only if there is no other member. */
function branchesOf(schema: Json): readonly Json[] {
  const members = (schema['anyOf'] ?? schema['oneOf'] ?? []) as readonly Json[]
  return [...members].sort((a, b) => rank(a) - rank(b))
}

const rank = (schema: Json): number => (schema['type'] === 'null' ? 1 : 0)

function ofType(schema: Json, place: Place): unknown {
  const type = [schema['type']].flat()[0]
  switch (type) {
    case 'object':
      return ofObject(schema, place)
    case 'array':
      return ofArray(schema, place)
    case 'string':
      return ofText(schema)
    case 'integer':
    case 'number':
      return ofNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return type === undefined && schema['properties'] ? ofObject(schema, place) : {}
  }
}

/** In a request, only required fields, since optional fields may exclude one another. */
function ofObject(schema: Json, place: Place): Json {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>
  const required = new Set([schema['required'], ...combination(schema)].flat())
  const names = Object.keys(properties).filter(
    (name) => required.has(name) || (place.io === 'output' && place.depth < depthMax),
  )
  const entries = names.map((name) => {
    const inner = { ...place, name, depth: place.depth + 1 }
    return [name, exampleAt(properties[name]!, inner)] as const
  })
  return Object.fromEntries(entries)
}

/** The fields of the first combination that each of the object's unions allows. */
const combination = (schema: Json): readonly unknown[] =>
  [schema['oneOf'], schema['anyOf']].map(
    (union) => (union as Json[] | undefined)?.[0]?.['required'],
  )

function ofArray(schema: Json, place: Place): readonly unknown[] {
  const count = Math.max(Number(schema['minItems'] ?? 0), 1)
  const prefix = schema['prefixItems'] as readonly Json[] | undefined
  const inner = { ...place, name: singular(place.name), depth: place.depth + 1 }
  if (prefix) return prefix.map((item) => exampleAt(item, inner))
  const items = schema['items'] as Json | undefined
  if (!items || isNever(items) || place.depth > depthMax) return []
  const item = exampleAt(items, inner)
  return Array.from({ length: count }, () => item)
}

const isNever = (schema: Json): boolean =>
  schema['not'] !== undefined && Object.keys(schema['not'] as Json).length === 0

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '')

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-11-22T14:05:00.000Z',
  date: '2026-11-22',
  email: 'ada@example.org',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '3b241101-e2bb-4255-8caf-4136c566a962',
  time: '14:05:00',
}

function ofText(schema: Json): string {
  const format = formats[String(schema['format'])]
  if (format !== undefined) return format
  const least = Number(schema['minLength'] ?? 0)
  const most = Number(schema['maxLength'] ?? 100)
  return 'text'.padEnd(least, '.').slice(0, most)
}

function ofNumber(schema: Json): number {
  const above = schema['exclusiveMinimum']
  const least = Number(above === undefined ? (schema['minimum'] ?? 0) : Number(above) + 1)
  const most = Number(schema['maximum'] ?? Number.MAX_SAFE_INTEGER)
  return Math.min(Math.max(1, least), most)
}

/** Whether an example for the name is valid for the schema, including its pattern and length. */
function fits(value: unknown, schema: Json): boolean {
  const branches = branchesOf(schema)
  if (branches.length > 0) return branches.some((one) => fits(value, one))
  const types = [schema['type']].flat()
  if (typeof value === 'number') {
    const least = Number(schema['minimum'] ?? Number.NEGATIVE_INFINITY)
    const most = Number(schema['maximum'] ?? Number.POSITIVE_INFINITY)
    const isNumber = types.includes('number') || types.includes('integer')
    return isNumber && value >= least && value <= most
  }
  if (typeof value !== 'string') return types.includes(typeof value)
  if (!types.includes('string') || schema['format'] !== undefined) return false
  const pattern = schema['pattern']
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return false
  return value.length <= Number(schema['maxLength'] ?? 1e6)
}
