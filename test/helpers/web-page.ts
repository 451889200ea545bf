/** A page on loopback for browsers under test to visit. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WebPage {
  readonly url: string
  close(): Promise<void>
}

export async function serveWebPage(html = '<title>Troupe test page</title><h1>Hello</h1>') {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const page: WebPage = {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return page
}
