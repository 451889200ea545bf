/** `/openapi.json` of a running service, with references filled in. */

export type Json = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Json
}

interface Media {
  readonly schema?: Json
  readonly example?: unknown
}

interface Answer {
  readonly content?: Readonly<Record<string, Media>>
}

export interface Operation {
  readonly method: string
  /** With names in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly security: readonly Json[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

export async function operationsOf(baseUrl: string): Promise<readonly Operation[]> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Json
  const whole = filled(document['paths'], document) as Readonly<Record<string, Json>>
  return Object.entries(whole).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method] as Omit<Operation, 'method' | 'path'> | undefined
      return operation ? [{ ...operation, method: method.toUpperCase(), path }] : []
    }),
  )
}

/** A copy with each `$ref` replaced by what it names. */
function filled(value: unknown, document: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { readonly $ref?: string }
  if ($ref !== undefined) {
    const steps = $ref.split('/').slice(1)
    const named = steps.reduce((at: unknown, step) => (at as Json)[step], document)
    return filled(named, document)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, filled(inner, document)]),
  )
}
