import type { BrowserDialer } from './channel.ts'
import { dataUrl, type DataAccess } from './data-url.ts'
import { dialUpgrade } from './stream.ts'
import { dialsInTurn, dialUrl, getFileAt, getUrl } from './web-socket.ts'

/** Dials the data port of the agent that holds the browser. */
export function directDialer(access: DataAccess): BrowserDialer {
  return {
    dial: dialsInTurn((path, listener) =>
      dialUrl(dataUrl(access, 'cdp', path).replace(/^http/, 'ws'), listener),
    ),
    dialDesktop: (listener) => dialUpgrade(dataUrl(access, 'vnc', '/'), 'rfb', listener),
    get: (path) => getUrl(dataUrl(access, 'http', path)),
    getFile: (path) => getFileAt(dataUrl(access, 'http', path)),
  }
}
