/**
 * Serves the DevTools front end of a session's browser to the holder of a link, reading each file
 * from that browser. Files of one browser are served only for links to its own session.
 */
import { z } from 'zod'
import { inspectorPath } from '../../proto/browser-host/inspector-path.ts'
import { ServiceError } from '../../proto/errors.ts'
import { DialFailed } from '../../runtime/browser-host/channel/channel.ts'
import { rawRoute, type Route } from '../routing/route.ts'
import type { SocketGrant } from '../routing/auth/auth.ts'
import type { TokenReader } from '../routing/auth/token-scope.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import type { Attachments } from '../sessions/sockets/attachments.ts'
import { inspectorFilePath, inspectorPage } from './inspector-links.ts'
import {
  inspectorFileReply,
  inspectorFileType,
  inspectorPageReply,
  inspectorRefusalReply,
} from './inspector-replies.tsx'

export interface InspectorRouteDeps {
  readonly attachments: Pick<Attachments, 'during'>
  readonly sessionTokens: TokenReader
}

const params = z.object({ session_id: z.string(), token: z.string(), file: z.string() })

export function inspectorRoutes(deps: InspectorRouteDeps): readonly Route[] {
  return [
    rawRoute({
      method: 'GET',
      path: inspectorFilePath,
      summary: 'Get a file of the DevTools front end of a session’s browser.',
      auth: 'none',
      isInternal: true,
      params,
      contentType: 'text/html',
      async handler({ params: { session_id: sessionId, token, file }, request }) {
        const isPage = file === inspectorPage
        try {
          if (!isPage) refuseOurPages(request)
          const grant = grantOf(deps, sessionId, token)
          return isPage ? await readPage(deps, grant) : await readFile(deps, grant, file)
        } catch (error) {
          if (!isPage || !(error instanceof ServiceError)) throw error
          return inspectorRefusalReply(error)
        }
      },
    }),
  ]
}

function grantOf(deps: InspectorRouteDeps, sessionId: string, token: string): SocketGrant {
  const open = deps.sessionTokens.read(sessionId, token)
  if (!open?.scopes.includes('cdp')) {
    const text = 'It has expired, was revoked, or its session has ended'
    throw new ServiceError('unauthorized', `${text}. Open DevTools from the session’s page again.`)
  }
  const { scopes: _, ...pass } = open
  return { sessionId, ...pass }
}

/**
 * Pages of this service may run scripts of this origin, so they must not load one from a session's
 * browser. Requests of the sandboxed page itself are cross-site, because its origin is opaque.
 */
function refuseOurPages({ headers }: HttpRequest): void {
  const site = headers.get('sec-fetch-site')
  if (site === undefined || site === 'cross-site' || site === 'none') return
  throw new ServiceError('forbidden', 'Only the DevTools of this session can load this file.')
}

async function readPage(deps: InspectorRouteDeps, grant: SocketGrant): Promise<HttpReply> {
  const bytes = await fileOf(deps, grant, inspectorPage)
  return inspectorPageReply(Buffer.from(bytes).toString('utf8'))
}

async function readFile(
  deps: InspectorRouteDeps,
  grant: SocketGrant,
  file: string,
): Promise<HttpReply> {
  const contentType = inspectorFileType(file)
  if (contentType === undefined) throw noSuchFile()
  return inspectorFileReply(contentType, await fileOf(deps, grant, file))
}

async function fileOf(
  { attachments }: InspectorRouteDeps,
  grant: SocketGrant,
  file: string,
): Promise<Uint8Array> {
  const path = `/devtools/${file}`
  if (!inspectorPath.test(path)) throw noSuchFile()
  return attachments.during(grant, async ({ dialer }) => {
    const bytes = await dialer.getFile(path).catch(refuseFile)
    // Chromium answers 200 without a body for files that its front end does not have.
    if (bytes.byteLength === 0) throw noSuchFile()
    return bytes
  })
}

function refuseFile(error: unknown): never {
  if (!(error instanceof DialFailed)) throw error
  if (error.status === 404) throw noSuchFile()
  const text = 'The browser does not answer; it may be closing. Try again.'
  throw new ServiceError('unavailable', text, {}, error)
}

const noSuchFile = () =>
  new ServiceError(
    'not_found',
    'The browser’s DevTools have no such file, or it is not available here.',
  )
