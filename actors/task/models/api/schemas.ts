/** Removes from the schemas of tools what a provider would refuse. */
import type { ToolDefinition } from '../model.ts'
import type { ProviderQuirks } from '../quirks.ts'

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes only keywords: a property may have the name of a keyword. */
function withoutWords(schema: Schema, words: ReadonlySet<string>): Schema {
  const entries = Object.entries(schema).filter(([word]) => !words.has(word))
  return Object.fromEntries(
    entries.map(([word, value]) => {
      if (word === 'properties' && isSchema(value)) return [word, eachOf(value, words)]
      if (word === 'items' && isSchema(value)) return [word, withoutWords(value, words)]
      return [word, value]
    }),
  )
}

const eachOf = (properties: Schema, words: ReadonlySet<string>): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isSchema(schema) ? withoutWords(schema, words) : schema,
    ]),
  )

/** `undefined` if a tool's input needs no schema. */
export function parametersOf(tool: ToolDefinition, quirks: ProviderQuirks): Schema | undefined {
  const properties = tool.parameters['properties']
  const isEmpty = !isSchema(properties) || Object.keys(properties).length === 0
  if (isEmpty && quirks.refusesEmptySchemas) return undefined
  return withoutWords(tool.parameters, new Set(quirks.unsupportedKeywords))
}
