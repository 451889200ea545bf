import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import { DialFailed, type BrowserDialer } from './channel.ts'
import { dialSocket } from './stream.ts'
import { dialsInTurn, dialUrl, getFileAt, getUrl } from './web-socket.ts'

/**
 * Dials Chromium's DevTools and the desktop's socket directly, for a process on the same machine.
 */
export function sameHostDialer({
  devtoolsPort,
  devtoolsSocket,
  display,
}: BrowserClaim): BrowserDialer {
  const authority = `127.0.0.1:${devtoolsPort}`
  return {
    dial: dialsInTurn((path, listener) =>
      dialUrl(`ws://${authority}${path}`, listener, devtoolsSocket),
    ),
    async dialDesktop(listener) {
      if (!display) throw new DialFailed('it has no desktop', true)
      return dialSocket(display.vncSocket, listener)
    },
    get: (path) => getUrl(`http://${authority}${path}`, { unixSocket: devtoolsSocket }),
    getFile: (path) => getFileAt(`http://${authority}${path}`, devtoolsSocket),
  }
}
