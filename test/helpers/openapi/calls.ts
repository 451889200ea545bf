/**
 * The calls of one operation: as its schemas allow, broken in one place, and far too long. Each
 * answer is held against what the document declares.
 */
import { contradictions, isMalformed, isSuccess, type HeardAnswer } from './answers.ts'
import type { Json, Operation, Parameter } from './document.ts'
import { isFit } from './validity.ts'
import { brokenValues, validValues, type Known } from './values.ts'

export interface DocumentedCall {
  readonly method: string
  /** With its parameters and its query. */
  readonly path: string
  /** Sent as JSON if it is there. */
  readonly body?: unknown
}

export interface CallWorld {
  /** Values for parameters and fields, by name. */
  readonly known: Known
  /** What each call has besides, for a reason that no schema can say. */
  readonly needed?: Partial<Parts>
  send(call: DocumentedCall, operation: Operation): Promise<HeardAnswer>
  /** Whether a refusal says that the request itself was as it should be: broken ones must not get it. */
  isAccepted?(heard: HeardAnswer): boolean
}

export interface Fuzzed {
  readonly calls: number
  /** At least one call succeeded. */
  readonly succeeded: boolean
  /** Where the service and its document differ. */
  readonly found: readonly string[]
}

/** A request as its parts, of which one is varied at a time. */
export interface Parts {
  readonly query: Json
  readonly body: unknown
}

interface Tried extends HeardAnswer {
  readonly parts: Parts
  readonly shown: string
}

export async function fuzz(operation: Operation, world: CallWorld): Promise<Fuzzed> {
  const found: string[] = []
  const trials: Tried[] = []
  const attempt = async (parts: Parts): Promise<Tried> => {
    const call = callOf(operation, parts, world.known)
    const heard = await world.send(call, operation)
    const body = call.body === undefined ? '' : JSON.stringify(call.body)
    const shown = `${call.method} ${call.path} ${body}`.slice(0, 400)
    for (const one of contradictions(operation, heard)) found.push(`${shown}: ${one}`)
    if (!isSuccess(heard) && heard.text.length > refusalCharsMax) {
      found.push(`${shown}: a refusal of ${heard.text.length} characters`)
    }
    const tried = { ...heard, parts, shown }
    trials.push(tried)
    return tried
  }
  const { least, valid, broken, long } = requestsOf(operation, world)
  const first = await attempt(least)
  const others: Tried[] = []
  for (const parts of valid) others.push(await attempt(parts))
  found.push(...wronglyRefused(first, others))
  for (const parts of broken) {
    const tried = await attempt(parts)
    if (isSuccess(tried) || world.isAccepted?.(tried)) {
      found.push(`${tried.shown}: broken, but ${tried.status}`)
    }
  }
  // Some operations ignore fields that they do not know, so these may also succeed.
  for (const parts of long) await attempt(parts)
  return { calls: trials.length, succeeded: trials.some(isSuccess), found }
}

interface Requests {
  /** With what is required alone. */
  readonly least: Parts
  readonly valid: readonly Parts[]
  readonly broken: readonly Parts[]
  /** Their refusals must not repeat all that was sent. */
  readonly long: readonly Parts[]
}

/** Texts of callers are cut in refusals, of which one may have several. */
const refusalCharsMax = 12_000
const longText = 'long'.repeat(25_000)

function requestsOf(operation: Operation, { known, needed }: CallWorld): Requests {
  const querySchema = schemaOfQuery(operation)
  const media = operation.requestBody?.content['application/json']
  const [query = {}, ...queries] = (validValues(querySchema, known) as readonly Json[]).map(
    (one) => ({ ...needed?.query, ...one }),
  )
  const made = media?.schema ? validValues(media.schema, known) : []
  if (media && made.length === 0) throw new Error('no body fits: make one of its fields known')
  const [body, ...bodies] = made.map((one) =>
    needed?.body ? { ...needed.body, ...(one as Json) } : one,
  )
  const least = { query, body }
  const example = media?.example === undefined ? [] : [media.example]
  const brokenQueries = brokenValues(querySchema, query).filter((one) =>
    isBrokenQuery(querySchema, one),
  ) as readonly Json[]
  return {
    least,
    valid: [
      ...queries.map((one) => ({ ...least, query: one })),
      ...[...example, ...bodies].map((one) => ({ ...least, body: one })),
    ],
    broken: [
      ...brokenQueries.map((one) => ({ ...least, query: one })),
      ...(media?.schema ? brokenValues(media.schema, body) : []).map((one) => ({
        ...least,
        body: one,
      })),
    ],
    long: longBodies(media?.schema, body).map((one) => ({ ...least, body: one })),
  }
}

/** A field with a name that is too long, and a long text in each field that takes no text. */
function longBodies(schema: Json | undefined, body: unknown): readonly Json[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const fields = Object.entries((schema?.['properties'] ?? {}) as Readonly<Record<string, Json>>)
  const textless = fields.filter(([, field]) => !isFit(field, longText))
  const texts = textless.map(([name]) => [name, longText] as const)
  const named = { ...body, [longText]: 1 }
  return texts.length === 0 ? [named] : [named, { ...body, ...Object.fromEntries(texts) }]
}

/**
 * What the document offers and the service never takes: the least that is required, and each
 * optional field that is refused with all of its values.
 */
function wronglyRefused(least: Tried, others: readonly Tried[]): readonly string[] {
  const told = ({ shown, text }: Tried) => `${shown}: valid, but refused: ${text}`
  if (isMalformed(least)) return [told(least)]
  const isIn = (field: string, { parts }: Tried) =>
    [parts.query, parts.body].some((part) => fieldsOf(part).includes(field))
  const fields = new Set(
    others.flatMap(({ parts }) => [parts.query, parts.body].flatMap((part) => fieldsOf(part))),
  )
  return [...fields].flatMap((field) => {
    const having = [least, ...others].filter((tried) => isIn(field, tried))
    return having.every(isMalformed) ? [told(having[0]!)] : []
  })
}

/** Dotted names, also of what lies in objects. */
function fieldsOf(value: unknown, before = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    before + name,
    ...fieldsOf(inner, `${before}${name}.`),
  ])
}

function schemaOfQuery({ parameters }: Operation): Json {
  const query = parameters.filter((one) => one.in === 'query')
  return {
    type: 'object',
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** Whether it is still broken as text, which is all that a query has. */
function isBrokenQuery(schema: Json, query: unknown): boolean {
  if (typeof query !== 'object' || query === null || Array.isArray(query)) return false
  const { properties, required } = schema as {
    readonly properties: Readonly<Record<string, Json>>
    readonly required: readonly string[]
  }
  const values = Object.entries(query)
  if (values.some(([, value]) => typeof value === 'object')) return false
  const isWrong = ([name, value]: [string, unknown]) => {
    const field = properties[name] ?? {}
    return !isFit(field, value) && !isFit(field, String(value))
  }
  return required.some((name) => !(name in query)) || values.some(isWrong)
}

function callOf(
  { method, path, parameters }: Operation,
  parts: Parts,
  known: Known,
): DocumentedCall {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one: Parameter) => one.name === name)
    const [value] = validValues(parameter?.schema ?? {}, known, name)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams(
    Object.entries(parts.query).map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString()
  const body = parts.body === undefined ? {} : { body: parts.body }
  return { method, path: query === '' ? filled : `${filled}?${query}`, ...body }
}
