/** A page on loopback for the tested browsers to visit. */
import { createServer } from 'node:http'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

export interface WebPage {
  readonly url: string
  close(): Promise<void>
}

export async function serveWebPage(html = '<title>Troupe test page</title><h1>Hello</h1>') {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
  })
  const port = await listenOnLoopback(server)
  const page: WebPage = {
    url: `http://127.0.0.1:${port}/`,
    close: () => closeServer(server),
  }
  return page
}
