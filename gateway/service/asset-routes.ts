/**
 * Static files of pages: style sheets, our own modules, and those of noVNC and swagger-ui from
 * their packages. Each file has its own route, so paths cannot be traversed or probed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'
import type { HttpReply } from '../server/http.ts'
import { rawRoute, type Route } from '../routing/route.ts'

const contentTypeOf = (path: string) => (extname(path) === '.css' ? 'text/css' : 'text/javascript')

/** The sheets that all pages share, in cascade order. */
const shared = ['colours', 'base', 'parts', 'fields'].map((name) => `shared/${name}.css`)

/** The sheets of pages with a menu beside them: of the portal and of the console. */
const framed = ['frame', 'parts', 'tables', 'forms'].map((name) => `framed/${name}.css`)
const narrow = 'framed/narrow.css'

/** Each sheet is one response made of several files. `page` is for pages without a menu. */
const sheets = {
  page: [...shared, 'page.css'],
  live: [
    ...shared,
    ...['bar', 'stage', 'panels', 'keys', 'narrow'].map((name) => `live/styles/${name}.css`),
  ],
  docs: [...shared, 'docs/docs.css', 'docs/prose.css'],
  reference: [...shared, 'docs/docs.css', 'docs/reference.css'],
  portal: [
    ...shared,
    ...framed,
    ...['portal/styles/access.css', 'portal/styles/changes.css', narrow, 'portal/styles/print.css'],
  ],
  console: [
    ...shared,
    ...framed,
    ...['frame', 'sessions', 'tasks', 'operations'].map((name) => `console/styles/${name}.css`),
    ...['recordings/film.css', 'shared/chart.css'],
    ...[narrow, 'console/styles/narrow.css'],
  ],
  recording: [...shared, ...framed, ...[narrow, 'recordings/film.css', 'recordings/page.css']],
}

const styleRoutes = (): readonly Route[] =>
  Object.entries(sheets).map(([name, parts]) =>
    fileRoute(
      parts.map((part) => join(packageRoot, 'gateway/web', part)),
      `/web/${name}.css`,
    ),
  )

export function assetRoutes(): readonly Route[] {
  const { resolve } = createRequire(import.meta.url)
  const novnc = dirname(dirname(resolve('@novnc/novnc')))
  const swaggerUi = dirname(resolve('swagger-ui-dist/package.json'))
  return [
    ...styleRoutes(),
    ...ofPackage('gateway/web/live', '/web/live'),
    ...ofPackage('gateway/web/embed', '/web/embed'),
    ...ofPackage('gateway/web/inspector', '/web/inspector'),
    ...ofPackage('gateway/web/portal', '/web/portal'),
    ...ofPackage('gateway/web/console', '/web/console'),
    ...ofPackage('gateway/web/recordings', '/web/recordings'),
    ...ofPackage('gateway/web/docs', '/web/docs'),
    ...['swagger-ui-bundle.js', 'swagger-ui.css'].map((name) =>
      fileRoute([join(swaggerUi, name)], `/web/reference/${name}`),
    ),
    ...filesIn(join(novnc, 'core'), '/novnc/core'),
    ...filesIn(join(novnc, 'vendor'), '/novnc/vendor'),
  ]
}

const ofPackage = (folder: string, path: string): readonly Route[] =>
  filesIn(join(packageRoot, folder), path)

function filesIn(folder: string, path: string): Route[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) === '.js')
    .map((name) => fileRoute([join(folder, name)], `${path}/${name}`))
}

/** Serves one file or the concatenation of several; they are read at the first request. */
function fileRoute(files: readonly string[], path: string): Route {
  let asset: Asset | undefined
  return rawRoute({
    method: 'GET',
    path,
    summary: 'Get a static file of a page.',
    auth: 'none',
    isInternal: true,
    contentType: contentTypeOf(path),
    handler({ request }) {
      asset ??= readAsset(files, path)
      return fileReply(asset, request.headers.get('if-none-match'))
    },
  })
}

interface Asset {
  readonly contentType: string
  readonly text: string
  readonly etag: string
}

function readAsset(files: readonly string[], path: string): Asset {
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const contentType = `${contentTypeOf(path)}; charset=utf-8`
  return { contentType, text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
}

/**
 * Browsers keep the file but revalidate it each time, so after an upgrade they never mix versions.
 */
function fileReply({ contentType, text, etag }: Asset, known: string | undefined): HttpReply {
  const headers = {
    'content-type': contentType,
    'cache-control': 'no-cache',
    etag,
  }
  return known === etag ? { status: 304, headers } : { status: 200, headers, body: text }
}
