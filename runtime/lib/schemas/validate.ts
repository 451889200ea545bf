/**
 * Compiles a schema and validates results against it. Both are untrusted, so this runs only in the
 * thread.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { cleanText, truncateText } from '../text/clean.ts'
import { libLimits } from '../limits.ts'

/** Everything as JSON text, which can be passed to a thread unchanged. */
export interface ValidationJob {
  readonly schema: string
  readonly results: readonly string[]
}

export type ValidationResult =
  /** Index of the first result that fits. */
  | { readonly kind: 'fits'; readonly at: number }
  /** Faults of the first result. */
  | { readonly kind: 'faults'; readonly faults: readonly string[] }
  | { readonly kind: 'unusable'; readonly why: string }

const options = {
  // Unknown keywords are ignored, as other services do.
  strict: false,
  // The set of formats is not specified, so formats are not checked.
  validateFormats: false,
  addUsedSchema: false,
  // Inlined copies of references could grow exponentially.
  inlineRefs: false,
  // Optimising takes quadratic time and the code runs only once or twice.
  code: { optimize: false },
  logger: false,
} as const

/**
 * The newest draft includes the keywords of older ones, which are used only if a schema names them.
 */
const newest = { Draft: Ajv2020, meta: new Ajv2020(options) }
const older = { Draft: Ajv, meta: new Ajv(options) }

// The drafts' own schemas are compiled now, so that the first job's time limit does not include it.
for (const { meta } of [newest, older]) void meta.validateSchema({})

export function validateResults({ schema, results }: ValidationJob): ValidationResult {
  try {
    const validate = compileSchema(JSON.parse(schema) as Record<string, unknown>)
    let faults: readonly string[] | undefined
    for (const [at, result] of results.entries()) {
      if (validate(JSON.parse(result))) return { kind: 'fits', at }
      faults ??= validate.errors?.slice(0, libLimits.resultFaults).map(faultText)
    }
    return { kind: 'faults', faults: faults ?? [] }
  } catch (error) {
    return {
      kind: 'unusable',
      why: truncateText(cleanText((error as Error).message), libLimits.resultFaultChars),
    }
  }
}

/** A new Ajv for each schema, because an instance never forgets what it has compiled. */
function compileSchema(schema: Record<string, unknown>): ValidateFunction {
  // Without `$async`, which would make validation asynchronous, and `$id`, which could collide.
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
  return truncateText(
    cleanText(`${instancePath || 'it'} ${message}${detail}`),
    libLimits.resultFaultChars,
  )
}
