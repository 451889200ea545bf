/** Makes the arguments of a model's call fit a schema, as far as the intent is clear. Pure. */
import { limits } from '../../../../proto/limits.ts'
import { jsonDepth } from '../../../../runtime/lib/text/json-depth.ts'
import { isPlainObject, type JsonSchema } from '../simple-schema.ts'
import { taskRunLimits } from '../../limits.ts'

export type ToolInput = Readonly<Record<string, unknown>>

/** Parses the text of a call; otherwise returns the reason why it has no arguments. */
export function parseToolInput(text: string): ToolInput | string {
  if (text.length > taskRunLimits.callChars) {
    return `its arguments have ${text.length} characters; ${taskRunLimits.callChars} are the most`
  }
  if (text.trim() === '') return {}
  if (jsonDepth(Buffer.from(text)) > limits.jsonDepth) return 'its arguments are nested too deeply'
  try {
    const parsed: unknown = JSON.parse(text)
    if (isPlainObject(parsed)) return wellFormed(parsed) as ToolInput
    // Some models send JSON inside a JSON string.
    const inner: unknown = typeof parsed === 'string' ? JSON.parse(parsed) : undefined
    if (isPlainObject(inner)) return wellFormed(inner) as ToolInput
  } catch {
    // Reported below, like every text that is not an object.
  }
  return 'its arguments are not a JSON object'
}

const loneSurrogate = /\p{Surrogate}/gu

/** Unpaired surrogates cannot be written to logs or sent to pages. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(loneSurrogate, '\uFFFD')
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [wellFormed(name), wellFormed(each)]),
  )
}

/**
 * Accepts numbers and lists given as text, and single values for lists: common mistakes of smaller
 * models. Null counts as absent.
 */
export function coerceInput(
  given: ToolInput,
  properties: Readonly<Record<string, JsonSchema>>,
): ToolInput {
  const entries = Object.entries(given)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, coerceValue(value, properties[name])] as const)
  return Object.fromEntries(entries)
}

export function coerceValue(value: unknown, schema: JsonSchema | undefined): unknown {
  const type = schema?.['type']
  if (type === 'array' && typeof value === 'string') {
    const list = parseLooseJson(value)
    return Array.isArray(list) ? list : [value]
  }
  if (type === 'string') return typeof value === 'number' ? String(value) : value
  if (typeof value !== 'string') return value
  if (type === 'boolean') return { true: true, false: false }[value.toLowerCase()] ?? value
  if (type !== 'number' && type !== 'integer') return value
  const number = Number(value)
  return value.trim() === '' || Number.isNaN(number) ? value : number
}

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
