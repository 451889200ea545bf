/** A result as it was meant: numbers, lists and objects that came as text, nulls for nothing. Pure. */
import { resultFaults, type OutputSchema } from '../../../runtime/output-schema.ts'
import { fit, parsed } from './arguments.ts'
import { isObject, simplified, type Schema } from './simple-schema.ts'

export type ResultRead =
  | { readonly fits: true; readonly result: Readonly<Record<string, unknown>> }
  | { readonly fits: false; readonly faults: readonly string[] }

/** What fits as it came is not touched. */
export function readResult(given: unknown, schema: OutputSchema): ResultRead {
  const value = typeof given === 'string' ? parsed(given) : given
  if (!isObject(value)) return { fits: false, faults: ['it must be an object'] }
  const faults = resultFaults(schema, value)
  if (faults.length === 0) return { fits: true, result: value }
  const meant = meantBy(value, simplified(schema).schema)
  if (!isObject(meant) || resultFaults(schema, meant).length > 0) return { fits: false, faults }
  return { fits: true, result: meant }
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
