/** The message of a zod issue about its field: `must be …`. It never contains the value. */
import type { z } from 'zod'

export function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value') return sentence(issue.message)
  return `must be ${issue.values.map((item) => JSON.stringify(item)).join(' or ')}`
}

/** Turns zod's "Invalid input: expected boolean, received string" into "must be of type boolean". */
function sentence(message: string): string {
  const expected = /^Invalid input: expected (.+), received (.+)$/.exec(message)
  if (expected) {
    const [, wanted, given] = expected
    return given === 'undefined' ? 'is required' : `must be of type ${wanted}, not ${given}`
  }
  const bound = /^Too (?:small|big): expected (\w+) to (be|have) ([<>])(=?)(.+)$/.exec(message)
  if (bound) {
    const [, kind, verb, sign, equal, amount] = bound
    const unit = verb === 'have' && kind === 'string' && !amount!.includes(' ') ? ' characters' : ''
    const words = equal
      ? sign === '<'
        ? 'at most'
        : 'at least'
      : sign === '<'
        ? 'less than'
        : 'more than'
    return `must ${verb} ${words} ${amount}${unit}`
  }
  return /^(must|cannot) /.test(message) ? message : `does not fit: ${message}`
}
