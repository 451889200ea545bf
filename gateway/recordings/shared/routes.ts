/** Links to a recording, and what they open: its page, its video and its captions. */
import { z } from 'zod'
import type { NodeRequester } from '../../../runtime/browser-host/node-client.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { toHtml, type Markup } from '../../html/markup.ts'
import { toIsoTime } from '../../routing/answers/iso-time.ts'
import { asServiceError, recordingPageReply } from '../../routing/answers/reply.ts'
import { jsonRoute, rawRoute, type Route } from '../../routing/route.ts'
import { readEvents } from '../../session-events/read-events.ts'
import { frameAncestorsField, lifetimeField } from '../../sessions/tokens/link-fields.ts'
import type { RequestAudit } from '../../service-audit/request-audit.ts'
import type { SessionService } from '../../sessions/sessions.ts'
import { isOfFilm } from '../captions.ts'
import { assertKnown, ofRecording, ofSession, recordingPath } from '../recording-path.ts'
import { captionsReply, recordingOf, videoReply } from '../session-recordings.ts'
import { keyScopeForRecordings, sharedScope, type RecordingLinks } from './recording-links.ts'
import { recordingPage, refusedPage } from './recording-page.tsx'

export interface SharedRecordingDeps {
  readonly bus: NodeRequester
  readonly sessions: Pick<SessionService, 'get'>
  readonly recordingLinks: RecordingLinks
  readonly audit: Pick<RequestAudit, 'recordingOpened' | 'socketFacts'>
  readonly clock: Clock
}

/** So many events are listed on the page; captions have all. */
const eventRows = 500

const linkRequest = z.strictObject({
  ttl_seconds: lifetimeField.describe('Lifetime of the link in seconds.'),
  frame_ancestors: frameAncestorsField('the player'),
})

const linkJson = z.object({
  data: z.object({ recording_url: z.string(), expires_at: z.iso.datetime() }),
})

const withToken = z.object({ token: z.string().default('') })

export function sharedRecordingRoutes(deps: SharedRecordingDeps): readonly Route[] {
  return [linkRoute(deps), pageRoute(deps), ...fileRoutes(deps)]
}

function linkRoute({ bus, sessions, recordingLinks, clock }: SharedRecordingDeps): Route {
  return jsonRoute({
    auth: 'key',
    scope: keyScopeForRecordings,
    method: 'POST',
    path: `${recordingPath}/links`,
    audit: 'token.create',
    summary: 'Create a link to a recording, for people without a key.',
    description:
      'It opens a page with the player, and nothing else of the session; also before the session ' +
      'has ended. It works until it expires, until the recording is deleted, and until all tokens of ' +
      'the session are revoked.',
    params: ofRecording,
    body: linkRequest,
    response: linkJson,
    about: ({ data: { expires_at } }) => ({ detail: { scopes: sharedScope, expires_at } }),
    async handler({ caller, params, body, request }) {
      const view = await sessions.get(caller, params.session_id)
      assertKnown(view.id, params.recording_id)
      await recordingOf(bus, view)
      const { ttl_seconds, frame_ancestors: frameAncestors = [] } = body
      const expiresAtMs = clock.now() + ttl_seconds * 1_000
      const grant = { keyId: caller.keyId, expiresAtMs, frameAncestors }
      const recording_url = recordingLinks.url(request, view, grant)
      return { data: { recording_url, expires_at: toIsoTime(expiresAtMs) } }
    },
  })
}

function pageRoute({ bus, recordingLinks, audit }: SharedRecordingDeps): Route {
  return rawRoute({
    method: 'GET',
    path: '/recordings/{session_id}',
    summary: 'Watch a recording, with the token from its link.',
    description:
      'The page that people open. If the token is missing, invalid or expired, it says so, with ' +
      'status 401.',
    auth: 'none',
    params: ofSession,
    query: withToken,
    contentType: 'text/html',
    refusalPages: [401, 404, 503],
    async handler({ params: { session_id: sessionId }, query: { token }, request }) {
      const reply = (status: number, page: Markup, ancestors: readonly string[] = []) =>
        recordingPageReply(status, `<!doctype html>${toHtml(page)}`, request, ancestors)
      try {
        const { view, keyId, frameAncestors } = recordingLinks.opened(sessionId, token)
        const [recording, { events }] = await Promise.all([
          recordingOf(bus, view),
          readEvents(bus, view, { last: eventRows }),
        ])
        audit.recordingOpened(audit.socketFacts(request, { sessionId, keyId }, view))
        const shown = { sessionId, recording, events: events.filter(isOfFilm) }
        return reply(200, recordingPage({ ...shown, query: request.query }), frameAncestors)
      } catch (error) {
        const known = asServiceError(error)
        if (known.status >= 500 && known.status !== 503) throw error
        return reply(known.status, refusedPage(known))
      }
    },
  })
}

function fileRoutes({ bus, recordingLinks }: SharedRecordingDeps): readonly Route[] {
  const shared = { method: 'GET', auth: 'none', params: ofSession, query: withToken } as const
  return [
    rawRoute({
      ...shared,
      path: '/recordings/{session_id}/video',
      summary: 'Get the video of a recording, with the token from its link.',
      description: 'An MP4 file; `Range` gets parts of it.',
      contentType: 'video/mp4',
      handler({ params, query: { token }, request }) {
        const { view } = recordingLinks.opened(params.session_id, token)
        return videoReply(bus, view, request.headers.get('range'))
      },
    }),
    rawRoute({
      ...shared,
      path: '/recordings/{session_id}/captions',
      summary: 'Get the captions of a recording, with the token from its link.',
      description: 'WebVTT; without who did what.',
      contentType: 'text/vtt; charset=utf-8',
      handler({ params, query: { token } }) {
        const { view } = recordingLinks.opened(params.session_id, token)
        return captionsReply(bus, view, { isShared: true })
      },
    }),
  ]
}
