/** Compiles a schema and validates results against it. Both are strangers': in the thread only. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { limits } from '../../proto/limits.ts'
import { clean, cut } from '../text/clean.ts'

/** All of it as JSON, which crosses to another thread as it is. */
export interface Job {
  readonly schema: string
  readonly results: readonly string[]
}

export type Verdict =
  /** Which of the results does, the first of them. */
  | { readonly kind: 'fits'; readonly at: number }
  /** Of the first result. */
  | { readonly kind: 'faults'; readonly faults: readonly string[] }
  | { readonly kind: 'unusable'; readonly why: string }

const options = {
  // Words that JSON Schema does not know are let pass, as other services do.
  strict: false,
  // Which formats there are is nowhere said, so none is held against a result.
  validateFormats: false,
  addUsedSchema: false,
  // Copies of what is referred to could multiply.
  inlineRefs: false,
  // Code that runs once or twice is not worth optimising, which takes the square of its length.
  code: { optimize: false },
  logger: false,
} as const

/** The newest draft has all the words of the others; of older ones only what names itself so. */
const newest = { Draft: Ajv2020, meta: new Ajv2020(options) }
const older = { Draft: Ajv, meta: new Ajv(options) }

// What the drafts say themselves is compiled now, and not in the time of the first job.
for (const { meta } of [newest, older]) void meta.validateSchema({})

export function judge({ schema, results }: Job): Verdict {
  try {
    const validate = compiled(JSON.parse(schema) as Record<string, unknown>)
    let faults: readonly string[] | undefined
    for (const [at, result] of results.entries()) {
      if (validate(JSON.parse(result))) return { kind: 'fits', at }
      faults ??= validate.errors?.slice(0, limits.resultFaults).map(faultText)
    }
    return { kind: 'faults', faults: faults ?? [] }
  } catch (error) {
    return { kind: 'unusable', why: cut(clean((error as Error).message), limits.resultFaultChars) }
  }
}

/** Each by an Ajv of its own, for one keeps for ever what it has compiled. */
function compiled(schema: Record<string, unknown>): ValidateFunction {
  // Left out is what would make it a promise, or call it what another is called.
  const { $schema, $id: _, $async: __, ...own } = schema
  const isOlder = typeof $schema === 'string' && /draft-0[467]/.test($schema)
  const { Draft, meta } = isOlder ? older : newest
  void meta.validateSchema(own, true)
  return new Draft({ ...options, meta: false, validateSchema: false }).compile(own)
}

function faultText({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  const { allowedValues, additionalProperty, allowedValue } = params as Record<string, unknown>
  const more = allowedValues ?? allowedValue ?? additionalProperty
  const detail = more === undefined ? '' : `: ${JSON.stringify(more)}`
  return cut(clean(`${instancePath || 'it'} ${message}${detail}`), limits.resultFaultChars)
}
