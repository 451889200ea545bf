import type { BrowserClaim } from '../../proto/node.ts'
import type { Door } from './channel.ts'
import { dialUrl, getUrl } from './web-socket.ts'

/** Straight to Chromium's DevTools port: for a process that shares its loopback. */
export function sameHostDoor({ devtoolsPort }: BrowserClaim): Door {
  const authority = `127.0.0.1:${devtoolsPort}`
  return {
    dial: (path, listener) => dialUrl(`ws://${authority}${path}`, listener),
    get: (path) => getUrl(`http://${authority}${path}`),
  }
}
