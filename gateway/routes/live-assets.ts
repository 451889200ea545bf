/**
 * The scripts of the live view: its own, and noVNC's from its package. Each file that is there has
 * a route of its own, so there is no path to be climbed and nothing to be found out.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../runtime/package.ts'
import type { HttpReply } from '../http.ts'
import { rawRoute, type Route } from '../route.ts'

export function liveAssetRoutes(): readonly Route[] {
  const novnc = dirname(dirname(createRequire(import.meta.url).resolve('@novnc/novnc')))
  return [
    ...scriptsIn(join(packageRoot, 'gateway/web/live'), '/web/live'),
    ...scriptsIn(join(novnc, 'core'), '/novnc/core'),
    ...scriptsIn(join(novnc, 'vendor'), '/novnc/vendor'),
  ]
}

function scriptsIn(folder: string, path: string): Route[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => scriptRoute(join(folder, name), `${path}/${name}`))
}

/** Read when it is first asked for. */
function scriptRoute(file: string, path: string): Route {
  let script: Script | undefined
  return rawRoute({
    method: 'GET',
    path,
    summary: 'A script of the live view.',
    auth: 'none',
    isInternal: true,
    contentType: 'text/javascript',
    handler({ request }) {
      script ??= readScript(file)
      return scriptReply(script, request.headers.get('if-none-match'))
    },
  })
}

interface Script {
  readonly text: string
  readonly etag: string
}

function readScript(file: string): Script {
  const text = readFileSync(file, 'utf8')
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
}

/** Kept by browsers and asked for anew each time: an upgraded service is never half seen. */
function scriptReply({ text, etag }: Script, known: string | undefined): HttpReply {
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    etag,
  }
  return known === etag ? { status: 304, headers } : { status: 200, headers, body: text }
}
