/** Hides the values of a login in this document. */
import { veilPatterns } from '../masking/veil.ts'

/** `wholeWords`: short values are found as words only, since they occur everywhere by chance. */
export interface VeiledValue {
  readonly value: string
  readonly wholeWords: boolean
}

export const veilValues = (values: readonly VeiledValue[]): void =>
  veilPatterns(values.map(patternOf))

function patternOf({ value, wholeWords }: VeiledValue): RegExp {
  const escaped = value.trim().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const spaced = escaped.replace(/\s+/g, '\\s+')
  const text = wholeWords ? `(?<![\\p{L}\\p{N}])${spaced}(?![\\p{L}\\p{N}])` : spaced
  return new RegExp(text, wholeWords ? 'gu' : 'giu')
}
