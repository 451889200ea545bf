import type { z } from 'zod'
import { UsageError } from '../command.ts'

/** The value of an option's text, by a schema of `config/value-texts.ts`. */
export function parseOption<T>(option: string, text: string, schema: z.ZodType<T, string>): T {
  const result = schema.safeParse(text)
  if (result.success) return result.data
  const expected = result.error.issues[0]!.message.replace(/^use /, '')
  throw new UsageError(`--${option} takes ${expected}`)
}
