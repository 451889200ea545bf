/**
 * Reads the head of a connection piece by piece. What has come is kept here: Node announces bytes
 * that a stream holds again and again, so waiting for more of them would take all processor time.
 */
import type { Socket } from 'node:net'

export class SocketReader {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Exactly so many bytes; undefined if the connection ends before. */
  async take(count: number): Promise<Buffer | undefined> {
    if (!(await this.#has(count))) return undefined
    const taken = this.#bytes.subarray(0, count)
    this.#bytes = this.#bytes.subarray(count)
    return taken
  }

  /** The next byte, which is not taken. */
  async peek(): Promise<number | undefined> {
    return (await this.#has(1)) ? this.#bytes[0] : undefined
  }

  /** Puts back what was not taken, for the socket's next reader. */
  end(): void {
    if (this.#bytes.length > 0) this.#socket.unshift(this.#bytes)
    this.#bytes = Buffer.alloc(0)
  }

  async #has(count: number): Promise<boolean> {
    while (this.#bytes.length < count) {
      const chunk = this.#socket.read() as Buffer | null
      if (chunk) this.#bytes = Buffer.concat([this.#bytes, chunk])
      else if (!(await canRead(this.#socket))) return false
    }
    return true
  }
}

/** Resolves when there is more to read; false if nothing will come. */
function canRead(socket: Socket): Promise<boolean> {
  if (socket.destroyed || socket.readableEnded) return Promise.resolve(false)
  return new Promise((resolve) => {
    const more = () => tell(true)
    const none = () => tell(false)
    const tell = (is: boolean) => {
      socket.off('readable', more).off('end', none).off('close', none)
      resolve(is)
    }
    socket.on('readable', more).on('end', none).on('close', none)
  })
}

/**
 * Destroys the socket if the other side ends it, until the returned function is called: an end is
 * noticed only by a reader, and nothing is to be done for a browser that has left.
 */
export function destroyAtEnd(socket: Socket): () => void {
  const look = () => void socket.read(0)
  const leave = () => void socket.destroy()
  socket.on('readable', look).once('end', leave)
  return () => void socket.off('readable', look).off('end', leave)
}
