/**
 * The pages of `test/fixtures/pages` on two sites, which Chromium keeps in two processes:
 * `{{other}}` in a page is the site that did not serve it. `{{near}}` is another origin of the same
 * site, which shares its process.
 */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, extname, join } from 'node:path'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

export interface FixturePages {
  /** The address of a page: `form`, `huge?tokens`. */
  url(name: string): string
  /** The same page on the other origin. */
  otherUrl(name: string): string
  close(): Promise<void>
}

const folder = join(packageRoot, 'test', 'fixtures', 'pages')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

export async function serveFixturePages(): Promise<FixturePages> {
  const servers: Server[] = []
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const here = new URL(`http://${request.headers.host}${request.url}`)
    const name = basename(here.pathname)
    const type = types[extname(name)]
    const text = type && (await readFile(join(folder, name), 'utf8').catch(() => undefined))
    if (text === undefined || type === undefined) return void response.writeHead(404).end()
    const host = here.hostname === 'localhost' ? '127.0.0.1' : 'localhost'
    const nearPort = servers.map(portOf).find((port) => String(port) !== here.port)
    const origins: Readonly<Record<string, string>> = {
      here: here.origin,
      other: `http://${host}:${here.port}`,
      near: `http://${here.hostname}:${nearPort}`,
    }
    response.setHeader('content-type', type)
    response.end(text.replaceAll(/\{\{(\w+)\}\}/g, (all, origin: string) => origins[origin] ?? all))
  }
  for (let i = 0; i < 2; i++) {
    const server = createServer((request, response) => void answer(request, response))
    await listenOnLoopback(server)
    servers.push(server)
  }
  const at = (host: string, name: string) => {
    const [page, query] = name.split('?')
    const origin = `http://${host}:${portOf(servers[0]!)}`
    return `${origin}/${page}.html${query === undefined ? '' : `?${query}`}`
  }
  return {
    url: (name) => at('127.0.0.1', name),
    otherUrl: (name) => at('localhost', name),
    async close() {
      await Promise.all(servers.map(closeServer))
    },
  }
}
