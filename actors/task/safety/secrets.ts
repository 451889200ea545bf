/**
 * The secrets of one task. Models know them by name and write `<secret>name</secret>`; whatever
 * comes from a page or goes into a record has the values replaced by that. Pure, and never logged:
 * the values are private fields.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { formsOf } from './forms.ts'

const placeholder = /<secret>([A-Za-z0-9_.-]{1,64})<\/secret>/g
/** Also what is almost one: half of one typed into a page would tell nobody anything. */
const mention = /<\s*\/?\s*secret\s*>/i

const placeholderOf = (name: string): string => `<secret>${name}</secret>`
export const mentionsSecret = (text: string): boolean => mention.test(text)

/** What shows a value; its one group is there unless it is a placeholder that was met. */
interface Mask {
  readonly pattern: RegExp
  readonly name: string
}

export class Secrets {
  readonly names: readonly string[]
  readonly #values: ReadonlyMap<string, string>
  readonly #masks: readonly Mask[]

  constructor(values: Readonly<Record<string, string>>) {
    const all = Object.entries(values).filter(([, value]) => value.trim() !== '')
    this.names = all.map(([name]) => name)
    this.#values = new Map(all)
    // A short value may stand in a long one, and would leave the rest of it: the longest come first.
    const forms = all
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([name, value]) => ({ name, ...formsOf(value) }))
    const inTexts = placeholders(this.names)
    this.#masks = [
      ...forms.flatMap(({ name, anyCase }) => maskOf(name, anyCase, 'giu', inTexts)),
      ...forms.flatMap(({ name, exact }) => maskOf(name, exact, 'gu', inTexts)),
    ]
  }

  /** Every value, in any of its forms, becomes its placeholder. */
  mask(text: string): string {
    return this.#masks.reduce(
      (masked, { pattern, name }) =>
        masked.replace(pattern, (found: string, shown?: string) =>
          shown === undefined ? found : placeholderOf(name),
        ),
      text,
    )
  }

  /** The same for all texts of plain data, those of its keys included. */
  maskAll<T>(value: T): T {
    return this.#masks.length === 0 ? value : (this.#maskDeep(value) as T)
  }

  /** Whether a text shows a value; a placeholder is none. */
  isIn(text: string): boolean {
    return this.mask(text) !== text
  }

  /** What is really typed. Refuses names that are not there, and what is only like a placeholder. */
  substitute(text: string): string {
    const unknown = [...text.matchAll(placeholder)].find(([, name]) => !this.#values.has(name!))
    if (unknown) throw refused(`There is no secret ${unknown[1]}. ${this.#known()}`)
    if (mentionsSecret(text.replace(placeholder, ''))) {
      throw refused(`A secret is written <secret>name</secret> and nothing else. ${this.#known()}`)
    }
    const glued = [...text.matchAll(placeholder)].find((found) => this.#isGlued(text, found))
    if (glued) throw refused(`Secret ${glued[1]} is too short to have letters or digits beside it.`)
    const typed = text.replace(placeholder, (_, name: string) => this.#values.get(name)!)
    if (typed.length <= limits.typedChars) return typed
    throw refused(`With its secrets the text is longer than ${limits.typedChars} characters.`)
  }

  /** A short value is only known again as a word of its own. */
  #isGlued(text: string, { 0: whole, 1: name, index }: RegExpExecArray): boolean {
    if (this.#values.get(name!)!.length >= limits.secretStrongChars) return false
    const before = text.slice(0, index)
    const after = text.slice(index + whole.length)
    return /(?:[\p{L}\p{N}]|<\/secret>)$/u.test(before) || /^(?:[\p{L}\p{N}]|<secret>)/u.test(after)
  }

  #known(): string {
    return this.names.length === 0
      ? 'This task has no secrets.'
      : `This task has: ${this.names.join(', ')}.`
  }

  /** A small one is hardly a secret, and whoever counts with it wants a number. */
  #maskNumber(value: number): unknown {
    const text = String(value)
    return text.length >= limits.secretStrongChars && this.isIn(text) ? this.mask(text) : value
  }

  #maskDeep(value: unknown): unknown {
    if (typeof value === 'string') return this.mask(value)
    if (Array.isArray(value)) return value.map((one) => this.#maskDeep(one))
    if (typeof value === 'number') return this.#maskNumber(value)
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    const entries = Object.entries(value).map(([key, one]) => [this.mask(key), this.#maskDeep(one)])
    return Object.fromEntries(entries) as unknown
  }
}

/** Only those of this task: a page could write its like around a value. */
const placeholders = (names: readonly string[]): string =>
  `<secret>(?:${names.map((name) => name.replaceAll('.', '\\.')).join('|')})</secret>`

/**
 * None without forms. Placeholders come first in it: what stands in one is a name, whatever it says.
 * One pattern for each secret, for the time of one for all of them grows with the square of their
 * number, and whoever masks a page has nothing else done meanwhile.
 */
function maskOf(name: string, forms: readonly string[], flags: string, inTexts: string): Mask[] {
  if (forms.length === 0) return []
  return [{ name, pattern: new RegExp(`${inTexts}|(${forms.join('|')})`, flags) }]
}

const refused = (message: string) => new ServiceError('forbidden', message)
