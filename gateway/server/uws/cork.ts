/**
 * A connection of the gateway to itself that exists only to be corked. Upgrades are written while
 * it is corked, which avoids a bug of the library (uWebSockets issue 1928, fixed in 20.79): when a
 * corked response becomes a WebSocket, its freed memory is read as the state of a request, which
 * sometimes says to close the connection. The client then sees its new socket close with 1006. The
 * cost is that the few lines of an upgrade are written one by one.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { contained } from '../../../runtime/lib/network/contained.ts'
import type { UwsHandle, Library, UwsResponse } from './library.ts'

const loopback = '127.0.0.1'

export class CorkedWriter {
  readonly #held: UwsResponse
  #isGone = false

  private constructor(held: UwsResponse) {
    this.#held = held
    held.onAborted(() => {
      this.#isGone = true
    })
  }

  static open({
    App,
    us_listen_socket_close,
    us_socket_local_port,
  }: Library): Promise<CorkedWriter> {
    return new Promise((resolve, reject) => {
      // The path is random, so the only request for it is our own. It is never answered.
      const path = `/${randomUUID()}`
      let listener: UwsHandle
      const app = App().get(path, (held) => {
        us_listen_socket_close(listener)
        resolve(new CorkedWriter(held))
      })
      app.listen(loopback, 0, (socket) => {
        if (!socket) return reject(new Error('No port on loopback can be listened on.'))
        listener = socket
        const port = us_socket_local_port(socket)
        const client = contained(connect({ host: loopback, port }))
        // Rejects only before the connection is made; a later error means that the other end was
        // closed.
        client.on('error', reject)
        client.write(`GET ${path} HTTP/1.1\r\nHost: ${loopback}\r\n\r\n`)
      })
    })
  }

  /** Runs `work`, which writes to `res` or upgrades it to a WebSocket. */
  around(res: UwsResponse, work: () => void): void {
    if (this.#isGone) res.cork(work)
    else this.#held.cork(work)
  }

  close(): void {
    if (!this.#isGone) this.#held.close()
  }
}
