/**
 * Validates JSON from outside before its schema does. Other people's programs read records later,
 * so problematic input is refused here, and text is normalised to NFC.
 */
import { accessLimits } from '../../proto/access/limits.ts'
import { ServiceError } from '../../proto/errors.ts'

const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** With the flag `u`, the two halves of a surrogate pair are one character. */
const loneSurrogate = /\p{Surrogate}/u

/** Returns a copy; throws `bad_request`. */
export function plainJson(value: unknown, depth = 1): unknown {
  if (typeof value === 'string') return plainText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > accessLimits.bodyDepth) {
    throw badInputError(`The body is nested more than ${accessLimits.bodyDepth} levels deep.`)
  }
  if (!Array.isArray(value)) return plainObject(value, depth)
  if (value.length > accessLimits.arrayItems) {
    throw badInputError(`A list can have at most ${accessLimits.arrayItems} items.`)
  }
  return value.map((item) => plainJson(item, depth + 1))
}

function plainObject(value: object, depth: number): unknown {
  const fields = new Map<string, unknown>()
  for (const [key, item] of Object.entries(value)) {
    const name = plainText(key)
    if (refusedKeys.has(name)) throw badInputError(`A field cannot be called ${name}.`)
    if (fields.has(name)) throw badInputError('The body has one field twice, in two spellings.')
    fields.set(name, plainJson(item, depth + 1))
  }
  return Object.fromEntries(fields)
}

function plainText(text: string): string {
  if (text.includes('\0')) throw badInputError('The body contains a NUL character.')
  if (loneSurrogate.test(text)) throw badInputError('The body contains an unpaired surrogate.')
  return text.normalize('NFC')
}

function badInputError(message: string): ServiceError {
  return new ServiceError('bad_request', message)
}
