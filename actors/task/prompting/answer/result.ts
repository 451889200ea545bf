/**
 * Interprets a result: numbers, lists and objects given as text, and nulls for absent values. Pure.
 */
import type { TaskResult } from '../decision.ts'
import { fitValue, parseLooseJson } from '../../../../proto/json/fit-arguments.ts'
import { isPlainObject, simplifySchema, type JsonSchema } from '../simple-schema.ts'

/** The object, even if it was given as text; undefined if it is none. */
export function resultOf(given: unknown): TaskResult | undefined {
  const value = typeof given === 'string' ? parseLooseJson(given) : given
  return isPlainObject(value) ? value : undefined
}

/** All interpretations, the literal one first; the first that fits the schema is used. */
export function resultCandidates(result: TaskResult, schema: unknown): readonly TaskResult[] {
  const meant = meantBy(result, simplifySchema(schema).schema)
  return isPlainObject(meant) ? [result, meant] : [result]
}

function meantBy(value: unknown, schema: JsonSchema | undefined): unknown {
  const isJson = typeof value === 'string' && /^\s*[[{]/.test(value)
  const whole = (isJson ? parseLooseJson(value) : undefined) ?? fitValue(value, schema)
  if (Array.isArray(whole)) {
    return whole.map((each) => meantBy(each, schema?.['items'] as JsonSchema | undefined))
  }
  if (!isPlainObject(whole)) return whole
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const entries = Object.entries(whole).filter(([, each]) => each !== null)
  return Object.fromEntries(
    entries.map(([name, each]) => {
      return [name, meantBy(each, Object.hasOwn(properties, name) ? properties[name] : undefined)]
    }),
  )
}
