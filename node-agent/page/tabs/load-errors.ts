/** What Chromium's errors of loading mean, and what helps. */

/** By the code without its prefix; the first that matches. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^NAME_NOT_RESOLVED$/, 'there is no such name, or this host’s DNS does not know it'],
  [/^CONNECTION_REFUSED$/, 'nothing listens there'],
  [/^(CONNECTION_TIMED_OUT|TIMED_OUT)$/, 'no answer from there'],
  [/^(CONNECTION_RESET|CONNECTION_CLOSED|CONNECTION_ABORTED)$/, 'the other side hung up'],
  [/^EMPTY_RESPONSE$/, 'nothing listens there, or it hung up'],
  [/^(ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED|NETWORK_CHANGED)$/, 'no way leads there'],
  [/^ADDRESS_INVALID$/, 'this is no address that can be reached'],
  [/^UNSAFE_PORT$/, 'Chromium opens no pages on this port; serve it on another'],
  [/^CERT_DATE_INVALID$/, 'its certificate has expired or is not valid yet'],
  [/^CERT_COMMON_NAME_INVALID$/, 'its certificate is for another name'],
  [/^CERT_AUTHORITY_INVALID$/, 'no authority that this host trusts has signed its certificate'],
  [/^(CERT_|SSL_PINNED)/, 'its certificate is not accepted'],
  [/^SSL_(PROTOCOL_ERROR|VERSION)/, 'it does not speak TLS there; try http://'],
  [/^(SSL_|BAD_SSL)/, 'the TLS connection failed'],
  [/^TOO_MANY_REDIRECTS$/, 'it redirects in a circle, perhaps because a cookie is missing'],
  [/^INVALID_AUTH_CREDENTIALS$/, 'it asks for a user name and a password: https://NAME:PASSWORD@…'],
  [/^(FILE_NOT_FOUND|ACCESS_DENIED)$/, 'the host’s files are not visible here; upload one instead'],
  [/^BLOCKED_BY_ADMINISTRATOR$/, 'browsers of sessions do not open such addresses'],
  [/^BLOCKED_BY_(CLIENT|RESPONSE|CSP)/, 'the site or an extension forbids it here'],
  [/^(PROXY_|TUNNEL_|SOCKS_|NO_SUPPORTED_PROXIES)/, 'the session’s proxy did not connect it'],
  [/^(UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME|INVALID_URL)$/, 'this is no address of a page'],
  [/^(HTTP2_|QUIC_|INVALID_HTTP_RESPONSE|RESPONSE_HEADERS)/, 'its answer is not valid HTTP'],
  [/^INSUFFICIENT_RESOURCES$/, 'the browser has too many requests or too little memory'],
]

const acceptHint = 'a CDP client can accept it by Security.setIgnoreCertificateErrors'

/** ` (…)`, to be put behind the error; empty for one that says it all. */
export function meaningOf(error: string): string {
  const code = error.replace(/^net::ERR_/, '')
  const meaning = meanings.find(([pattern]) => pattern.test(code))?.[1]
  if (meaning === undefined) return ''
  return code.startsWith('CERT_') ? ` (${meaning}; ${acceptHint})` : ` (${meaning})`
}
