/** Moves schemas that several operations use to the components of the document. */
import type { Json } from './json.ts'

export interface Shared {
  readonly paths: Operations
  /** The components, by name. */
  readonly schemas: Json
}

export type Operations = Readonly<Record<string, Readonly<Record<string, Json>>>>

/** Shorter schemas take less space inline than as a reference. */
const sharedChars = 300

/**
 * Schemas of bodies and answers that several operations use become components, named after the
 * first of these operations. This makes the document a third smaller.
 */
export function shareSchemas(paths: Operations): Shared {
  const counts = new Map<string, number>()
  eachSchema(paths, (text) => void counts.set(text, (counts.get(text) ?? 0) + 1))
  const names = new Map<string, string>()
  const schemas: Record<string, unknown> = {}
  const shared = eachSchema(paths, (text, name, schema) => {
    if (text.length < sharedChars || counts.get(text) === 1) return schema
    const known = names.get(text) ?? name
    names.set(text, known)
    schemas[known] = schema
    return { $ref: `#/components/schemas/${known}` }
  })
  return { paths: shared, schemas }
}

type Replace = (text: string, name: string, schema: Json) => unknown

/** A copy in which the schemas of bodies and answers are replaced. */
function eachSchema(paths: Operations, replace: Replace): Operations {
  return mapValues(paths, (methods) =>
    mapValues(methods, (operation) => {
      const id = String(operation['operationId'])
      const { requestBody } = operation
      const responses = operation['responses'] as Readonly<Record<string, Json>>
      return {
        ...operation,
        ...(requestBody !== undefined && {
          requestBody: withContent(requestBody as Json, `${id}_body`, replace),
        }),
        responses: mapValues(responses, (answer) => withContent(answer, `${id}_answer`, replace)),
      }
    }),
  )
}

function withContent(of: Json, name: string, replace: Replace): Json {
  const content = of['content'] as Readonly<Record<string, Json>> | undefined
  if (content === undefined) return of
  const replaced = mapValues(content, (media) => {
    const schema = media['schema'] as Json | undefined
    if (schema === undefined) return media
    return { ...media, schema: replace(JSON.stringify(schema), name, schema) }
  })
  return { ...of, content: replaced }
}

const mapValues = <V, R>(of: Readonly<Record<string, V>>, to: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, to(value)]))
