/** Failures of an authorization server, in kinds that can be acted on. */
import { accountLimits } from '../limits.ts'

/**
 * `denied`: a person refused. `expired`: the code or the device code is too old. `refused`: the
 * server does not accept a stored secret, such as a revoked refresh token. `misconfigured`: only
 * the operator can fix it. `unavailable`: a retry may succeed.
 */
export type OAuthFailureKind = 'denied' | 'expired' | 'refused' | 'misconfigured' | 'unavailable'

/** Without a cause: the library's errors contain responses, which contain tokens. */
export class OAuthFailure extends Error {
  readonly kind: OAuthFailureKind

  constructor(kind: OAuthFailureKind, message: string) {
    super(message)
    this.name = 'OAuthFailure'
    this.kind = kind
  }
}

const kinds: Readonly<Record<string, OAuthFailureKind>> = {
  access_denied: 'denied',
  expired_token: 'expired',
  invalid_grant: 'refused',
  server_error: 'unavailable',
  temporarily_unavailable: 'unavailable',
}

/** For an error of RFC 6749: its code, and the server's description if it is readable. */
export function oauthFailureOf(server: string, code: string, description = ''): OAuthFailure {
  const kind = Object.hasOwn(kinds, code) ? kinds[code]! : 'misconfigured'
  const words = [readableWords(code), readableWords(description)].filter((text) => text !== '')
  return new OAuthFailure(kind, `${server} said ${words.join(': ')}`)
}

/** A server's message, truncated and without control characters. */
export function readableWords(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]/g, ' ')
    .trim()
    .slice(0, accountLimits.oauthTextChars)
}
