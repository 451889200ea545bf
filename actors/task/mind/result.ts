/**
 * Interprets a result: numbers, lists and objects given as text, and nulls for absent values. Pure.
 */
import type { Result } from '../thought.ts'
import { fit, parsed } from './arguments.ts'
import { isObject, simplified, type Schema } from './simple-schema.ts'

/** The object, even if it was given as text; undefined if it is none. */
export function resultOf(given: unknown): Result | undefined {
  const value = typeof given === 'string' ? parsed(given) : given
  return isObject(value) ? value : undefined
}

/** All interpretations, the literal one first; the first that fits the schema is used. */
export function readingsOf(result: Result, schema: unknown): readonly Result[] {
  const meant = meantBy(result, simplified(schema).schema)
  return isObject(meant) ? [result, meant] : [result]
}

function meantBy(value: unknown, schema: Schema | undefined): unknown {
  const isJson = typeof value === 'string' && /^\s*[[{]/.test(value)
  const whole = (isJson ? parsed(value) : undefined) ?? fit(value, schema)
  if (Array.isArray(whole)) {
    return whole.map((each) => meantBy(each, schema?.['items'] as Schema | undefined))
  }
  if (!isObject(whole)) return whole
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const entries = Object.entries(whole).filter(([, each]) => each !== null)
  return Object.fromEntries(
    entries.map(([name, each]) => {
      return [name, meantBy(each, Object.hasOwn(properties, name) ? properties[name] : undefined)]
    }),
  )
}
