/** Schemas as a model is shown them: every word of them is in each of its requests. */
import type { JSONObject } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** As the protocol's library has it, which knows nothing of `readonly`. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Record<string, JSONObject>
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

/** Told in words; thirteen tools would name it. */
const rare: ReadonlySet<string> = new Set(['matches'])

const session = { type: 'string' }

/** What a tool takes: the fields of a command, and in which session. */
export function inputSchema(input: z.ZodType): ObjectSchema {
  const schema = jsonSchema(input, 'input')
  return { ...schema, properties: { ...schema.properties, session } }
}

/**
 * What a tool answers besides text: the output of a command, and in which session. Bytes have no
 * schema; they are sent as pictures.
 */
export function outputSchema(output: z.ZodType): ObjectSchema {
  const { properties, required } = jsonSchema(output, 'output')
  const isShown = (name: string) => !rare.has(name) && Object.keys(properties[name]!).length > 0
  return {
    type: 'object',
    properties: {
      session,
      ...Object.fromEntries(Object.entries(properties).filter(([name]) => isShown(name))),
    },
    required: ['session', ...(required ?? []).filter(isShown)],
  }
}

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
