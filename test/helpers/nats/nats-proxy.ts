/** A proxy to a server that can lose answers, break connections, and stay down. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openStore } from '../../../runtime/store/nats/buckets.ts'
import { connectNats } from '../../../runtime/store/nats/connection.ts'
import { silent, type Teardown, type TestNats } from './nats.ts'

export interface Proxy {
  readonly port: number
  /** How many bytes of the server's answers were lost so far. */
  readonly lostBytes: number
  /** From now on the server receives everything and its answers are lost. */
  loseAnswers(): void
  /** Breaks every connection and refuses new ones until `mend`. */
  cut(): void
  /** Passes everything on again, on new connections. */
  mend(): void
}

export async function startProxy(t: Teardown, serverPort: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let lostBytes = 0
  let mode: 'open' | 'deaf' | 'cut' = 'open'

  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy()
    const upstream = connect(serverPort, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.setNoDelay(true)
      sockets.add(socket)
      // The `close` event that follows reports the broken connection.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      if (mode === 'open') client.write(chunk)
      else lostBytes += chunk.length
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const breakAll = () => sockets.forEach((socket) => socket.destroy())
  t.teardown(() => {
    breakAll()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    get lostBytes() {
      return lostBytes
    },
    loseAnswers: () => void (mode = 'deaf'),
    cut() {
      mode = 'cut'
      breakAll()
    },
    mend() {
      breakAll()
      mode = 'open'
    },
  }
}

/** A client of the server behind a proxy; its calls to the store wait 300 ms for an answer. */
export async function throughProxy(t: Teardown, nats: TestNats) {
  const proxy = await startProxy(t, nats.port)
  const config = loadConfig({ ...nats.env, NATS_URL: `nats://127.0.0.1:${proxy.port}` })
  const nc = await connectNats(config, 'proxied', silent)
  t.teardown(() => nc.close())
  return { proxy, nc, store: await openStore(nc, { timeoutMs: 300 }) }
}
