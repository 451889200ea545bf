/**
 * A byte stream to a desktop's VNC server: over its unix socket on the same machine, otherwise over
 * an upgraded HTTP connection to the agent's data port.
 */
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { contained } from '../../lib/network/contained.ts'
import { limits } from '../../../proto/limits.ts'
import { DialFailed, type ByteStream, type StreamListener } from './channel.ts'

export function dialSocket(path: string, listener: StreamListener): Promise<ByteStream> {
  return new Promise((resolve, reject) => {
    const socket = contained(connect({ path, timeout: limits.channelDialMs }))
    socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
    socket.once('error', failed)
    socket.once('connect', () => {
      socket.off('error', failed)
      resolve(new SocketStream(socket, listener))
    })

    function failed(cause: Error) {
      reject(new DialFailed(cause.message, false, cause))
    }
  })
}

/** What an agent's data port is asked to speak after an upgrade. */
type StreamProtocol = 'rfb' | 'troupe-commands'

/** Sends an HTTP upgrade request; the bytes after its response are the stream. */
export function dialUpgrade(
  url: string,
  protocol: StreamProtocol,
  listener: StreamListener,
): Promise<ByteStream> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: protocol }
    const asked = contained(request(url, { headers, timeout: limits.channelDialMs }))
    asked.once('timeout', () => asked.destroy(new Error('it does not answer')))
    asked.once('error', (cause) => reject(new DialFailed(cause.message, false, cause)))
    asked.once('response', (answer) => {
      asked.destroy()
      reject(new DialFailed(`it answered ${answer.statusCode}`, true))
    })
    asked.once('upgrade', (_answer, socket, head) => {
      socket.unshift(head)
      resolve(new SocketStream(socket, listener))
    })
    asked.end()
  })
}

class SocketStream implements ByteStream {
  readonly #socket: Socket
  #isClosed = false

  constructor(socket: Socket, listener: StreamListener) {
    this.#socket = socket
    socket.setTimeout(0)
    socket.setNoDelay(true)
    socket.pause()
    socket.on('data', (data: Buffer) => listener.received(data))
    // The close event that follows an error is sufficient.
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      if (!this.#isClosed) listener.lost()
    })
  }

  send(data: Uint8Array): void {
    this.#socket.write(data)
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#isClosed = true
    this.#socket.destroySoon()
  }
}
