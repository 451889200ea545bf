/**
 * A reverse proxy as operators use one: the service appears below a path of another origin, and
 * connections can be cut midway.
 */
import { Agent, createServer, request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { closeServer, listenOnLoopback } from '../../lib/loopback.ts'

const unpooled = new Agent({ keepAlive: false })

export interface PrefixProxy {
  /** The value for PUBLIC_URL. */
  readonly url: string
  /** The service's address; set once it is known. */
  lead(to: { readonly port: number }): void
  /** Cuts every upgraded connection whose path matches, and returns their number. */
  cut(path: RegExp): number
  /** The next connection that is to be upgraded gets no answer. */
  stallNext(): void
  close(): Promise<void>
}

export async function openPrefixProxy(prefix: string): Promise<PrefixProxy> {
  let port = 0
  const upgraded = new Map<Socket, string>()
  const stalled = new Set<Socket>()
  let stalls = false
  const inner = ({ url = '' }: IncomingMessage) => {
    return url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : undefined
  }
  const server = createServer((incoming, response) => {
    const path = inner(incoming)
    if (path === undefined) return void response.writeHead(404).end()
    const { method } = incoming
    // The header is for one hop only: passed on, it would close a connection that is kept here.
    const { connection: _, ...headers } = incoming.headers
    const asked = request(
      { host: '127.0.0.1', port, agent: unpooled, method, headers, path },
      (answer) => {
        const { connection: _, ...answered } = answer.headers
        response.writeHead(answer.statusCode ?? 502, answered)
        answer.once('error', () => response.destroy()).pipe(response)
      },
    )
    asked.on('error', () => response.destroy())
    incoming.pipe(asked)
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const path = inner(incoming)
    if (path === undefined) return void socket.destroy()
    if (stalls) {
      stalls = false
      stalled.add(socket)
      return void socket.resume().on('error', () => socket.destroy())
    }
    const { rawHeaders } = incoming
    const lines = rawHeaders.flatMap((name, i) => (i % 2 ? [] : [`${name}: ${rawHeaders[i + 1]}`]))
    const there = connect(port, '127.0.0.1')
    there.write([`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
    there.write(head)
    upgraded.set(socket, path)
    there.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('error', () => there.destroy())
    socket.on('close', () => {
      upgraded.delete(socket)
      there.destroy()
    })
    socket.pipe(there).pipe(socket)
  })
  const own = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${own}${prefix}`,
    lead: (to) => void (port = to.port),
    cut(path) {
      const found = [...upgraded].filter(([, of]) => path.test(of))
      for (const [socket] of found) socket.destroy()
      return found.length
    },
    stallNext: () => void (stalls = true),
    close() {
      for (const socket of [...upgraded.keys(), ...stalled]) socket.destroy()
      return closeServer(server)
    },
  }
}
