/**
 * The scripts and the style of the live view: its own, and noVNC's from its package. Each file that
 * is there has a route of its own, so there is no path to be climbed and nothing to be found out.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { packageRoot } from '../../runtime/package.ts'
import type { HttpReply } from '../server/http.ts'
import { rawRoute, type Route } from '../routing/route.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
}
const contentTypeOf = (file: string) => contentTypes[extname(file)]!

export function liveAssetRoutes(): readonly Route[] {
  const novnc = dirname(dirname(createRequire(import.meta.url).resolve('@novnc/novnc')))
  return [
    ...filesIn(join(packageRoot, 'gateway/web/live'), '/web/live'),
    ...filesIn(join(novnc, 'core'), '/novnc/core'),
    ...filesIn(join(novnc, 'vendor'), '/novnc/vendor'),
  ]
}

function filesIn(folder: string, path: string): Route[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) in contentTypes)
    .map((name) => fileRoute(join(folder, name), `${path}/${name}`))
}

/** Read when it is first asked for. */
function fileRoute(file: string, path: string): Route {
  let asset: Asset | undefined
  return rawRoute({
    method: 'GET',
    path,
    summary: 'A part of the live view.',
    auth: 'none',
    isInternal: true,
    contentType: contentTypeOf(file),
    handler({ request }) {
      asset ??= readAsset(file)
      return fileReply(asset, request.headers.get('if-none-match'))
    },
  })
}

interface Asset {
  readonly contentType: string
  readonly text: string
  readonly etag: string
}

function readAsset(file: string): Asset {
  const text = readFileSync(file, 'utf8')
  const contentType = `${contentTypeOf(file)}; charset=utf-8`
  return { contentType, text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
}

/** Kept by browsers and asked for anew each time: an upgraded service is never half seen. */
function fileReply({ contentType, text, etag }: Asset, known: string | undefined): HttpReply {
  const headers = {
    'content-type': contentType,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    etag,
  }
  return known === etag ? { status: 304, headers } : { status: 200, headers, body: text }
}
