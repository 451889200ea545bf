/**
 * For whom passkeys are made: the name of this service, which browsers hold each of them against.
 * They take a name alone, never an address of digits, on https or on this machine.
 */
import { isIP } from 'node:net'
import { ServiceError } from '../../../proto/errors.ts'

export interface RelyingParty {
  /** `access.example.com` */
  readonly id: string
  /** `https://access.example.com` */
  readonly origin: string
}

/**
 * `address`: how people reach this service (`PUBLIC_URL`, else where the request came to). Undefined
 * where passkeys cannot be: without `PUBLIC_URL` only `localhost` is a name that nobody else has.
 */
export function relyingParty(address: string, hasPublicUrl: boolean): RelyingParty | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname, origin } = new URL(address)
  if (hostname === 'localhost') return { id: hostname, origin }
  const isName = isIP(hostname) === 0 && !hostname.startsWith('[')
  return hasPublicUrl && protocol === 'https:' && isName ? { id: hostname, origin } : undefined
}

export const noRelyingParty = (): ServiceError =>
  new ServiceError(
    'conflict',
    'Passkeys need a name and https: set PUBLIC_URL to one, or on this machine open ' +
      'http://localhost in place of http://127.0.0.1.',
  )
