/**
 * The pages of `test/fixtures/pages` on two origins that Chromium keeps in two processes:
 * `{{other}}` in a page is the one it was not asked on.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, extname, join } from 'node:path'
import { packageRoot } from '../../runtime/package.ts'

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
  const server = createServer(async (request, response) => {
    const name = basename(new URL(request.url ?? '/', 'http://here').pathname)
    const type = types[extname(name)]
    const text = type && (await readFile(join(folder, name), 'utf8').catch(() => undefined))
    if (text === undefined || type === undefined) return void response.writeHead(404).end()
    const [here, other] = request.headers.host?.startsWith('localhost')
      ? [origin('localhost'), origin('127.0.0.1')]
      : [origin('127.0.0.1'), origin('localhost')]
    response.setHeader('content-type', type)
    response.end(text.replaceAll('{{other}}', other).replaceAll('{{here}}', here))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = (host: string) => `http://${host}:${port}`
  const at = (host: string, name: string) => {
    const [page, query] = name.split('?')
    return `${origin(host)}/${page}.html${query === undefined ? '' : `?${query}`}`
  }
  return {
    url: (name) => at('127.0.0.1', name),
    otherUrl: (name) => at('localhost', name),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
