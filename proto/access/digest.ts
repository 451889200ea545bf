/** A hash (RFC 8785 (JCS) and SHA-256) of what a person was shown for a decision. */
import { createHash } from 'node:crypto'
import { canonicalize } from 'json-canonicalize'

/** Returns hex. `value` is plain JSON data. */
export function digestOf(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('only JSON data has a digest')
  return createHash('sha256').update(text).digest('hex')
}
