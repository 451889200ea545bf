/** Codes of an authenticator app (RFC 6238), with the library otpauth. */
import { Secret, TOTP } from 'otpauth'

const issuer = 'Troupe'
/** 30 seconds before and after, because clocks differ. */
const windowSteps = 1

/** The purpose that a person's secret is sealed for. */
export const totpPlace = (personId: string): readonly string[] => ['totp', personId]

export interface NewTotp {
  /** Base32; has to be sealed before it is stored. */
  readonly secret: string
  /** `otpauth://totp/…`, for a QR code. */
  readonly url: string
}

export function newTotp(label: string): NewTotp {
  const secret = new Secret({ size: 20 })
  return { secret: secret.base32, url: new TOTP({ issuer, label, secret }).toString() }
}

/**
 * The 30-second step of a code; undefined if the code is wrong. The caller stores the step, because
 * a code may be accepted only once (RFC 6238, section 5.2).
 */
export function stepOfCode(secret: string, code: string, atMs: number): number | undefined {
  const totp = new TOTP({ issuer, secret: Secret.fromBase32(secret) })
  const token = code.replaceAll(' ', '')
  const delta = totp.validate({ token, window: windowSteps, timestamp: atMs })
  return delta === null ? undefined : totp.counter({ timestamp: atMs }) + delta
}
