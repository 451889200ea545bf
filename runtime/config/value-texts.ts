/** Schemas of texts that settings and options of commands take. Messages start with `use`. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { isToken } from '../../proto/ids.ts'

const countMost = 1e9

export const anyText = z.string()

export const textThat = (isValid: (text: string) => boolean, expected: string) =>
  z.string().refine(isValid, expected)

export const folderText = z.string().transform((path) => resolve(path))

export const tokenText = textThat(isToken, 'use letters, digits, - and _, at most 64')

export const urlText = textThat(
  (text) => /^(https?|wss?):\/\//.test(text) && URL.canParse(text),
  'use a URL such as https://browsers.example.com',
).transform((url) => url.replace(/\/+$/, ''))

/** Servers of NATS, comma-separated; each with or without its scheme. */
export const natsUrlText = textThat(
  (text) => text.split(',').every((url) => isNatsUrl(url.trim())),
  'use nats://host:4222 (or tls://…), several with commas between them',
)

function isNatsUrl(text: string): boolean {
  const url = text.includes('://') ? text : `nats://${text}`
  if (!/^(nats|tls):\/\/[^/]/.test(url) || !URL.canParse(url)) return false
  // The parser of URLs accepts any text as the host of a scheme that it does not know.
  return URL.canParse(url.replace(/^\w+:/, 'http:')) && ['', '/'].includes(new URL(url).pathname)
}

export const flagText = z.stringbool({
  truthy: ['1', 'true', 'yes', 'on'],
  falsy: ['0', 'false', 'no', 'off'],
  error: 'use 1 or 0',
})

export const countText = (least = 0, what = 'a whole number') =>
  wholeNumber(least, countMost, `use ${what} from ${least} up`)

export const portText = wholeNumber(0, 65_535, 'use a port from 0 to 65535')

export const oneOf = <const T extends string>(values: readonly T[]) =>
  z.enum(values, `use one of ${values.join(', ')}`)

/** A label of a host: a word, or a name and a value. */
export const labelText = z
  .string()
  .regex(/^[\w.-]{1,63}(=[\w.-]{1,63})?$/, 'use words as in zone=a, gpu')

/** Comma-separated. */
export const listText = <T>(item: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text): readonly string[] => text.split(',').map((each) => each.trim()))
    .pipe(z.array(item).readonly())

function wholeNumber(least: number, most: number, expected: string) {
  const isWithin = (value: number) => Number.isInteger(value) && value >= least && value <= most
  return textThat((text) => text.trim() !== '' && isWithin(Number(text)), expected).transform(
    Number,
  )
}
