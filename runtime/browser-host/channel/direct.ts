import type { BrowserDialer } from './channel.ts'
import { dataUrl, type DataAccess } from './data-url.ts'
import { dialTurns } from './dial-turns.ts'
import { dialUpgrade } from './stream.ts'
import { dialUrl, getFileAt, getUrl } from './web-socket.ts'

/** Dials the data port of the agent that holds the browser. */
export function directDialer(access: DataAccess): BrowserDialer {
  const inTurn = dialTurns()
  // Each URL has a ticket, which does not live as long as a turn may take to come.
  const http = (path: string) => dataUrl(access, 'http', path)
  const ws = (path: string) => dataUrl(access, 'cdp', path).replace(/^http/, 'ws')
  return {
    dial: (path, listener) => inTurn((timeoutMs) => dialUrl(ws(path), listener, { timeoutMs })),
    dialDesktop: (listener) => dialUpgrade(dataUrl(access, 'vnc', '/'), 'rfb', listener),
    get: (path) => inTurn((timeoutMs) => getUrl(http(path), { timeoutMs })),
    getFile: (path) => inTurn((timeoutMs) => getFileAt(http(path), { timeoutMs })),
  }
}
