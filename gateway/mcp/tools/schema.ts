/** The JSON schemas of the tools' inputs and outputs. */
import type { z } from 'zod'
import { jsonSchema, type ObjectSchema } from '../../../proto/commands/schema.ts'

/**
 * Left out of the schemas and mentioned in the text instead, because thirteen tools would repeat
 * them.
 */
const rare: ReadonlySet<string> = new Set(['dialog', 'matches', 'note', 'opened'])

const session = { type: 'string' }

/** The input of a tool: the fields of its command, and the session. */
export function inputSchema(input: z.ZodType): ObjectSchema {
  const schema = jsonSchema(input, 'input')
  return { ...schema, properties: { ...schema.properties, session } }
}

/**
 * The structured output of a tool: the output of its command, and the session. Bytes have no
 * schema, because they are sent as images.
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
