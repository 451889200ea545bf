/**
 * The target of a command on an element: a ref of a snapshot (`e12`), a role and a name as a
 * snapshot writes them (`button "Save"`), words that the page shows (`text "Total"`), or a CSS
 * selector. All are one text, and the kind is recognised from its form.
 */
import { z } from 'zod'
import { commandLimits } from './limits.ts'
import { exactlyOne } from './requires.ts'

export const targetSchema = z
  .string()
  .min(1)
  .max(commandLimits.selectorChars)
  .describe('Ref (e12), button "Save", text "Total" or CSS.')

export type ParsedTarget =
  | { readonly kind: 'ref'; readonly ref: string }
  | { readonly kind: 'role'; readonly role: string; readonly name: string }
  /** Words that the page shows; no element of a snapshot has `text` as its role. */
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'css'; readonly selector: string }

const refText = /^e\d+$/
const roleText = /^([a-z]+) "(.*)"$/s

export function parseTarget(text: string): ParsedTarget {
  if (refText.test(text)) return { kind: 'ref', ref: text }
  const [, role, name] = roleText.exec(text) ?? []
  if (role === 'text') return { kind: 'words', words: name! }
  if (role !== undefined) return { kind: 'role', role, name: name! }
  return { kind: 'css', selector: text }
}

/** Models see `target` only; REST also accepts `selector` as its alias. */
export function withTarget<S extends z.ZodRawShape>(fields: S) {
  return z
    .object({ target: targetSchema.optional(), selector: targetSchema.optional(), ...fields })
    .superRefine((input, context) => {
      const { target, selector } = input as { target?: string; selector?: string }
      if ((target === undefined) === (selector === undefined)) {
        const message = 'must be given alone: a ref, a role and name, words, or a CSS selector'
        context.addIssue({ code: 'custom', path: ['target'], message })
      }
    })
    .meta(exactlyOne(['target'], ['selector']))
}

/** The value of `target` or its alias `selector`. */
export const targetOfInput = (input: {
  target?: string | undefined
  selector?: string | undefined
}) => (input.target ?? input.selector)!
