import ipaddr from 'ipaddr.js'
import type { HttpRequest } from '../server/http.ts'

/**
 * The client's address. Behind a reverse proxy it is the last entry of `X-Forwarded-For`, which the
 * proxy added; the entries before it come from the client and are not trusted.
 */
export function clientAddressOf(
  { remoteAddress, headers }: Pick<HttpRequest, 'remoteAddress' | 'headers'>,
  isBehindProxy: boolean,
): string {
  const last = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
  const address = isBehindProxy && last !== undefined && ipaddr.isValid(last) ? last : remoteAddress
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : '0.0.0.0'
}
