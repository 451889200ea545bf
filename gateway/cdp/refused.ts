/**
 * Calls of CDP that no client may make. Chromium opens them to every connection, and they reach
 * past the session: onto the browser's host, into other browsers there, or around this gateway.
 */
const domains = [
  // Loads what is on the host into the browser, and takes the network policy out of it.
  'Extensions.',
  // Listens on a port of the host.
  'Tethering.',
  // Looks for devices in the network of the host, and sends them the desktop.
  'Cast.',
] as const

const methods: ReadonlySet<string> = new Set([
  // Gives a page the whole protocol, past whoever reads the client's messages.
  'Target.exposeDevToolsProtocol',
  // Connects the browser to the DevTools port of any other.
  'Target.setRemoteLocations',
])

export function isRefused(method: string): boolean {
  return methods.has(method) || domains.some((domain) => method.startsWith(domain))
}
