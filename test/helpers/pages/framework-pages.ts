/**
 * The same small page made with real releases of frameworks, which are packages of this
 * repository's tests. Of React, two releases cannot be installed side by side: 17 and 19 keep their
 * handlers under the same names as 18, and `react16` is a page that leaves what 16 leaves.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

interface Framework {
  /** Files of packages, in the order in which a page loads them. */
  readonly files: readonly string[]
  /** The file that makes the page. */
  readonly app: string
}

const frameworks: Readonly<Record<string, Framework>> = {
  react16: { files: [], app: 'react16.js' },
  react18: {
    files: ['react/umd/react.production.min.js', 'react-dom/umd/react-dom.production.min.js'],
    app: 'react18.js',
  },
  vue2: { files: ['vue2/dist/vue.runtime.min.js'], app: 'vue2.js' },
  vue3: { files: ['@vue/runtime-dom/dist/runtime-dom.global.prod.js'], app: 'vue3.js' },
  jquery1: { files: ['jquery1/dist/jquery.min.js'], app: 'jquery.js' },
  jquery3: { files: ['jquery3/dist/jquery.min.js'], app: 'jquery.js' },
}

export const frameworkNames = Object.keys(frameworks)

export interface FrameworkPages {
  url(name: string): string
  close(): Promise<void>
}

const ours = join(packageRoot, 'test', 'fixtures', 'frameworks')
const packages = join(packageRoot, 'node_modules')

export async function serveFrameworkPages(): Promise<FrameworkPages> {
  const server = createServer((request, response) => {
    const name = request.url!.slice(1)
    const framework = frameworks[name]
    if (!framework) return void response.writeHead(404).end()
    void pageOf(name, framework).then((page) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(page)
    })
  })
  await listenOnLoopback(server)
  const { port } = server.address() as AddressInfo
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    close: () => closeServer(server),
  }
}

async function pageOf(name: string, { files, app }: Framework): Promise<string> {
  const scripts = await Promise.all([
    ...files.map((file) => readFile(join(packages, file), 'utf8')),
    readFile(join(ours, 'parts.js'), 'utf8'),
    readFile(join(ours, app), 'utf8'),
  ])
  const texts = scripts.map(
    (text) => `<script>${text.replaceAll('</script', '<\\/script')}</script>`,
  )
  return `<!doctype html><title>${name}</title><div id="root"></div>${texts.join('\n')}`
}
