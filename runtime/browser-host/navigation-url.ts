/** Interprets an address without a scheme. Pure. */
import { isIP } from 'node:net'
import { ServiceError } from '../../proto/errors.ts'
import { addressSchemes } from '../../proto/session/session.ts'

/** `localhost:8080` looks like a scheme, `javascript:1` is one. */
const hostAndPort = /^(?!(javascript|data|about):)[^:/?#]+:\d{1,5}(?=[/?#]|$)/i
const scheme = /^([a-z][a-z0-9+.-]*):/i

/** Refuses schemes that would run code in the open page or show files of the browser's host. */
export function toNavigationUrl(given: string): string {
  const text = given.trim()
  const named = hostAndPort.test(text) ? undefined : scheme.exec(text)?.[1]
  if (named === undefined) return withScheme(text, given)
  if (!addressSchemes.test(named.toLowerCase())) {
    const message = `url may be an http, https, about or data URL, not a ${named} one.`
    throw new ServiceError('bad_request', message, { field: 'url' })
  }
  return parse(text, given).href
}

/** http for private hosts, which rarely have a certificate; https for all others. */
function withScheme(text: string, given: string): string {
  const rest = text.replace(/^\/\//, '')
  // An address must begin with its host; URL would take the first part of a path for it.
  const url = parse(rest.startsWith('/') ? '' : `https://${rest}`, given)
  const { hostname } = url
  const own =
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname.startsWith('[') ||
    isIP(hostname) !== 0
  return own ? parse(`http://${rest}`, given).href : url.href
}

function parse(text: string, given: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.hostname !== '' || !/^https?:$/.test(url.protocol))) return url
  const message = `url is not a URL: ${JSON.stringify(given.slice(0, 100))}.`
  throw new ServiceError('bad_request', message, { field: 'url' })
}
