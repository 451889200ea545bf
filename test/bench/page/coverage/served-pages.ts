/** Serves pages of a folder, each with the script that notes what can be clicked. */
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { closeServer, listenOnLoopback } from '../../../helpers/lib/loopback.ts'

const script = readFileSync(join(packageRoot, 'test/bench/page/coverage/clickable.js'), 'utf8')
const types: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' },
  ...{
    '.png': 'image/png',
    '.gif': 'image/gif',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
  },
}

export interface ServedPages {
  readonly urls: readonly string[]
  close(): Promise<void>
}

/** `folder` below `root`: its pages may use other files of the root. */
export async function servePagesIn(root: string, folder = ''): Promise<ServedPages> {
  const names = (await readdir(join(root, folder))).filter(
    // One of the tests' pages makes 20 MB of itself.
    (name) => name.endsWith('.html') && name !== 'huge.html',
  )
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://h').pathname))
    readFile(join(root, path)).then(
      (bytes) => {
        const type = types[extname(path)]
        response.setHeader('content-type', type ?? 'application/octet-stream')
        response.end(type?.startsWith('text/html') ? withScript(String(bytes)) : bytes)
      },
      () => void response.writeHead(404).end(),
    )
  })
  await listenOnLoopback(server)
  const { port } = server.address() as AddressInfo
  return {
    urls: names.toSorted().map((name) => `http://127.0.0.1:${port}/${join(folder, name)}`),
    close: () => closeServer(server),
  }
}

/** Before everything else, but behind what decides how the document is shown. */
const withScript = (html: string) =>
  html.replace(/^\s*(<!doctype[^>]*>)?/i, (doctype) => `${doctype}<script>${script}</script>`)
