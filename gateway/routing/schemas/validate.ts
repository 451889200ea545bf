/**
 * Validates a value against a schema; errors name the field that does not match and what would be
 * valid.
 */
import { z } from 'zod'
import { ServiceError } from '../../../proto/errors.ts'
import { truncateText } from '../../../runtime/lib/text/clean.ts'
import { routingLimits } from '../limits.ts'
import { issueText } from '../../../runtime/lib/schemas/issue-text.ts'

type Place = 'path' | 'query' | 'body'
type Issue = z.core.$ZodIssue

/**
 * The parsed value; undefined if there is no schema. With `isStrict`, errors have the types of
 * scoped access.
 */
export function validateInput(
  schema: z.ZodType | undefined,
  value: unknown,
  place: Place,
  isStrict = false,
): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.flatMap(separated)
  // An unknown field is reported first, because it may be why another one is missing.
  const unknown = isStrict ? issues.find(({ code }) => code === 'unrecognized_keys') : undefined
  const first = unknown ?? issues[0]!
  const refused = refusalError(schema, value, first, place)
  if (!isStrict) throw refused
  const rest = issues.filter((one) => one !== first)
  throw withRest(
    strictly(refused, first, place),
    rest.map((one) => refusalError(schema, value, one, place)),
  )
}

/**
 * Names the other faults too, so that nobody has to send a body once for each of them: `faults` has
 * the text of each. The first one stays in `field`.
 */
function withRest(first: ServiceError, rest: readonly ServiceError[]): ServiceError {
  if (rest.length === 0) return first
  const texts = [first, ...rest].map(({ message }) => message)
  const faults = texts.slice(0, routingLimits.faultsTold)
  const left = texts.length - faults.length
  const message = [...faults, ...(left > 0 ? [`And ${left} more.`] : [])].join(' ')
  return new ServiceError(first.type, message, { ...first.details, faults })
}

/** All mismatches (`must be …`) by the dotted name of their field, for forms that show each one. */
export function issueTexts(schema: z.ZodType, value: unknown): ReadonlyMap<string, string> {
  const { error } = schema.safeParse(value)
  const found = (error?.issues ?? []).flatMap(separated)
  return new Map(found.map((issue) => [issue.path.map(String).join('.'), issueText(issue)]))
}

function strictly({ message, details }: ServiceError, { code }: Issue, place: Place): ServiceError {
  const { option, ...rest } = details
  const errorDetails = option === undefined ? details : { ...rest, field: option }
  if (code === 'unrecognized_keys') return new ServiceError('unknown_field', message, errorDetails)
  return new ServiceError(
    place === 'body' ? 'validation_failed' : 'bad_request',
    message,
    errorDetails,
  )
}

/**
 * A query contains texts; where the schema wants a number or a boolean, the text is parsed as one.
 */
export function queryOf(schema: z.ZodType | undefined, query: URLSearchParams): unknown {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
  return Object.fromEntries(
    [...query].map(([name, text]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined
      const isText = !/^(true|false|-?\d+(\.\d+)?)$/.test(text)
      if (isText || field === undefined || field.safeParse(text).success) return [name, text]
      return [name, JSON.parse(text) as unknown]
    }),
  )
}

function refusalError(schema: z.ZodType, value: unknown, issue: Issue, place: Place): ServiceError {
  const at = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const option = truncateText([...at, issue.keys[0]!].join('.'), routingLimits.errorNameChars)
    return unsupportedError(place, option, `is not a known field. ${knownAt(schema, at)}`)
  }
  const field = at.join('.')
  // A literal of the right type: the field is known, but this value of it is not supported.
  if (place === 'body' && issue.code === 'invalid_value' && issue.values.length === 1) {
    const [only] = issue.values
    const given = valueAt(value, issue.path)
    if (typeof given === typeof only) {
      const text = `cannot be ${JSON.stringify(given)}: only ${JSON.stringify(only)} is supported.`
      return unsupportedError(place, field, text)
    }
  }
  return badInputError(place, field, `${issueText(issue)}.`)
}

/** One issue for each fault, with the path of its field. */
function separated(issue: Issue): readonly Issue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ ...issue, keys: [key] }))
  const inner =
    issue.code === 'invalid_union'
      ? ofMember(issue.errors)
      : issue.code === 'invalid_key'
        ? issue.issues
        : []
  if (inner.length === 0) return [issue]
  return inner.flatMap((one) => separated({ ...one, path: [...issue.path, ...one.path] }))
}

/**
 * Of a union, the last member is the complete one, so its issues are what the caller should see;
 * unless it is an object, and the caller has given one of the names that there are beside it.
 */
function ofMember(members: readonly Issue[][]): readonly Issue[] {
  const names = members.find(
    ([first]) => first?.code === 'invalid_value' && first.values.length > 1,
  )
  const [last] = members.at(-1) ?? []
  const isOtherType = last?.code === 'invalid_type' && last.path.length === 0
  return (isOtherType ? names : undefined) ?? members.at(-1) ?? []
}

function unsupportedError(place: Place, option: string, text: string): ServiceError {
  if (place !== 'body') return badInputError(place, option, text)
  return new ServiceError('unsupported_option', `${option} ${text}`, { option })
}

/** An error for a rule about a field that the schema cannot express. */
export function badField(field: string, message: string): ServiceError {
  return new ServiceError('bad_request', message, { field })
}

function badInputError(place: Place, field: string, text: string): ServiceError {
  const what = field === '' ? `The ${place}` : field
  return new ServiceError('bad_request', `${what} ${text}`, field === '' ? {} : { field })
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (at === null || at === undefined ? at : (at as Record<PropertyKey, unknown>)[key]),
    value,
  )
}

function knownAt(schema: z.ZodType, path: readonly string[]): string {
  let at: unknown = unwrap(schema)
  for (const key of path) at = at instanceof z.ZodObject ? unwrap(at.shape[key]) : undefined
  if (!(at instanceof z.ZodObject)) return ''
  const where = path.length === 0 ? 'Known fields' : `Known fields of ${path.join('.')}`
  const shape: Readonly<Record<string, unknown>> = at.shape
  const offered = Object.keys(shape).filter((name) => !isOnlyOff(unwrap(shape[name])))
  return `${where}: ${offered.join(', ')}.`
}

/** A feature that can only be switched off is none that callers look for. */
function isOnlyOff(schema: unknown): boolean {
  if (!(schema instanceof z.ZodObject)) return false
  const { active, ...others } = schema.shape as Readonly<Record<string, unknown>>
  return (
    Object.keys(others).length === 0 && active instanceof z.ZodLiteral && active.value === false
  )
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema
}
