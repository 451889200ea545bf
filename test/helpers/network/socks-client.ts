/** A client of SOCKS 5 that says what it likes, and hears what comes back. */
import { connect, type Socket } from 'node:net'
import { until } from '../lib/until.ts'

export interface SocksClient {
  readonly socket: Socket
  /** Everything that came after the reply. */
  readonly heard: () => string
  /** The second byte of the reply; undefined if the connection ended without one. */
  readonly reply: number | undefined
}

export interface SocksRequest {
  /** A name, or the bytes of an address. */
  readonly to: string | readonly number[]
  readonly port: number
  /** 1: connect. */
  readonly command?: number
}

const replyBytes = 10
const greeting = Buffer.from([5, 1, 0])
const isFour = 4

/** In one piece, as no browser would; a server must not lose what comes early. */
export function socksRequest({ to, port, command = 1 }: SocksRequest): Buffer {
  const address =
    typeof to === 'string'
      ? [3, Buffer.byteLength(to, 'latin1'), ...Buffer.from(to, 'latin1')]
      : [to.length === isFour ? 1 : isFour, ...to]
  return Buffer.from([...greeting, 5, command, 0, ...address, port >> 8, port & 255])
}

/** Resolves with the reply, or the end of the connection. */
export async function askSocks(proxyPort: number, request: SocksRequest): Promise<SocksClient> {
  const socket = connect({ port: proxyPort, host: '127.0.0.1', allowHalfOpen: true })
  let bytes = Buffer.alloc(0)
  let isOver = false
  socket.on('data', (chunk: Buffer) => (bytes = Buffer.concat([bytes, chunk])))
  socket.on('error', () => undefined)
  socket.once('end', () => (isOver = true)).once('close', () => (isOver = true))
  socket.write(socksRequest(request))
  await until('it is answered', () => isOver || bytes.length >= 2 + replyBytes)
  const reply = bytes.length >= 2 + replyBytes ? bytes[3] : undefined
  return { socket, reply, heard: () => bytes.subarray(2 + replyBytes).toString('latin1') }
}
