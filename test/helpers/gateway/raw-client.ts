/** A TCP connection on which a test writes each byte itself. */
import { connect, type Socket } from 'node:net'
import { until } from '../lib/until.ts'

export class RawClient {
  /** One character a byte. */
  heard = ''
  isClosed = false
  readonly #socket: Socket

  constructor(baseUrl: string) {
    const { hostname, port } = new URL(baseUrl)
    this.#socket = connect(Number(port), hostname)
    this.#socket.on('data', (data) => (this.heard += data.toString('latin1')))
    this.#socket.on('error', () => undefined) // The close that follows is what is looked at.
    this.#socket.once('close', () => (this.isClosed = true))
  }

  write(text: string): void {
    if (this.#socket.writable) this.#socket.write(text, 'latin1')
  }

  /** All that was written has left this process. */
  async written(): Promise<void> {
    await until(
      'it is written',
      () => !this.#socket.connecting && this.#socket.writableLength === 0,
    )
  }

  async answer(pattern: RegExp): Promise<void> {
    await until(`an answer like ${pattern}`, () => pattern.test(this.heard))
  }

  /** The server has ended it. */
  async closed(): Promise<void> {
    await until('the connection is closed', () => this.isClosed, 30_000)
  }

  close(): void {
    this.#socket.destroy()
  }
}
