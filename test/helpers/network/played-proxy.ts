/** Proxies that answer for every site themselves, with their own address as the text. */
import { createServer as createHttp, type Server as HttpServer } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { certificate, key } from '../lib/self-signed.ts'

export type ProxyScheme = 'http' | 'https' | 'socks4' | 'socks5'

export interface PlayedProxy {
  readonly port: number
  /** Connections that arrived. */
  readonly connections: () => number
  /** The sites as they were named to it, and the server names of TLS. */
  readonly named: readonly string[]
}

export async function playProxy(
  t: Test,
  scheme: ProxyScheme,
  address: string,
  port = 0,
): Promise<PlayedProxy> {
  const named: string[] = []
  const sockets = new Set<Socket>()
  const server = servers[scheme](address, named)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => socket.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port: given } = server.address() as AddressInfo
  return { port: given, named, connections: () => sockets.size }
}

type MakeServer = (address: string, named: string[]) => Server

const answer = (text: string) =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`

const servers: Readonly<Record<ProxyScheme, MakeServer>> = {
  http: (address, named) => answering(createHttp(), address, named),
  https(address, named) {
    const server = createHttps({
      ...{ key, cert: certificate },
      SNICallback(name, done) {
        named.push(name)
        done(null)
      },
    })
    return answering(server, address, named)
  },
  socks4: (address, named) =>
    createServer((socket) => {
      socket.once('data', (asked) => {
        // Version, command, port, address, user name; 0.0.0.x: the name of the site follows.
        const [, name = ''] = asked.subarray(8).toString('latin1').split('\0')
        named.push(asked.readUInt32BE(4) < 256 ? name : [...asked.subarray(4, 8)].join('.'))
        socket.write(Buffer.from([0, 90, 0, 0, 0, 0, 0, 0]))
        socket.once('data', () => socket.end(answer(address)))
      })
    }),
  socks5: (address, named) =>
    createServer((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]))
        socket.once('data', (asked) => {
          // Version, command, 0, kind of address (3: a name), its length, the name, port.
          named.push(
            asked[3] === 3
              ? asked.subarray(5, 5 + asked[4]!).toString('latin1')
              : [...asked.subarray(4, 8)].join('.'),
          )
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
          socket.once('data', () => socket.end(answer(address)))
        })
      })
    }),
}

function answering(server: HttpServer, address: string, named: string[]): Server {
  server.on('request', ({ headers }, response) => {
    named.push(headers.host!.split(':')[0]!)
    response.end(address)
  })
  server.on('connect', ({ url = '' }, socket: Socket | TLSSocket) => {
    named.push(url.split(':')[0]!)
    socket.on('error', () => socket.destroy())
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.once('data', () => socket.end(answer(address)))
  })
  return server
}
