/**
 * What the answers of a session with a mask must not have: what matches its patterns, and the texts of the
 * elements that it hides. Patterns are a tenant's and what they are tried on is a page's, so RE2 does it,
 * whose time grows with the text alone.
 */
import { randomUUID } from 'node:crypto'
import type { RE2JS } from 're2js'
import type { SensitiveMask } from '../../proto/session/setup/masking.ts'
import { mapTexts } from '../../runtime/lib/secrets/map-texts.ts'
import { patternOfText } from './text-pattern.ts'
import type { PageMask } from '../in-page/masking/mask-rules.ts'
import { maskLimits } from './limits.ts'
import { cardNumber, ownSelectors } from './own-rules.ts'
import { refusedMask } from './refused-mask.ts'

interface CompiledPattern {
  readonly regex: RE2JS
  readonly replacement: string
}

/** What stands for a text of an element. */
const textMask = '****'

export class SensitiveTexts {
  /** What its pages are told. */
  readonly page: PageMask
  readonly #patterns: readonly CompiledPattern[]
  /** With what finds them; in the order in which they were seen last. */
  readonly #texts = new Map<string, RegExp>()
  /** The longest first: it may have a short one in it. */
  #inOrder: readonly RegExp[] = []

  private constructor(page: PageMask, patterns: readonly CompiledPattern[]) {
    this.page = page
    this.#patterns = patterns
  }

  /** Throws `bad_request` for a pattern that RE2 does not know. */
  static async of({ selectors = [], siteSelectors = {}, patterns = [] }: SensitiveMask) {
    // A quarter of a megabyte, which few sessions need.
    const { Matcher, RE2JS } = await import('re2js')
    const all = [...patterns, { regex: cardNumber, mask: textMask }]
    const compiled = all.map(({ regex, mask }) => {
      try {
        return { regex: RE2JS.compile(regex), replacement: Matcher.quoteReplacement(mask) }
      } catch (cause) {
        throw refusedMask('custom_patterns', regex, cause)
      }
    })
    const page = {
      selectors: [...ownSelectors, ...selectors],
      siteSelectors,
      patterns: all.map(({ regex }) => regex),
      rootEvent: randomUUID(),
    }
    return new SensitiveTexts(page, compiled)
  }

  learn(texts: readonly string[]): void {
    for (const text of texts) {
      if (text.length < maskLimits.textCharsLeast) continue
      const pattern = this.#texts.get(text) ?? patternOfText(text)
      this.#texts.delete(text)
      this.#texts.set(text, pattern)
    }
    const tooMany = Math.max(0, this.#texts.size - maskLimits.textsRemembered)
    for (const text of [...this.#texts.keys()].slice(0, tooMany)) this.#texts.delete(text)
    const longestFirst = [...this.#texts].sort(([a], [b]) => b.length - a.length)
    this.#inOrder = longestFirst.map(([, pattern]) => pattern)
  }

  maskAll<T>(value: T): T {
    return mapTexts(value, (text) =>
      this.#mask(this.#inOrder.reduce((masked, one) => masked.replace(one, textMask), text)),
    )
  }

  #mask(text: string): string {
    return this.#patterns.reduce(
      (masked, { regex, replacement }) => regex.matcher(masked).replaceAll(replacement),
      text,
    )
  }
}
