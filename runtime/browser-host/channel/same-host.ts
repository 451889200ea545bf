import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import { DialFailed, type BrowserDialer } from './channel.ts'
import { dialTurns } from './dial-turns.ts'
import { dialSocket } from './stream.ts'
import { dialUrl, getFileAt, getUrl } from './web-socket.ts'

/**
 * Dials Chromium's DevTools and the desktop's socket directly, for a process on the same machine.
 */
export function sameHostDialer({
  devtoolsPort,
  devtoolsSocket: unixSocket,
  display,
}: BrowserClaim): BrowserDialer {
  const inTurn = dialTurns()
  const ws = (path: string) => `ws://127.0.0.1:${devtoolsPort}${path}`
  const http = (path: string) => `http://127.0.0.1:${devtoolsPort}${path}`
  return {
    dial: (path, listener) =>
      inTurn((timeoutMs) => dialUrl(ws(path), listener, { unixSocket, timeoutMs })),
    async dialDesktop(listener) {
      if (!display) throw new DialFailed('it has no desktop', true)
      return dialSocket(display.vncSocket, listener)
    },
    get: (path) => inTurn((timeoutMs) => getUrl(http(path), { unixSocket, timeoutMs })),
    getFile: (path) => inTurn((timeoutMs) => getFileAt(http(path), { unixSocket, timeoutMs })),
  }
}
