/** The arguments of a model's call, from its text. Pure. */
import { limits } from '../../../../proto/limits.ts'
import { jsonDepth } from '../../../../proto/json/depth.ts'
import { isPlainObject } from '../simple-schema.ts'
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
