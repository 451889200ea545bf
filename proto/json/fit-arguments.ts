/**
 * Makes what a model has written fit a schema, where the schema leaves it one meaning: clients and models
 * send null for what they leave out, and numbers, booleans, lists and objects as text. What is valid stays
 * as it is, and so does what has no type or several: a string or a number may be either. Pure.
 */
import { limits } from '../limits.ts'
import { jsonDepth } from './depth.ts'

type Schema = Readonly<Record<string, unknown>>
type Values = Readonly<Record<string, unknown>>

/** Null counts as absent, except where the schema has null, or requires the field. */
export function fitArguments(
  given: Values,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Values {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (value === null && !required.includes(name) && !takesNull(schema)) return []
    return [[name, fitValue(value, schema)] as const]
  })
  return Object.fromEntries(entries)
}

const takesNull = (schema: Schema | undefined): boolean =>
  [schema, ...alternativesOf(schema)].some((one) => {
    const type = one?.['type']
    return type === 'null' || (Array.isArray(type) && type.includes('null'))
  })

function alternativesOf(schema: Schema | undefined): readonly Schema[] {
  const listed = schema?.['anyOf'] ?? schema?.['oneOf']
  return Array.isArray(listed) ? listed.filter(isObject) : []
}

export function fitValue(value: unknown, schema: Schema | undefined): unknown {
  switch (typeOf(schema)) {
    case 'array':
      return fitList(value, schema!)
    case 'object':
      return fitObject(value, schema!)
    case 'string':
      return typeof value === 'number' ? String(value) : value
    case 'boolean':
      return typeof value === 'string'
        ? ({ true: true, false: false }[value.toLowerCase()] ?? value)
        : value
    case 'number':
    case 'integer':
      return fitNumber(value)
    default:
      return value
  }
}

/** Undefined if it leaves several. */
function typeOf(schema: Schema | undefined): unknown {
  const type = schema?.['type']
  if (!Array.isArray(type)) return type
  const others = type.filter((one) => one !== 'null')
  return others.length === 1 ? others[0] : undefined
}

/** A single value is a list of one. */
function fitList(value: unknown, schema: Schema): unknown {
  const parsed = typeof value === 'string' ? parseLooseJson(value) : value
  const list = typeof value === 'string' && !Array.isArray(parsed) ? [value] : parsed
  const { items } = schema
  return Array.isArray(list) && isObject(items) ? list.map((each) => fitValue(each, items)) : list
}

function fitObject(value: unknown, schema: Schema): unknown {
  const parsed = typeof value === 'string' ? parseLooseJson(value) : value
  const { properties, required } = schema
  if (!isObject(parsed)) return value
  if (!isObject(properties)) return parsed
  const names = Array.isArray(required) ? (required as string[]) : []
  return fitArguments(parsed, properties as Record<string, Schema>, names)
}

function fitNumber(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return value
  const number = Number(value)
  return Number.isFinite(number) ? number : value
}

/** Undefined for other text. */
export function parseLooseJson(text: string): unknown {
  // Later code is recursive, so the depth is limited.
  if (jsonDepth(Buffer.from(text)) > limits.jsonDepth) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so it is meant as plain text.
    return undefined
  }
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
