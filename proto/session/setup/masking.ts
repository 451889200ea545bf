/** What pages show that viewers and models are not to see: `sensitive_data_mask`. */
import { z } from 'zod'
import { hostSchema } from '../domain.ts'
import { sessionLimits } from '../limits.ts'

/** What stands in a text for what a pattern matches. */
const usualMask = '****'

const selectorSchema = z
  .string()
  .min(1)
  .max(sessionLimits.maskSelectorChars)
  .refine((text) => !/::|:(before|after|first-line|first-letter)\b/i.test(text), {
    error: 'must select elements, whose ::before and ::after are hidden with them',
  })
const selectorsSchema = z.array(selectorSchema).max(sessionLimits.maskSelectors)

const patternSchema = z.strictObject({
  regex: z
    .string()
    .min(1)
    .max(sessionLimits.maskPatternChars)
    .refine((text) => regexOf(text) !== undefined, 'must be a regular expression')
    .refine((text) => !/\(\?(<?[=!])|\\([1-9]|k<)/.test(text), {
      error: 'cannot have lookarounds or backreferences, which take unbounded time',
    })
    .refine((text) => regexOf(text)?.test('') !== true, {
      error: 'cannot match the empty text',
    }),
  mask: z
    .string()
    .min(1)
    .max(sessionLimits.maskChars)
    .optional()
    .describe(`What stands in its place in texts; default ${usualMask}.`),
})

export const maskSchema = z
  .strictObject({
    active: z.boolean().optional(),
    custom_selectors: selectorsSchema
      .optional()
      .describe('Elements, by CSS selectors, on every page.'),
    site_selectors: z
      .record(hostSchema('bank.example'), selectorsSchema)
      .refine((sites) => Object.keys(sites).length <= sessionLimits.maskSites, {
        error: `must have at most ${sessionLimits.maskSites} hosts`,
      })
      .optional()
      .describe('The same by host, with its subdomains: `{"bank.example": [".iban"]}`.'),
    custom_patterns: z.array(patternSchema).max(sessionLimits.maskPatterns).optional(),
  })
  .refine(({ active, ...lists }) => active !== undefined || Object.keys(lists).length === 0, {
    path: ['active'],
    error: 'must be true for a mask, or false for none',
  })

/** Only what was asked for. */
export interface SensitiveMask {
  readonly selectors?: readonly string[]
  readonly siteSelectors?: Readonly<Record<string, readonly string[]>>
  readonly patterns?: readonly MaskPattern[]
}

export interface MaskPattern {
  readonly regex: string
  readonly mask: string
}

/** Undefined if it is not active. */
export function maskOf(body: z.output<typeof maskSchema> = {}): SensitiveMask | undefined {
  const { active, custom_selectors, site_selectors, custom_patterns } = body
  if (!active) return undefined
  return {
    ...(custom_selectors?.length && { selectors: custom_selectors }),
    ...(site_selectors && {
      siteSelectors: Object.fromEntries(
        Object.entries(site_selectors).map(([site, own]) => [site.toLowerCase(), own]),
      ),
    }),
    ...(custom_patterns?.length && {
      patterns: custom_patterns.map(({ regex, mask = usualMask }) => ({ regex, mask })),
    }),
  }
}

/** In the form of the creation body. */
export const maskConfiguration = ({ selectors, siteSelectors, patterns }: SensitiveMask) => ({
  active: true,
  ...(selectors && { custom_selectors: selectors }),
  ...(siteSelectors && { site_selectors: siteSelectors }),
  ...(patterns && { custom_patterns: patterns }),
})

/** Properties of characters (`\p{L}`) are known with the flag `u` only; without it, needless escapes are allowed. */
function regexOf(text: string): RegExp | undefined {
  try {
    return new RegExp(text, /\\p/i.test(text) ? 'u' : '')
  } catch {
    // Not one.
    return undefined
  }
}
