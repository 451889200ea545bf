/**
 * The relying party of passkeys: the name of this service, to which browsers bind them. It must be
 * a host name, not an IP address, with https or on this machine.
 */
import { isIP } from 'node:net'
import { ServiceError } from '../../../proto/errors.ts'

export interface RelyingParty {
  /** For example `access.example.com`. */
  readonly id: string
  /** For example `https://access.example.com`. */
  readonly origin: string
}

/**
 * `address` is the service's public address: `PUBLIC_URL`, or that of the request. Undefined if
 * passkeys are not possible: without `PUBLIC_URL` only `localhost` is certain to be this service.
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
    'Passkeys require https and a host name: set PUBLIC_URL to such a URL or, on this machine, ' +
      'open http://localhost instead of http://127.0.0.1.',
  )
