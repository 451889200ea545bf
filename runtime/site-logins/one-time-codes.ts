/** One-time codes of logins (RFC 6238, RFC 4226), with the library otpauth. */
import { Secret, TOTP, URI } from 'otpauth'

/**
 * The `otpauth://` URI of a secret in base32, or of such a URI itself; undefined if it is neither. Codes
 * that count uses (`otpauth://hotp`) are not accepted: two hosts would count apart.
 */
export function otpauthUriOf(text: string): string | undefined {
  try {
    const given = text.trim()
    const codes = /^otpauth:/i.test(given)
      ? URI.parse(given)
      : new TOTP({ secret: Secret.fromBase32(given.replace(/[\s-]/g, '')) })
    const isUsable = codes instanceof TOTP && codes.secret.bytes.length > 0
    return isUsable ? codes.toString() : undefined
  } catch {
    return undefined
  }
}

export interface OneTimeCode {
  readonly code: string
  /** The number of its period since 1970. */
  readonly step: number
  /** Wall-clock ms at which it ends. */
  readonly untilMs: number
}

export function codeAt(uri: string, atMs: number): OneTimeCode {
  const totp = URI.parse(uri) as TOTP
  const step = totp.counter({ timestamp: atMs })
  const untilMs = (step + 1) * totp.period * 1_000
  return { code: totp.generate({ timestamp: atMs }), step, untilMs }
}
