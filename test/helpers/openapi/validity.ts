/** Whether a value fits a schema of the document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Json } from './document.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const compiled = new WeakMap<Json, ValidateFunction>()

/** Undefined if it fits, otherwise what is wrong. */
export function misfit(schema: Json, value: unknown): string | undefined {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

export const isFit = (schema: Json, value: unknown): boolean => misfit(schema, value) === undefined
