/**
 * An untrusted URL that the service will call: its text is validated before any look-up. The
 * resolved address is checked at each connection (`connection-guard.ts`).
 */
import { ServiceError } from '../../../../proto/errors.ts'
import { portOfUrl } from '../hosts.ts'
import type { Allowance } from './allowance.ts'
import { leadsToPrivateNetwork } from './internal-url.ts'

export interface UntrustedUrlRules {
  readonly allowance: Allowance
  /** `https:`, and `http:` if the operator allows it. */
  readonly protocols: readonly string[]
  readonly ports: readonly number[] | 'any'
  readonly charsMost: number
}

/**
 * URL parsers drop or change these characters, so a person would read another URL than the one
 * called.
 */
const ambiguousCharacter = /[\s\\\p{Cc}\p{Cf}]/u

/** Throws `url_not_allowed`, whose message says what to change; `pointer` names the field. */
export function checkUntrustedUrl(text: string, rules: UntrustedUrlRules, pointer = '/url'): URL {
  const fault = faultOf(text, rules)
  if (fault === undefined) return new URL(text)
  throw new ServiceError('url_not_allowed', `This URL cannot be used: ${fault}.`, {
    pointers: [pointer],
  })
}

function faultOf(text: string, rules: UntrustedUrlRules): string | undefined {
  if (text.length > rules.charsMost) return `it has more than ${rules.charsMost} characters`
  if (ambiguousCharacter.test(text))
    return 'it has white space, a backslash or an invisible character'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return 'it is not a URL'
  if (!rules.protocols.includes(url.protocol)) {
    return `it must begin with ${rules.protocols.map((one) => `${one}//`).join(' or ')}`
  }
  if (url.username !== '' || url.password !== '') return 'it has a user name or a password in it'
  if (text.includes('#')) return 'it has a fragment, which is never sent'
  const port = portOfUrl(url)
  if (rules.ports !== 'any' && !rules.ports.includes(port)) {
    return `its port must be ${rules.ports.join(' or ')}`
  }
  return leadsToPrivateNetwork(url, rules.allowance)
    ? 'its host is not on the public internet'
    : undefined
}
