/**
 * Requests over kept connections, made as cheaply as possible, so that the server is measured and
 * not the client.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly perSecond: number
  /** Time of each request, in ms. */
  readonly samples: readonly number[]
}

const connections = 8
const headEnd = '\r\n\r\n'

/**
 * `requestOf(n)` gives the bytes of the nth of `count` requests. Throws when an answer is not 200.
 */
export async function loadOf(
  baseUrl: string,
  count: number,
  requestOf: (n: number) => string,
): Promise<Load> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(baseUrl)))
  const samples: number[] = []
  let next = 0
  const lane = async (socket: Socket) => {
    for (let n = next++; n < count; n = next++) {
      const start = performance.now()
      await exchange(socket, requestOf(n))
      samples.push(performance.now() - start)
    }
  }
  const start = performance.now()
  await Promise.all(sockets.map(lane))
  const seconds = (performance.now() - start) / 1_000
  for (const socket of sockets) socket.destroy()
  return { perSecond: count / seconds, samples }
}

async function open(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname).setEncoding('latin1').setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

function exchange(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = ''
    const onData = (part: string) => {
      heard += part
      const end = heard.indexOf(headEnd)
      if (end < 0) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(heard)?.[1] ?? 0)
      if (heard.length < end + headEnd.length + length) return
      finish()
      if (heard.startsWith('HTTP/1.1 200')) resolve()
      else reject(new Error(heard.slice(0, 1_000)))
    }
    const onClose = () => {
      finish()
      reject(new Error('the connection was closed'))
    }
    const finish = () => void socket.off('data', onData).off('close', onClose)
    socket.on('data', onData).on('close', onClose)
    socket.write(request)
  })
}
