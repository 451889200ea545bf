/**
 * What pages load: their style sheets, the modules of the live view, and noVNC's from its package. Each
 * has a route of its own, so there is no path to be climbed and nothing to be found out.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { packageRoot } from '../../runtime/package.ts'
import type { HttpReply } from '../server/http.ts'
import { rawRoute, type Route } from '../routing/route.ts'

const contentTypeOf = (path: string) => (extname(path) === '.css' ? 'text/css' : 'text/javascript')

/** What every page is made of, in the order in which they count. */
const shared = ['colours', 'base', 'parts', 'fields'].map((name) => `shared/${name}.css`)

/** Each sheet is one answer; `page`: those that stand alone. */
const sheets = {
  page: [...shared, 'page.css'],
  live: [...shared, 'live/live.css'],
  portal: [
    ...shared,
    ...['frame', 'parts', 'tables', 'forms', 'changes', 'narrow', 'print'].map(
      (name) => `portal/styles/${name}.css`,
    ),
  ],
}

const styleRoutes = (): readonly Route[] =>
  Object.entries(sheets).map(([name, parts]) =>
    fileRoute(
      parts.map((part) => join(packageRoot, 'gateway/web', part)),
      `/web/${name}.css`,
    ),
  )

export function assetRoutes(): readonly Route[] {
  const novnc = dirname(dirname(createRequire(import.meta.url).resolve('@novnc/novnc')))
  return [
    ...styleRoutes(),
    ...ofPackage('gateway/web/live', '/web/live'),
    ...ofPackage('gateway/web/portal', '/web/portal'),
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

/** Of one file, or of several after each other; read when it is first asked for. */
function fileRoute(files: readonly string[], path: string): Route {
  let asset: Asset | undefined
  return rawRoute({
    method: 'GET',
    path,
    summary: 'A part of a page.',
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

/** Kept by browsers and asked for anew each time: an upgraded service is never half seen. */
function fileReply({ contentType, text, etag }: Asset, known: string | undefined): HttpReply {
  const headers = {
    'content-type': contentType,
    'cache-control': 'no-cache',
    etag,
  }
  return known === etag ? { status: 304, headers } : { status: 200, headers, body: text }
}
