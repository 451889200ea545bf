/**
 * Static files of pages: style sheets, pictures, our own modules, and those of noVNC and swagger-ui from
 * their packages. Each file has its own route, so paths cannot be traversed or probed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'
import type { HttpReply } from '../server/http.ts'
import { rawRoute, type Route } from '../routing/route.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

const contentTypeOf = (path: string) => contentTypes[extname(path)]!

/** The sheets that all pages share, in cascade order. */
const shared = ['colours', 'base', 'parts', 'fields'].map((name) => `shared/${name}.css`)

/** The sheets of pages with a menu beside them: of the portal and of the console. */
const framed = ['frame', 'parts', 'tables', 'forms'].map((name) => `framed/${name}.css`)
const narrow = 'framed/narrow.css'

/** Each sheet is one response made of several files. `page` is for pages without a menu. */
const sheets = {
  page: [...shared, 'page.css'],
  landing: [...shared, 'page.css', 'shared/code.css', 'landing/landing.css'],
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
    ...['frame', 'find', 'sessions', 'tasks', 'operations'].map(
      (name) => `console/styles/${name}.css`,
    ),
    ...['recordings/film.css', 'shared/chart.css', 'shared/code.css'],
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
    ...ofPackage('gateway/web/shared', '/web/shared'),
    ...ofPackage('gateway/web/landing', '/web/landing'),
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
    .filter((name) => ['.js', '.svg', '.webp'].includes(extname(name)))
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
    contentType: contentTypeOf(path).split(';')[0]!,
    handler({ request }) {
      asset ??= readAsset(files, path)
      return fileReply(asset, request.headers.get('if-none-match'))
    },
  })
}

const newLine = Buffer.from('\n')

interface Asset {
  readonly contentType: string
  readonly content: Buffer
  readonly etag: string
}

function readAsset(files: readonly string[], path: string): Asset {
  const [first, ...others] = files.map((file) => readFileSync(file))
  const content = Buffer.concat([first!, ...others.flatMap((one) => [newLine, one])])
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
  return { contentType: contentTypeOf(path), content, etag }
}

/**
 * Browsers keep the file but revalidate it each time, so after an upgrade they never mix versions.
 */
function fileReply({ contentType, content, etag }: Asset, known: string | undefined): HttpReply {
  const headers = {
    'content-type': contentType,
    'cache-control': 'no-cache',
    etag,
  }
  return known === etag ? { status: 304, headers } : { status: 200, headers, body: content }
}
