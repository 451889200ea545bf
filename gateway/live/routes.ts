/** The live view of a session: its page, the state that the page asks for, and tokens for links. */
import { defined } from '../../proto/defined.ts'
import { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import { isId } from '../../proto/ids.ts'
import { isFinal, sessionStatuses, type SessionView } from '../../proto/session/session.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'
import { requireScope } from '../routing/auth/key-scope.ts'
import { expiredLinkError, usedLinkError } from './endpoint.ts'
import { linkUse, newOnce, type LinkUse, type LiveLinks } from '../sessions/tokens/links.ts'
import { frameAncestorsField, lifetimeField } from '../sessions/tokens/link-fields.ts'
import { liveModes } from '../sessions/tokens/live-token.ts'
import { noSuchSession } from '../sessions/no-such-session.ts'
import { livePageReply } from '../routing/answers/reply.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import type { SessionService } from '../sessions/sessions.ts'
import { fillTemplate, webPages } from '../service/web.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import { closingOf } from '../sessions/sockets/session-closing.ts'

export interface LiveRouteDeps {
  readonly sessions: SessionService
  readonly views: SessionViews
  readonly links: LiveLinks
  readonly clock: Clock
}

const ofSession = z.object({ session_id: z.string() })
const withToken = z.object({ token: z.string().default('') })
const withViewer = withToken.extend({
  viewer: z.string().max(100).default('').describe('The name that the page has given itself.'),
})
const mode = z.enum(liveModes)

const tokenRequest = z.strictObject({
  mode: mode.default('view').describe('view: watch only. control: also click, type and paste.'),
  ttl_seconds: lifetimeField.describe(
    'Lifetime of the link in seconds. When it expires, views opened with it are closed.',
  ),
  frame_ancestors: frameAncestorsField('the live view'),
  one_time: z
    .boolean()
    .default(false)
    .describe(
      'true: the link works for the first viewer who opens it, and for nobody else. It makes no further links.',
    ),
})

const tokenJson = z.object({
  data: z.object({
    token: z.string(),
    mode,
    expires_at: z.iso.datetime(),
    live_view_url: z.string(),
  }),
})

const endedJson = z.object({ data: z.object({ status: z.literal('success') }) })

const stateJson = z.object({
  data: z.object({
    status: z.enum(sessionStatuses),
    reason: z.string().optional(),
    why: z.string().optional().describe('Why the session ended, as text for people.'),
    mode,
  }),
})

export function liveRoutes(deps: LiveRouteDeps): readonly Route[] {
  return [...pageRoutes(deps), ...tokenRoutes(deps)]
}

function pageRoutes({ views, links }: LiveRouteDeps): readonly Route[] {
  return [
    rawRoute({
      method: 'GET',
      path: '/live/{session_id}',
      summary: 'Open the live view of a session, with the token from its live_view_url.',
      description:
        'The page that people open. If the token is missing, invalid or expired, it says so, ' +
        'with status 401.',
      auth: 'none',
      params: ofSession,
      query: withToken,
      contentType: 'text/html',
      refusalPages: [401],
      /** The page does not depend on the token's rights: it asks for the state, again and again. */
      handler({ params: { session_id: id }, query: { token }, request }) {
        const link = isId('ses', id) ? links.read(id, token) : undefined
        const page = fillTemplate(webPages.live, { id: link ? id : '' })
        return livePageReply(link ? 200 : 401, page, request, link?.frameAncestors)
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/live/{session_id}/state',
      summary: 'Get the state of a session for its live view, and the mode of the token.',
      description:
        'The live view page uses it to show what it is waiting for, or why the session ended.',
      auth: 'none',
      params: ofSession,
      query: withViewer,
      response: stateJson,
      handler({ params: { session_id: id }, query: { token, viewer } }) {
        const right = isId('ses', id) ? links.read(id, token) : undefined
        if (!right) throw expiredLinkError()
        const view = views.get(id)
        if (!view) throw noSuchSession()
        if (right.once !== undefined && isOfAnother(view, linkUse(token, viewer)))
          throw usedLinkError()
        const { status, reason, options } = view
        const why = whyEnded(view)
        return {
          data: {
            status,
            ...defined({ reason }),
            ...(why !== '' && { why }),
            mode: options.liveViewReadOnly ? 'view' : right.mode,
          },
        }
      },
    }),
  ]
}

const isOfAnother = ({ usedLinks }: SessionView, { link, by }: LinkUse) =>
  usedLinks?.[link] !== undefined && usedLinks[link] !== by

/** The sentence of the close reason without its code, and the session's message. */
function whyEnded(view: SessionView): string {
  const sentence = closingOf(view)?.reason.replace(/^\w+: ./, (start) =>
    start.slice(-1).toUpperCase(),
  )
  return [sentence, view.message].filter(Boolean).join(' ')
}

function tokenRoutes({ sessions, links, clock }: LiveRouteDeps): readonly Route[] {
  const shared = {
    path: '/v1/sessions/{session_id}/live-tokens',
    auth: 'key',
    params: ofSession,
  } as const
  return [
    jsonRoute({
      ...shared,
      method: 'POST',
      scope: ['drive', 'view'],
      audit: 'token.create',
      summary: 'Create a link to the live view of a session, to watch or to control.',
      description:
        'The link contains a token of its own, not your key, and stops working when it expires.',
      body: tokenRequest,
      response: tokenJson,
      about: ({ data: { mode, expires_at } }) => ({ detail: { scopes: mode, expires_at } }),
      async handler({ caller, params, body, request }) {
        const { mode, ttl_seconds, frame_ancestors: frameAncestors, one_time: isOnce } = body
        const view = await sessions.get(caller, params.session_id)
        if (mode === 'control') requireScope(caller.scopes, 'drive')
        if (isFinal(view.status)) {
          const message = `The session has ended (${view.reason}); create another one.`
          throw new ServiceError('session_ended', message, view.reason && { reason: view.reason })
        }
        const expiresAtMs = clock.now() + ttl_seconds * 1_000
        const token = links.mint(view, {
          ...{ mode, keyId: caller.keyId, expiresAtMs },
          ...defined({ frameAncestors, once: isOnce ? newOnce() : undefined }),
        })
        const live_view_url = links.url(request, view.id, token)
        return { data: { token, mode, expires_at: toIsoTime(expiresAtMs), live_view_url } }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'DELETE',
      scope: ['sessions', 'drive', 'view'],
      audit: 'token.end_all',
      summary: 'Revoke all links to the live view of a session, and its tokens.',
      description:
        'Use it if a link reached the wrong person. Views and connections opened with links and ' +
        'tokens are closed. `GET /v1/sessions/{session_id}` returns a new live_view_url.',
      response: endedJson,
      async handler({ caller, params }) {
        await sessions.endLiveLinks(caller, params.session_id)
        return { data: { status: 'success' } } as const
      },
    }),
  ]
}
