/** HTTP servers on loopback, each on its own port. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Its port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Does not wait for clients that are still connected. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** The origin of a server that is closed when the test ends. */
export async function serve(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  const port = await listenOnLoopback(server)
  t.teardown(() => closeServer(server))
  return `http://127.0.0.1:${port}`
}
