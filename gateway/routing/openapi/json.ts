/** JSON of the OpenAPI document, and conversion of schemas. */
import { z } from 'zod'

export type Json = Readonly<Record<string, unknown>>

/** `input` is what a client sends, `output` what it receives, with defaults filled in. */
export type Direction = 'input' | 'output'

/**
 * Schemas are inlined. Only the schema of arbitrary JSON is recursive, and its recursion is cut
 * off, because neither readers nor generated clients need it.
 */
export function schemaOf(schema: z.ZodType, io: Direction): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return withAnyJson(rest) as Record<string, unknown>
}

function withAnyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAnyJson)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return { description: 'Any JSON value.' }
  const entries = Object.entries(value).filter(([key]) => key !== '$defs')
  return Object.fromEntries(entries.map(([key, inner]) => [key, withAnyJson(inner)]))
}
