/**
 * Secret texts of Surface A: `spat_` access tokens, `spas_` sign-ins of people, `spai_`
 * invitations. Each has 30 random base62 characters (178 bits) and 6 of a CRC32, so that scanners
 * for leaked secrets find them (`spa[tsi]_[0-9A-Za-z]{36}`) and malformed ones are refused without
 * a look-up.
 */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const secretKinds = { token: 'spat_', session: 'spas_', invitation: 'spai_' } as const
export type SecretKind = keyof typeof secretKinds
const kinds = Object.keys(secretKinds) as readonly SecretKind[]

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomChars = 30
const checkChars = 6
const pattern = /^spa[tsi]_[0-9A-Za-z]{36}$/

export interface SecretText {
  /** Shown once and not stored. */
  readonly text: string
  /** SHA-256 in hex: 178 random bits need no slow hash. */
  readonly hash: string
  /** `spat_…1a2B`, for display. */
  readonly hint: string
}

export function newSecretText(kind: SecretKind): SecretText {
  const body = secretKinds[kind] + randomText()
  const text = body + checkOf(body)
  return { text, hash: hashSecretText(text), hint: secretHint(text) }
}

/** The hash of the text; undefined, without a look-up, if it is not a well-formed secret. */
export function parseSecretText(kind: SecretKind, text: string): string | undefined {
  if (!pattern.test(text) || !text.startsWith(secretKinds[kind])) return undefined
  const body = text.slice(0, -checkChars)
  return checkOf(body) === text.slice(-checkChars) ? hashSecretText(text) : undefined
}

const anywhere = /spa[tsi]_[0-9A-Za-z]{36}/

/**
 * True if the text contains something that looks like a secret, even with a wrong checksum; such
 * text must not be logged.
 */
export const hasSecretText = (text: string): boolean => anywhere.test(text)

const everywhere = new RegExp(anywhere, 'g')

/** The well-formed secrets in a text, of any kind. */
export const secretTextsIn = (text: string): readonly string[] =>
  (text.match(everywhere) ?? []).filter((found) =>
    kinds.some((kind) => parseSecretText(kind, found) !== undefined),
  )

export const hashSecretText = (text: string): string =>
  createHash('sha256').update(text).digest('hex')
const secretHint = (text: string): string => `${text.slice(0, 5)}…${text.slice(-4)}`

/** Rejection sampling: a remainder would favour the first characters. */
function randomText(): string {
  let text = ''
  while (text.length < randomChars) {
    for (const byte of randomBytes(randomChars)) {
      if (byte < 248 && text.length < randomChars) text += digits[byte % 62]
    }
  }
  return text
}

function checkOf(body: string): string {
  let text = ''
  for (let rest = crc32(body), i = 0; i < checkChars; i++, rest = Math.floor(rest / 62)) {
    text = digits[rest % 62] + text
  }
  return text
}
