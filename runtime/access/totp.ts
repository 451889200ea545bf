/** Codes of an authenticator app (RFC 6238), by the library otpauth. */
import { Secret, TOTP } from 'otpauth'

const issuer = 'Troupe'
/** Thirty seconds before and after: clocks differ. */
const windowSteps = 1

/** What a person's secret is sealed for. */
export const totpPlace = (personId: string): readonly string[] => ['totp', personId]

export interface NewTotp {
  /** Base32, to be kept sealed. */
  readonly secret: string
  /** `otpauth://totp/…`, for a QR code. */
  readonly url: string
}

export function newTotp(label: string): NewTotp {
  const secret = new Secret({ size: 20 })
  return { secret: secret.base32, url: new TOTP({ issuer, label, secret }).toString() }
}

/**
 * The step of half a minute that a code is of; undefined for one that does not fit. Whoever takes
 * the code remembers the step: a code is good once (RFC 6238, section 5.2).
 */
export function stepOfCode(secret: string, code: string, atMs: number): number | undefined {
  const totp = new TOTP({ issuer, secret: Secret.fromBase32(secret) })
  const token = code.replaceAll(' ', '')
  const delta = totp.validate({ token, window: windowSteps, timestamp: atMs })
  return delta === null ? undefined : totp.counter({ timestamp: atMs }) + delta
}
