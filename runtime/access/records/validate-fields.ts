/**
 * Validates fields against their area's schema. Throws `unknown_field` (400) or `validation_failed`
 * (422).
 */
import type { z } from 'zod'
import type { AreaDefinition, RecordFields } from '../../../proto/access/areas/define-area.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'

/**
 * For a field that does not exist or that the caller may not use: the error is the same for both.
 */
export function unknownField(name: string, use: string, known: readonly string[]): ServiceError {
  const shown = name.slice(0, 64)
  const message = `There is no field ${JSON.stringify(shown)} to ${use}. The fields are: ${known.join(', ')}.`
  return new ServiceError('unknown_field', message, { field: shown })
}

export function invalidFields(
  problems: readonly { pointer: string; text: string }[],
): ServiceError {
  const told = problems.slice(0, limits.valuesPerFilter)
  const left = problems.length - told.length
  const texts = told.map(({ pointer, text }) => `${pointer} ${text}.`)
  const message = [...texts, ...(left > 0 ? [`And ${left} more.`] : [])].join(' ')
  return new ServiceError('validation_failed', message, {
    fields: told.map(({ pointer }) => pointer),
    faults: told.map(({ pointer, text }) => `${pointer.slice(1).replaceAll('/', '.')} ${text}.`),
  })
}

/** Unknown fields are reported first. */
export function validateFields(schema: z.ZodObject, fields: RecordFields): RecordFields {
  const parsed = schema.safeParse(fields)
  if (parsed.success) {
    // zod may return an omitted optional field as undefined.
    return Object.fromEntries(Object.entries(parsed.data).filter(([, v]) => v !== undefined))
  }
  const { issues } = parsed.error
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const path = issue.path.map((key) => `${String(key)}.`).join('')
    throw unknownField(`${path}${issue.keys[0]}`, 'write', Object.keys(schema.shape))
  }
  throw invalidFields(
    issues.map((issue) => ({ pointer: `/${issue.path.join('/')}`, text: textOf(issue) })),
  )
}

/** A record that had none of the area's `oneOf` before this was required can still be changed. */
export function checkOneOf(
  { oneOf, label }: AreaDefinition,
  after: RecordFields,
  before: RecordFields = {},
): void {
  const isNamed = (fields: RecordFields) => oneOf.some((name) => fields[name] !== undefined)
  const isOld = Object.keys(before).length > 0 && !isNamed(before)
  if (oneOf.length === 0 || isNamed(after) || isOld) return
  const message = `A record of ${label} needs at least one of the fields ${oneOf.join(', ')}.`
  const fields = oneOf.map((name) => `/${name}`)
  throw new ServiceError('validation_failed', message, { fields })
}

/** zod's text: "Invalid input: expected boolean, received string". */
function textOf({ message }: z.core.$ZodIssue): string {
  const expected = /^Invalid input: expected (.+), received (.+)$/.exec(message)
  if (expected) {
    const [, wanted, given] = expected
    return given === 'undefined' ? 'is required' : `must be of type ${wanted}, not ${given}`
  }
  return message.startsWith('must ') ? message : `is not valid: ${message}`
}
