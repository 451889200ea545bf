/**
 * The JSON Schema in which a client orders a task's result: checked when the task is created, and
 * applied to its result. Both are untrusted, so potentially slow work is done in a thread, and the
 * checks in this file are quick.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { cleanText, truncateText } from '../text/clean.ts'
import { jsonDepth } from '../../../proto/json/depth.ts'
import { SchemaThread, type ThreadBounds } from './thread.ts'
import { libLimits } from '../limits.ts'

export type OutputSchema = Readonly<Record<string, unknown>>
type Result = Readonly<Record<string, unknown>>

export type SchemaFit =
  | { readonly fits: true; readonly result: Result }
  | { readonly fits: false; readonly faults: readonly string[] }

/** One per process. Nothing is loaded before the first schema arrives. */
export class OutputSchemas {
  readonly #thread: SchemaThread

  constructor(bounds: Partial<ThreadBounds> = {}) {
    this.#thread = new SchemaThread(bounds)
  }

  /** Throws a ServiceError that says what is wrong with the schema, before the task is created. */
  async check(schema: OutputSchema, tenant: string): Promise<void> {
    const text = JSON.stringify(schema)
    assertPlain(schema, text)
    const verdict = await this.#thread.ask(tenant, { schema: text, results: ['{}'] })
    if (verdict.kind === 'unusable') throw badInputError(`cannot be used: ${verdict.why}`)
    if (verdict.kind === 'given_up') {
      throw badInputError(`cannot be used: it takes too much ${verdict.over}; make it simpler`)
    }
  }

  /** The first result that fits; otherwise the faults of the first one. */
  async fit(schema: OutputSchema, results: readonly Result[], tenant: string): Promise<SchemaFit> {
    const candidates = results.map((result) => ({ result, text: JSON.stringify(result) }))
    const held = candidates.filter(({ text }) => Buffer.byteLength(text) <= limits.taskResultBytes)
    if (held.length === 0) {
      return misfit(`it has more than ${limits.taskResultBytes} bytes of JSON; give less`)
    }
    const texts = held.map(({ text }) => text)
    const verdict = await this.#thread.ask(tenant, {
      schema: JSON.stringify(schema),
      results: texts,
    })
    switch (verdict.kind) {
      case 'fits':
        return { fits: true, result: held[verdict.at]!.result }
      case 'faults':
        return { fits: false, faults: verdict.faults }
      case 'unusable':
        return misfit(`it could not be validated against the schema: ${verdict.why}`)
      case 'given_up':
        return misfit(
          `it could not be validated against the schema: that takes too much ${verdict.over}; give less`,
        )
      default:
        return verdict satisfies never
    }
  }

  /** Waiting calls fail with a message that the process is shutting down. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}

const misfit = (fault: string): SchemaFit => ({ fits: false, faults: [fault] })

/** Checks that need no validation run. */
function assertPlain(schema: OutputSchema, text: string): void {
  if (text.length > libLimits.outputSchemaChars) {
    throw badInputError(
      `has ${text.length} characters of JSON; ${libLimits.outputSchemaChars} are the most`,
    )
  }
  const depth = jsonDepth(Buffer.from(text))
  if (depth > limits.jsonDepth) throw badInputError(`is nested ${depth} levels deep; shorten it`)
  const types = [schema['type'] ?? 'object'].flat()
  if (!types.includes('object')) {
    throw badInputError(
      `must describe an object: the result is one; put what you need into a property`,
    )
  }
  const remote = remoteRef(schema)
  if (remote !== undefined) {
    throw badInputError(
      `refers to ${truncateText(cleanText(remote), 100)}; only its own parts can be: #/$defs/…`,
    )
  }
}

/** The first reference that points outside the schema. */
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

const badInputError = (what: string) =>
  new ServiceError('bad_request', `output_schema ${what}.`, { field: 'output_schema' })
