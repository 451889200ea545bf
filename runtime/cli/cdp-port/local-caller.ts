/** Keeps web pages off the local port, which asks for no key. */
import type { IncomingMessage } from 'node:http'

/** Says why a request is refused; undefined for programs of this machine. */
export function callerRefusal({ headers }: IncomingMessage, port: number): string | undefined {
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`)
  const { host, origin } = headers
  // A page whose name was made to point here (DNS rebinding) sends that name.
  if (host === undefined || !hosts.includes(host.toLowerCase())) {
    return `The header Host must be ${hosts[0]}.`
  }
  // Some clients of sockets send the address that they dial.
  if (
    origin !== undefined &&
    !hosts.includes(origin.toLowerCase().replace(/^(http|ws):\/\//, ''))
  ) {
    return 'This is not for web pages: the Origin is foreign.'
  }
  // A link or an image of a page sends no Origin, but browsers tell where it comes from.
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    return 'This is not for web pages: the request comes from another site.'
  }
  return undefined
}
