/** Refuses requests of web pages, because the local port requires no key. */
import type { IncomingMessage } from 'node:http'

/** The reason why a request is refused; undefined for programs of this machine. */
export function callerRefusal({ headers }: IncomingMessage, port: number): string | undefined {
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`)
  const { host, origin } = headers
  // With DNS rebinding, a page's own host name resolves to this machine, and its requests send that
  // name as Host.
  if (host === undefined || !hosts.includes(host.toLowerCase())) {
    return `The header Host must be ${hosts[0]}.`
  }
  // Some WebSocket clients send the address that they dial as Origin.
  if (
    origin !== undefined &&
    !hosts.includes(origin.toLowerCase().replace(/^(http|ws):\/\//, ''))
  ) {
    return 'Web pages may not use this port: the Origin is foreign.'
  }
  // A link or an image of a page sends no Origin, but browsers send Sec-Fetch-Site.
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    return 'Web pages may not use this port: the request comes from another site.'
  }
  return undefined
}
