/**
 * A connection of the gateway to itself, there only to be corked. Upgrades are written meanwhile,
 * which keeps them clear of a fault of the library (uWebSockets' issue 1928, mended in 20.79): when
 * a response is corked and becomes a WebSocket, its freed memory is read as the state of a request,
 * and now and then that says to close the connection. The client then sees its new socket end with
 * 1006. The price is that an upgrade's few lines are written piece by piece.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import type { Handle, Library, UwsResponse } from './library.ts'

const loopback = '127.0.0.1'

export class Cork {
  readonly #held: UwsResponse
  #isGone = false

  private constructor(held: UwsResponse) {
    this.#held = held
    held.onAborted(() => {
      this.#isGone = true
    })
  }

  static open({ App, us_listen_socket_close, us_socket_local_port }: Library): Promise<Cork> {
    return new Promise((resolve, reject) => {
      // On a path nobody can guess, so that the request is our own. It is never answered.
      const path = `/${randomUUID()}`
      let listener: Handle
      const app = App().get(path, (held) => {
        us_listen_socket_close(listener)
        resolve(new Cork(held))
      })
      app.listen(loopback, 0, (socket) => {
        if (!socket) return reject(new Error('No port on loopback can be listened on.'))
        listener = socket
        const port = us_socket_local_port(socket)
        const client = connect({ host: loopback, port })
        // Before there is an answer it matters; later the other end has just been closed.
        client.on('error', reject)
        client.write(`GET ${path} HTTP/1.1\r\nHost: ${loopback}\r\n\r\n`)
      })
    })
  }

  /** Runs `work`, which writes to `res` or makes a socket of it. */
  around(res: UwsResponse, work: () => void): void {
    if (this.#isGone) res.cork(work)
    else this.#held.cork(work)
  }

  close(): void {
    if (!this.#isGone) this.#held.close()
  }
}
