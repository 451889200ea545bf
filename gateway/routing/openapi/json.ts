/** The JSON of the OpenAPI document, and schemas in its words. */
import { z } from 'zod'

export type Json = Readonly<Record<string, unknown>>

/** `input` is what a client sends, `output` what it gets: with defaults filled in. */
export type Direction = 'input' | 'output'

/**
 * Schemas are written out where they are. Only that of any JSON value refers to itself, which
 * neither a reader nor the types of a generated client need.
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
