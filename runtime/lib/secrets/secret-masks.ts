/**
 * Secrets by name. Models of tasks know the names only and write `<secret>name</secret>`; in
 * everything that comes from a page or goes into a record, values are replaced by that. Pure, and
 * never logged: the values are private fields.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { mapTexts } from './map-texts.ts'
import { secretFormsOf } from './secret-forms.ts'

const placeholder = /<secret>([A-Za-z0-9_.-]{1,64})<\/secret>/g
/** Also matches malformed placeholders, which must not be typed into a page. */
const mention = /<\s*\/?\s*secret\s*>/i

const placeholderOf = (name: string): string => `<secret>${name}</secret>`
export const mentionsSecret = (text: string): boolean => mention.test(text)

/** A pattern for a value; its group is absent if a placeholder was matched. */
interface Mask {
  readonly pattern: RegExp
  readonly name: string
}

export class SecretMasks {
  readonly names: readonly string[]
  readonly #values: ReadonlyMap<string, string>
  readonly #masks: readonly Mask[]

  constructor(values: Readonly<Record<string, string>>) {
    const all = Object.entries(values).filter(([, value]) => value.trim() !== '')
    this.names = all.map(([name]) => name)
    this.#values = new Map(all)
    // Longest first: a short value within a long one would leave the rest visible.
    const forms = all
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([name, value]) => ({ name, ...secretFormsOf(value) }))
    const inTexts = placeholders(this.names)
    this.#masks = [
      ...forms.flatMap(({ name, anyCase }) => maskOf(name, anyCase, 'giu', inTexts)),
      ...forms.flatMap(({ name, exact }) => maskOf(name, exact, 'gu', inTexts)),
    ]
  }

  /** Replaces every value, in any of its forms, by its placeholder. */
  mask(text: string): string {
    return this.#masks.reduce(
      (masked, { pattern, name }) =>
        masked.replace(pattern, (found: string, shown?: string) =>
          shown === undefined ? found : placeholderOf(name),
        ),
      text,
    )
  }

  /** The same for all texts of plain data, including keys. */
  maskAll<T>(value: T): T {
    if (this.#masks.length === 0) return value
    return mapTexts(
      value,
      (text) => this.mask(text),
      (number) => this.#maskNumber(number),
    )
  }

  /** True if a text shows a value; a placeholder does not count. */
  isIn(text: string): boolean {
    return this.mask(text) !== text
  }

  /** The text that is really typed. Refuses unknown names and malformed placeholders. */
  substitute(text: string, charsMost: number): string {
    const unknown = [...text.matchAll(placeholder)].find(([, name]) => !this.#values.has(name!))
    if (unknown) throw refusedError(`There is no secret ${unknown[1]}. ${this.#known()}`)
    if (mentionsSecret(text.replace(placeholder, ''))) {
      throw refusedError(
        `A secret is written <secret>name</secret> and nothing else. ${this.#known()}`,
      )
    }
    const glued = [...text.matchAll(placeholder)].find((found) => this.#isPartOfWord(text, found))
    if (glued)
      throw refusedError(`Secret ${glued[1]} is too short to have letters or digits beside it.`)
    const typed = text.replace(placeholder, (_, name: string) => this.#values.get(name)!)
    if (typed.length <= charsMost) return typed
    throw refusedError(`With its secrets the text is longer than ${charsMost} characters.`)
  }

  /** True if a short value is only a part of a word; then it is not masked. */
  #isPartOfWord(text: string, { 0: whole, 1: name, index }: RegExpExecArray): boolean {
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

  /** Short numbers are not masked: they are hardly secret, and readers need numbers. */
  #maskNumber(value: number): unknown {
    const text = String(value)
    return text.length >= limits.secretStrongChars && this.isIn(text) ? this.mask(text) : value
  }
}

/** Only this task's names, because a page could write a similar placeholder around a value. */
const placeholders = (names: readonly string[]): string =>
  `<secret>(?:${names.map((name) => name.replaceAll('.', '\\.')).join('|')})</secret>`

/**
 * Empty without forms. Placeholders are matched first, because a name is never a value. One pattern
 * per secret: the time of a combined pattern grows with the square of their number and blocks the
 * event loop.
 */
function maskOf(name: string, forms: readonly string[], flags: string, inTexts: string): Mask[] {
  if (forms.length === 0) return []
  return [{ name, pattern: new RegExp(`${inTexts}|(${forms.join('|')})`, flags) }]
}

const refusedError = (message: string) => new ServiceError('forbidden', message)
