import ipaddr from 'ipaddr.js'
import type { HttpRequest } from '../server/http.ts'

/**
 * Where a request comes from. Behind a reverse proxy it is what the proxy added last to
 * `X-Forwarded-For`; anything before that is what the client says of itself.
 */
export function addressOf(
  { remoteAddress, headers }: Pick<HttpRequest, 'remoteAddress' | 'headers'>,
  isBehindProxy: boolean,
): string {
  const last = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
  const address = isBehindProxy && last !== undefined && ipaddr.isValid(last) ? last : remoteAddress
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : '0.0.0.0'
}
