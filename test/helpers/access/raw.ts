/** Bytes on a socket, for requests that no HTTP client would send. */
import { connect } from 'node:net'
import { until } from '../lib/until.ts'

/** Returns the bytes of the answer, until the server closes or `isWhole` returns true. */
export async function sendBytes(
  baseUrl: string,
  text: string,
  isWhole: (heard: string) => boolean = () => false,
): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.setEncoding('latin1').on('data', (part: string) => (heard += part))
  socket.on('error', () => undefined) // A refusal may come with a reset.
  try {
    socket.write(text.replaceAll(/\r?\n/g, '\r\n'))
    await until('an answer, or the end', () => isWhole(heard) || socket.closed, 20_000)
    return heard
  } finally {
    socket.destroy()
  }
}

export const statusOf = (heard: string): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1] ?? 0)
