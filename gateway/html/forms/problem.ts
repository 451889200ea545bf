/** A refusal as a form shows it: the fields concerned, and a sentence with their labels. */
import type { ServiceError } from '../../../proto/errors.ts'

/** Why a form's action was refused. */
export interface FormProblem {
  readonly error: ServiceError
  /** The fields concerned, by their REST names. */
  readonly fields: readonly string[]
  /** The error of each field (`must be …`) by its REST name, if all fields were checked. */
  readonly each?: ReadonlyMap<string, string>
}

export function problemOf(error: ServiceError): FormProblem {
  const { field, pointers } = error.details
  const named = [
    ...(typeof field === 'string' ? [field] : []),
    ...(Array.isArray(pointers) ? pointers.map(fieldOf) : []),
  ]
  const each = eachOf(error)
  return each.size === 0 ? { error, fields: named } : { error, fields: [...each.keys()], each }
}

/** Of the faults of a body, each of which begins with the name of its field. */
function eachOf({ details: { faults } }: ServiceError): ReadonlyMap<string, string> {
  const texts = Array.isArray(faults) ? faults.map(String) : []
  const named = texts.map((text) => /^([\w.-]+) (.+)\.$/s.exec(text))
  return new Map(named.flatMap((found) => (found ? [[found[1]!, found[2]!] as const] : [])))
}

/** For example `/permissions/0/actions` → `permissions.0.actions`. */
const fieldOf = (pointer: string): string => pointer.replace(/^\//, '').replaceAll('/', '.')

/** Whether a problem is about a field or a part of it. */
export const isAbout = (problem: FormProblem | undefined, name: string): boolean =>
  problem?.fields.some((field) => field === name || field.startsWith(`${name}.`)) ?? false

/** Adds the errors of all fields to a problem. */
export const withEach = (problem: FormProblem, each: ReadonlyMap<string, string>): FormProblem =>
  each.size === 0 ? problem : { ...problem, each, fields: [...each.keys()] }

/**
 * For example `expected_end_at must be …` → `Expected end must be …`. `about` is the REST name of
 * the field that shows it.
 */
export function sentenceFor(
  { error, fields, each }: FormProblem,
  label: string,
  about?: string,
): string {
  const shown = label.endsWith('?') ? `“${label}”` : label
  const own = each && [...each].find(([name]) => name === about || name.startsWith(`${about}.`))
  if (own) return `${shown} ${own[1]}.`
  const { message } = error
  const named = fields.find((field) => message.startsWith(`${field} `))
  return named === undefined ? message : `${shown} ${message.slice(named.length + 1)}`
}
