/**
 * The JSON Schema that a client orders the result of a task by: taken only when it can be used, and
 * used under a time limit, for both the schema and what is held against it come from strangers. A
 * pattern can be made to take for ever; so can a schema that nests its choices.
 */
import { createContext, Script } from 'node:vm'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ServiceError } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'
import { clean, cut } from './text/clean.ts'
import { jsonDepth } from './text/json-depth.ts'

export type OutputSchema = Readonly<Record<string, unknown>>

const options = {
  // Words that JSON Schema does not know are let pass, as other services do.
  strict: false,
  // Which formats there are is nowhere said, so none is held against a result.
  validateFormats: false,
  addUsedSchema: false,
  // Copies of what is referred to could multiply.
  inlineRefs: false,
  // Code that runs once or twice is not worth being made better, which takes the square of its length.
  code: { optimize: false },
  logger: false,
} as const

/** The newest draft has all the words of the others; of older ones only what names itself so. */
const newest = new Ajv2020(options)
const older = new Ajv(options)

/** Throws a ServiceError that says what is wrong with it, before a task begins in vain. */
export function checkOutputSchema(schema: OutputSchema): void {
  const text = JSON.stringify(schema)
  if (text.length > limits.outputSchemaChars) {
    throw bad(`has ${text.length} characters of JSON; ${limits.outputSchemaChars} are the most`)
  }
  const depth = jsonDepth(Buffer.from(text))
  if (depth > limits.jsonDepth) throw bad(`is nested ${depth} levels deep; shorten it`)
  const types = [schema['type'] ?? 'object'].flat()
  if (!types.includes('object')) {
    throw bad(`must describe an object: the result is one; put what you need into a property`)
  }
  const remote = remoteRef(schema)
  if (remote !== undefined) {
    throw bad(`refers to ${cut(clean(remote), 100)}; only its own parts can be: #/$defs/…`)
  }
  try {
    inTime(schema, (validate) => validate({}))
  } catch (error) {
    throw bad(`cannot be used: ${cut(clean((error as Error).message), 300)}`)
  }
}

/** What does not fit, in words; nothing when all does. */
export function resultFaults(schema: OutputSchema, result: unknown): readonly string[] {
  const bytes = Buffer.byteLength(JSON.stringify(result) ?? '')
  if (bytes > limits.taskResultBytes) {
    return [`it has ${bytes} bytes of JSON; ${limits.taskResultBytes} are the most`]
  }
  try {
    const errors = inTime(schema, (validate) => (validate(result) ? [] : (validate.errors ?? [])))
    return errors.slice(0, limits.resultFaults).map(faultText)
  } catch {
    // Too slow for us, or not to be compiled: nothing can be said for it.
    return ['it could not be held against the schema in time; give less']
  }
}

/** Runs it on what may be a long way. The drafts themselves are read before the time begins. */
function inTime<T>(schema: OutputSchema, use: (validate: ValidateFunction) => T): T {
  const { $schema, $id: _, ...own } = schema
  const ajv = typeof $schema === 'string' && /draft-0[467]/.test($schema) ? older : newest
  void ajv.validateSchema({})
  try {
    return timed(() => use(ajv.compile(own)))
  } finally {
    ajv.removeSchema(own)
  }
}

const context = createContext({ work: undefined as unknown })
const script = new Script('work()')

/** The engine stops whatever runs under it in the middle, a pattern too. */
function timed<T>(work: () => T): T {
  context['work'] = work
  try {
    return script.runInContext(context, { timeout: limits.schemaMs }) as T
  } finally {
    context['work'] = undefined
  }
}

function faultText({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  const { allowedValues, additionalProperty, allowedValue } = params as Record<string, unknown>
  const more = allowedValues ?? allowedValue ?? additionalProperty
  const detail = more === undefined ? '' : `: ${JSON.stringify(more)}`
  return cut(clean(`${instancePath || 'it'} ${message}${detail}`), limits.resultFaultChars)
}

/** The first reference that leaves the schema. */
function remoteRef(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  for (const [word, value] of Object.entries(schema)) {
    const refers = word === '$ref' || word === '$dynamicRef' || word === '$recursiveRef'
    if (refers && typeof value === 'string' && !value.startsWith('#')) return value
    const deeper = remoteRef(value)
    if (deeper !== undefined) return deeper
  }
  return undefined
}

const bad = (what: string) =>
  new ServiceError('bad_request', `output_schema ${what}.`, { field: 'output_schema' })
