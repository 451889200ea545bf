/** The routes that a running service describes, each with a body that it would take. */

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
}

export interface DescribedRoute {
  readonly method: string
  /** With names in braces. */
  readonly path: string
  /** Undefined where it takes none; a form is left out. */
  readonly body: unknown
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

export async function describedRoutes(baseUrl: string): Promise<readonly DescribedRoute[]> {
  const { paths, components } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Json>> }
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method]
      if (!operation) return []
      const schema = operation.requestBody?.content['application/json']?.schema
      return [
        {
          method: method.toUpperCase(),
          path,
          body: schema && smallest(schema, components.schemas),
        },
      ]
    }),
  )
}

/** A value that fits the schema, with what is required alone. */
function smallest(given: Json, named: Readonly<Record<string, Json>>): unknown {
  const schema =
    named[
      String(given['$ref'] ?? '')
        .split('/')
        .at(-1)!
    ] ?? given
  const { type, properties = {}, required = [], minLength = 0, minItems = 0 } = schema
  const [first] = [schema['anyOf'], schema['oneOf'], schema['allOf']].flat().filter(Boolean)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (first !== undefined && !('properties' in schema)) return smallest(first as Json, named)
  switch (type) {
    case 'object':
      return Object.fromEntries(
        [required, ...combination(schema)]
          .flat()
          .map((name) => [name, smallest((properties as Json)[String(name)] as Json, named)]),
      )
    case 'array':
      return Array.from({ length: Number(minItems) }, () =>
        smallest(schema['items'] as Json, named),
      )
    case 'string':
      return schema['format'] === 'uri'
        ? 'https://example.com/'
        : 'x'.padEnd(Number(minLength), 'x')
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 1)
    case 'boolean':
      return true
    default:
      return null
  }
}

/** The fields of the first combination that each of an object's unions allows. */
const combination = (schema: Json): readonly unknown[] =>
  [schema['oneOf'], schema['anyOf']].map(
    (union) => (union as readonly Json[] | undefined)?.[0]?.['required'] ?? [],
  )
