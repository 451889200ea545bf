/** The live view of a session. Until it can show a desktop, the page says how the session fares. */
import { z } from 'zod'
import { isId } from '../../proto/ids.ts'
import type { SessionView } from '../../proto/session.ts'
import type { Clock } from '../../runtime/clock.ts'
import { liveTokenMatches } from '../live-token.ts'
import { htmlReply } from '../reply.ts'
import { rawRoute, type Route } from '../route.ts'
import type { SessionViews } from '../sessions.ts'
import { fill, web } from '../web.ts'

export interface LiveRouteDeps {
  readonly views: SessionViews
  readonly serviceSecret: string
  readonly clock: Clock
}

const states: Readonly<Record<SessionView['status'], string>> = {
  starting: 'Its browser is being made ready.',
  running: 'Its browser is running.',
  ending: 'It is ending.',
  completed: 'It has ended.',
  failed: 'It has failed.',
  lost: 'It is lost.',
}

export function liveRoutes({ views, serviceSecret, clock }: LiveRouteDeps): readonly Route[] {
  return [
    rawRoute({
      method: 'GET',
      path: '/live/{session_id}',
      summary: 'The live view of a session; opened by the token in its live_view_url.',
      auth: 'none',
      params: z.object({ session_id: z.string() }),
      query: z.object({ token: z.string().default('') }),
      contentType: 'text/html',
      handler({ params: { session_id: id }, query: { token } }) {
        if (!isId('ses', id) || !liveTokenMatches(token, serviceSecret, id, clock.now())) {
          const headline = 'This link does not open a live view'
          const text = 'It is wrong or too old. GET /v1/sessions/{id} gives a fresh live_view_url.'
          return htmlReply(401, fill(web.live, { headline, text, details: '' }))
        }
        return htmlReply(200, fill(web.live, describe(id, views.get(id))))
      },
    }),
  ]
}

function describe(id: string, view: SessionView | undefined): Record<string, string> {
  const headline = `Session ${id}`
  if (!view) return { headline, text: 'Nothing is known of it yet.', details: '' }
  const until =
    view.expiresAtMs && `It ends at ${new Date(view.expiresAtMs).toISOString()} at the latest.`
  const why = view.message ?? view.reason
  return {
    headline,
    text: [states[view.status], why && `Reason: ${why}.`, until].filter(Boolean).join(' '),
    details: view.options.headless
      ? 'It is a headless session: it has no desktop to show. Connect a CDP client to its cdp_url.'
      : 'Its desktop cannot be shown here yet. Connect a CDP client to its cdp_url.',
  }
}
