/** JSON Schemas for models, kept short because every request to a model contains all of them. */
import { z } from 'zod'

export type JsonValue =
  string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** The schema of a tool's input or output; mutable, because libraries expect that. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Record<string, { [word: string]: JsonValue }>
  readonly required?: string[]
  readonly [other: string]: unknown
}

/** Omitted bounds: the service checks them and its error names the one exceeded, which is rare. */
const omittedKeywords = [
  'additionalProperties',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
  'format',
  'pattern',
]

const combinations = ['anyOf', 'oneOf', 'dependentRequired'] as const

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      for (const word of omittedKeywords) delete jsonSchema[word as keyof typeof jsonSchema]
      // The tool's text says which fields go together, and some providers refuse these keywords.
      if (jsonSchema.properties) for (const word of combinations) delete jsonSchema[word]
      // For readers of the reference.
      delete jsonSchema.examples
      // A default of `false` needs no mention.
      if (jsonSchema.default === false) delete jsonSchema.default
      // Only what a model sends needs an explanation.
      if (io === 'output') delete jsonSchema.description
    },
  })
  return shown as ObjectSchema
}
