/**
 * Reduces a JSON Schema to what every provider accepts: types, properties, lists and enums of
 * strings. The result is validated against the full schema anyway. Pure.
 */
import type { JsonValue } from '../../../proto/commands/schema.ts'
import { cleanText, truncateText } from '../../../runtime/lib/text/clean.ts'
import { taskRunLimits } from '../limits.ts'

export type JsonSchema = Readonly<Record<string, JsonValue>>

export interface SimplifiedSchema {
  readonly schema: JsonSchema
  /** True if a constraint was left out. */
  readonly lossy: boolean
}

/** Keywords that are redundant or only informative. */
const redundantKeywords: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'description',
  'title',
  'default',
  'examples',
  'additionalProperties',
  '$ref',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'anyOf',
  'oneOf',
  'allOf',
])

const scalars: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

export function simplifySchema(schema: unknown): SimplifiedSchema {
  let lossy = false
  const lose = () => {
    lossy = true
  }
  return { schema: simple(schema, { root: schema, depth: 0, lose }), lossy }
}

interface Place {
  readonly root: unknown
  readonly depth: number
  lose(): void
}

function simple(given: unknown, place: Place): JsonSchema {
  const schema = resolveSchema(given, place)
  if (!isPlainObject(schema) || place.depth > taskRunLimits.schemaDepth) return anything(place)
  if (Object.keys(schema).some((word) => !redundantKeywords.has(word))) place.lose()
  const deeper = { ...place, depth: place.depth + 1 }
  const type = typeOf(schema, place)
  const descriptionText = descriptionOf(schema)
  const said: JsonSchema = descriptionText === '' ? {} : { description: descriptionText }
  if (type === 'object') return { ...objectOf(schema, deeper), ...said }
  if (type === 'array') {
    const items = isPlainObject(schema['items']) ? schema['items'] : firstOf(schema['prefixItems'])
    return { type, items: simple(items, deeper), ...said }
  }
  if (type === undefined) return { ...anything(place), ...said }
  return { type, ...wordsOf(schema, type, place), ...said }
}

/** Some providers refuse an object without properties, so it is requested as text. */
function objectOf(schema: Readonly<Record<string, unknown>>, deeper: Place): JsonSchema {
  const properties = Object.entries(isPlainObject(schema['properties']) ? schema['properties'] : {})
  if (properties.length === 0) return { ...anything(deeper), description: 'A JSON object.' }
  const names = new Set(properties.map(([name]) => name))
  const required = (Array.isArray(schema['required']) ? schema['required'] : []).filter(
    (name): name is string => names.has(name),
  )
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, each]) => [name, simple(each, deeper)])),
    ...(required.length > 0 && { required }),
  }
}

function anything(place: Place): JsonSchema {
  place.lose()
  return { type: 'string', description: 'JSON' }
}

/** Resolves references, and takes the first of several alternatives that is not null. */
function resolveSchema(given: unknown, place: Place): unknown {
  let schema = given
  for (let hops = 0; hops < taskRunLimits.schemaDepth; hops++) {
    if (!isPlainObject(schema)) return schema
    const { $ref, anyOf, oneOf, allOf, ...own } = schema as Record<string, unknown>
    if (typeof $ref === 'string') {
      const end = resolvePointer($ref, place.root)
      schema = isPlainObject(end) ? { ...end, ...own } : own
    } else if (Array.isArray(anyOf ?? oneOf)) {
      const forms = ((anyOf ?? oneOf) as unknown[]).filter((each) => !isNull(each))
      if (forms.length > 1) place.lose()
      schema = isPlainObject(forms[0]) ? { ...own, ...forms[0] } : own
    } else if (Array.isArray(allOf)) {
      schema = mergeSchemas([own, ...allOf.map((each) => resolveSchema(each, place))])
    } else return schema
  }
  return schema
}

function mergeSchemas(parts: readonly unknown[]): Record<string, unknown> {
  const objects = parts.filter(isPlainObject)
  const whole: Record<string, unknown> = Object.assign({}, ...objects)
  const properties = objects.map((each) => each['properties']).filter(isPlainObject)
  const required = objects.flatMap((each) =>
    Array.isArray(each['required']) ? each['required'] : [],
  )
  return {
    ...whole,
    ...(properties.length > 0 && { properties: Object.assign({}, ...properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  }
}

/** Resolves `#/$defs/price` within the schema; other references are not supported. */
function resolvePointer(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined
  const path = ref.slice(1).split('/').slice(1)
  return path.reduce<unknown>((at, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return isPlainObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }, root)
}

function typeOf(schema: Readonly<Record<string, unknown>>, place: Place): string | undefined {
  const { type, properties, items, enum: words } = schema
  const named = (Array.isArray(type) ? type : [type]).filter((each) => each !== 'null')
  if (named.length > 1) place.lose()
  const [first] = named
  if (first === 'object' || first === 'array' || scalars.has(first)) return first as string
  if (isPlainObject(properties)) return 'object'
  if (isPlainObject(items)) return 'array'
  const example = 'const' in schema ? schema['const'] : firstOf(words)
  return scalars.has(typeof example) ? typeof example : undefined
}

/** Some providers refuse enums of anything but strings. */
function wordsOf(
  schema: Readonly<Record<string, unknown>>,
  type: string,
  place: Place,
): JsonSchema {
  const choices = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(choices)) return {}
  const words = choices.filter((each) => typeof each === 'string')
  if (type === 'string' && words.length > 0) return { enum: words }
  place.lose()
  return {}
}

function descriptionOf({ description, title }: Readonly<Record<string, unknown>>): string {
  const said = typeof description === 'string' ? description : title
  return typeof said === 'string'
    ? truncateText(cleanText(said), taskRunLimits.schemaTextChars)
    : ''
}

const firstOf = (list: unknown): unknown =>
  Array.isArray(list) ? (list as unknown[])[0] : undefined
const isNull = (schema: unknown) => isPlainObject(schema) && schema['type'] === 'null'

export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
