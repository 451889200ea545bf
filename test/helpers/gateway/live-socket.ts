/** A live view without a page: its socket, with a bare RFB client on it. */
import { once } from 'node:events'
import WebSocket from 'ws'
import { until } from '../lib/until.ts'

type Told = Readonly<Record<string, unknown>> & { readonly type: string }

export interface Screen {
  readonly width: number
  readonly height: number
}

export class LiveSocket {
  readonly told: Told[] = []
  /** Binary frames in the order of arrival. */
  readonly shown: Buffer[] = []
  /** Receives the binary frames from now on, instead of the list. */
  onShown: ((data: Buffer) => void) | undefined
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  readonly #socket: WebSocket

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('error', () => undefined) // What matters of an error is the close that follows it.
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary && this.onShown) this.onShown(data)
      else if (isBinary) this.shown.push(data)
      else this.told.push(JSON.parse(data.toString()))
    })
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
  }

  /** `url` is the page's. Throws with the status when the connection is refused. */
  static async open(url: string): Promise<LiveSocket> {
    const socket = new WebSocket(url.replace('http', 'ws').replace('?', '/socket?'))
    const live = new LiveSocket(socket)
    const refused = new Promise<never>((_, reject) => {
      socket.once('unexpected-response', (_request, { statusCode }) => {
        reject(new Error(`refused with ${statusCode}`))
        socket.terminate()
      })
    })
    await Promise.race([once(socket, 'open'), refused])
    return live
  }

  tell(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }

  send(data: Buffer): void {
    this.#socket.send(data)
  }

  /** Does the handshake of an admitted client: the server has sent its screen size. */
  async greet(): Promise<Screen> {
    await this.#answered('its version', 12)
    this.send(Buffer.from('RFB 003.008\n'))
    await this.#answered('its kinds of security', 2)
    this.send(Buffer.of(1))
    await this.#answered('that all is well', 4)
    this.send(Buffer.of(1))
    const told = await this.#answered('its screen', 24)
    return { width: told.readUInt16BE(0), height: told.readUInt16BE(2) }
  }

  /** Requests the screen in raw encoding: all of it, or the changes since the last request. */
  ask({ width, height }: Screen, onlyChanges: boolean): void {
    const request = Buffer.alloc(10)
    request.writeUInt8(3, 0)
    request.writeUInt8(Number(onlyChanges), 1)
    request.writeUInt16BE(width, 6)
    request.writeUInt16BE(height, 8)
    this.send(request)
  }

  /** Requests a whole screen and waits for it. */
  async look(width: number, height: number): Promise<void> {
    this.shown.length = 0
    this.ask({ width, height }, false)
    await this.#answered('the screen', width * height * 4)
  }

  key(keysym: number): void {
    for (const isDown of [true, false]) this.keyEvent(keysym, isDown)
  }

  keyEvent(keysym: number, isDown: boolean): void {
    const message = Buffer.alloc(8)
    message.writeUInt8(4, 0)
    message.writeUInt8(Number(isDown), 1)
    message.writeUInt32BE(keysym, 4)
    this.send(message)
  }

  click(x: number, y: number): void {
    for (const mask of [0, 1, 0]) {
      const message = Buffer.alloc(6)
      message.writeUInt8(5, 0)
      message.writeUInt8(mask, 1)
      message.writeUInt16BE(x, 2)
      message.writeUInt16BE(y, 4)
      this.send(message)
    }
  }

  close(): void {
    this.#socket.terminate()
  }

  /** Takes what has arrived once it is that many bytes. */
  async #answered(what: string, bytes: number): Promise<Buffer> {
    const size = () => this.shown.reduce((sum, { length }) => sum + length, 0)
    await until(`the server tells ${what}`, () => size() >= bytes)
    return Buffer.concat(this.shown.splice(0))
  }
}
