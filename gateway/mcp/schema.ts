/** What a tool of ours takes and answers, as clients are told. */
import type { z } from 'zod'
import { jsonSchema, type ObjectSchema } from '../../proto/commands/schema.ts'

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
