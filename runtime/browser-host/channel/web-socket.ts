/**
 * A channel over a WebSocket client, and the GET beside it: used by every way of dialling a
 * browser.
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import WebSocket from 'ws'
import { contained } from '../../lib/network/contained.ts'
import { limits } from '../../../proto/limits.ts'
import { browserHostLimits } from '../limits.ts'
import { DialFailed, type ByteChannel, type ChannelListener } from './channel.ts'

/**
 * Clients must mask what they send; an all-zero mask leaves the bytes unchanged and costs nothing.
 */
const leaveUnmasked = (mask: Buffer) => void mask.fill(0)

const options = {
  perMessageDeflate: false,
  maxPayload: limits.cdpFromBrowserBytes,
  skipUTF8Validation: true,
  generateMask: leaveUnmasked,
} as const

interface DialOptions {
  /** Dialled instead of the URL's host. */
  readonly unixSocket?: string | undefined
  readonly timeoutMs?: number
}

/** Throws {@link DialFailed}. */
export function dialUrl(
  url: string,
  listener: ChannelListener,
  { unixSocket, timeoutMs = browserHostLimits.devtoolsDialMs }: DialOptions = {},
): Promise<ByteChannel> {
  return new Promise((resolve, reject) => {
    const there = unixSocket !== undefined && {
      createConnection: () => contained(connect({ path: unixSocket })),
    }
    const handshakeTimeout = timeoutMs
    const socket = contained(new WebSocket(url, { ...options, handshakeTimeout, ...there }))
    socket.once('open', () => {
      socket.off('error', failed)
      resolve(new SocketChannel(socket, listener))
    })
    socket.once('error', failed)
    socket.once('unexpected-response', (request, response) => {
      request.destroy()
      reject(new DialFailed(`it answered ${response.statusCode}`, true))
    })

    function failed(cause: Error) {
      reject(new DialFailed(cause.message, false, cause))
    }
  })
}

/** Throws {@link DialFailed}. */
export async function getUrl(
  url: string,
  { unixSocket, timeoutMs = browserHostLimits.devtoolsDialMs }: DialOptions = {},
): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    if (unixSocket !== undefined) return await getBySocket(url, unixSocket, signal)
    const response = await fetch(url, { signal })
    if (response.ok) return await response.text()
    const { status } = response
    throw new DialFailed(`it answered ${status}`, true, undefined, status)
  } catch (cause) {
    if (cause instanceof DialFailed) throw cause
    throw new DialFailed((cause as Error).message, false, cause)
  }
}

function getBySocket(url: string, socketPath: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const to = { socketPath, signal, agent: false }
    const asked = contained(request(url, to)).once('response', (response) => {
      const { statusCode: status } = response
      if (status === 200) return resolve(text(response))
      response.resume()
      reject(new DialFailed(`it answered ${status}`, true, undefined, status))
    })
    asked.once('error', reject).end()
  })
}

/** A GET of any content. Throws {@link DialFailed}. */
export function getFileAt(
  url: string,
  { unixSocket, timeoutMs = browserHostLimits.devtoolsDialMs }: DialOptions = {},
): Promise<Buffer> {
  const signal = AbortSignal.timeout(timeoutMs)
  const to = unixSocket === undefined ? {} : { socketPath: unixSocket }
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) => reject(new DialFailed(cause.message, false, cause))
    const asked = contained(request(url, { ...to, signal, agent: false }))
    asked.once('response', (response) => {
      const { statusCode: status } = response
      if (status === 200) return void readBounded(response).then(resolve, failed)
      response.resume()
      reject(new DialFailed(`it answered ${status}`, true, undefined, status))
    })
    asked.once('error', failed).end()
  })
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.byteLength
    if (bytes > limits.inspectorFileBytes) throw new Error('the file is too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

class SocketChannel implements ByteChannel {
  readonly #socket: WebSocket

  constructor(socket: WebSocket, listener: ChannelListener) {
    this.#socket = socket
    // With the default binary type, each message is one Buffer, text included.
    socket.on('message', (data, isBinary) => listener.received(data as Buffer, isBinary))
    // The close event that follows an error is sufficient.
    socket.on('error', () => {})
    socket.once('close', () => listener.lost())
  }

  send(data: Uint8Array, isBinary: boolean): void {
    this.#socket.send(data, { binary: isBinary })
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.close()
    // A paused socket would not receive the peer's close frame.
    this.#socket.resume()
  }
}
