/** HTTP servers on loopback, each at a port of its own. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Its port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Whoever is still connected is not waited for. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** The origin of a server that answers for as long as the test runs. */
export async function serve(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  const port = await listenOnLoopback(server)
  t.teardown(() => closeServer(server))
  return `http://127.0.0.1:${port}`
}
