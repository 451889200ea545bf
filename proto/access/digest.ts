/** What a person was shown when deciding, as one hash: RFC 8785 (JCS) and SHA-256. */
import { createHash } from 'node:crypto'
import { canonicalize } from 'json-canonicalize'

/** Hex. `value` is plain JSON data. */
export function digestOf(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('only JSON data has a digest')
  return createHash('sha256').update(text).digest('hex')
}
