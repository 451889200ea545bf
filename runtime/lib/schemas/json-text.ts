/**
 * JSON that an operator writes. An error message names the path and the expected type, but never a
 * value, which may be a secret.
 */
import { z } from 'zod'
import { issueText } from './issue-text.ts'

/** An object that may have only these fields. */
export const knownFields = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, unknownKeyHint(Object.keys(shape)))

/** An object with a value under some of these keys. */
export const knownKeys = <K extends string, V extends z.ZodType>(keys: readonly K[], value: V) =>
  z.partialRecord(z.enum(keys), value, unknownKeyHint(keys))

const unknownKeyHint = (known: readonly string[]) => ({
  error: ({ code }: { readonly code: string }) =>
    code === 'unrecognized_keys' ? `use ${known.join(', ')}` : undefined,
})

/** The text of a value of this schema, such as `example`. */
export const jsonText = <T>(schema: z.ZodType<T>, example: string) =>
  z.string().transform((text, context): T => {
    const result = schema.safeParse(parseOrUndefined(text))
    if (result.success) return result.data
    const { issues } = result.error
    // Unknown fields are reported first, because a misspelt field also causes a missing one.
    const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!
    context.addIssue(placedText(issue) ?? `use JSON such as ${example}`)
    return z.NEVER
  })

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text. No schema of an object accepts undefined.
    return undefined
  }
}

/** `mine.args[0] must be …`; undefined if the value as a whole is of the wrong type. */
function placedText(issue: z.core.$ZodIssue): string | undefined {
  const at = z.core.toDotPath(issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${z.core.toDotPath([...issue.path, issue.keys[0]!])} is not known: ${issue.message}`
    case 'custom':
      return `${at} ${issue.message}`
    default:
      return at === '' ? undefined : `${at} ${issueText(issue)}`
  }
}
