/** Schemas as a model is shown them: every word of them is in each of its requests. */
import { z } from 'zod'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Of what a tool takes, or answers; as libraries have it, which know nothing of `readonly`. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Record<string, { [word: string]: Json }>
  readonly required?: string[]
  readonly [other: string]: unknown
}

/** Bounds are the service's to hold: it says which was crossed, and most never are. */
const unsaid = [
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

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      for (const word of unsaid) delete jsonSchema[word as keyof typeof jsonSchema]
      // What is there unless told otherwise, where that is nothing special.
      if (jsonSchema.default === false) delete jsonSchema.default
      // A model reads what it gets; only what it sends has to be explained.
      if (io === 'output') delete jsonSchema.description
    },
  })
  return shown as ObjectSchema
}
