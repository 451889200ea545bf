/** Tokens that give access to parts of a session for a limited time, to share instead of a key. */
import { z } from 'zod'
import { endedError, isFinal } from '../../../proto/session/session.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { ServiceUrls } from '../../routing/service-urls.ts'
import { toIsoTime } from '../../routing/answers/iso-time.ts'
import type { LiveLinks } from './links.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { successJson } from '../session-json.ts'
import type { SessionService } from '../sessions.ts'
import { tokenScopeNames } from '../../routing/auth/token-scope.ts'
import type { SessionTokens } from './session-tokens.ts'
import { lifetimeField } from './link-fields.ts'

export interface TokenRouteDeps {
  readonly sessions: SessionService
  readonly addresses: ServiceUrls
  readonly links: LiveLinks
  readonly tokens: SessionTokens
  readonly clock: Clock
}

const scope = z.enum(tokenScopeNames)

const tokenRequest = z.strictObject({
  scopes: z
    .array(scope)
    .min(1)
    .describe(
      'cdp: connect a CDP client. view, control: open the live view. files: use uploads, ' +
        'downloads and files for agents, with the token in the header service-api-key.',
    ),
  ttl_seconds: lifetimeField.describe(
    'Lifetime of the token in seconds. When it expires, connections opened with it are closed.',
  ),
})

const tokenJson = z.object({
  data: z.object({
    token: z.string(),
    scopes: z.array(scope),
    expires_at: z.iso.datetime(),
    cdp_url: z.string().optional().describe('For any CDP client; present with scope cdp.'),
    live_view_url: z
      .string()
      .optional()
      .describe('For a web browser; present with scope view or control.'),
  }),
})

export function tokenRoutes(deps: TokenRouteDeps): readonly Route[] {
  const { sessions, addresses, links, tokens, clock } = deps
  const shared = {
    path: '/v1/sessions/{session_id}/tokens',
    auth: 'key',
    params: z.object({ session_id: z.string() }),
  } as const
  return [
    jsonRoute({
      ...shared,
      method: 'POST',
      audit: 'token.create',
      summary: 'Create a token for parts of a session, for a limited time.',
      description:
        'Give it to others to connect over CDP, watch, control, or exchange files of this one ' +
        'session, until it expires or is revoked. It never allows more than your key.',
      scope: ['drive', 'view', 'files'],
      body: tokenRequest,
      response: tokenJson,
      about: ({ data: { scopes, expires_at } }) => ({
        detail: { scopes: scopes.join(', '), expires_at },
      }),
      async handler({ caller: { keyId, tenant }, params, body, request }) {
        const view = await sessions.get({ tenant }, params.session_id)
        if (isFinal(view.status)) throw endedError(view)
        const scopes = tokenScopeNames.filter((name) => body.scopes.includes(name))
        const expiresAtMs = clock.now() + body.ttl_seconds * 1_000
        const token = tokens.mint(view, { scopes, keyId, expiresAtMs })
        const mode = (['control', 'view'] as const).find((name) => scopes.includes(name))
        const link = mode && links.mint(view, { mode, keyId, expiresAtMs })
        const query = `apiKey=${token}&sessionId=${view.id}`
        return {
          data: {
            token,
            scopes,
            expires_at: toIsoTime(expiresAtMs),
            ...(scopes.includes('cdp') && { cdp_url: `${addresses.ws(request)}/?${query}` }),
            ...(link !== undefined && { live_view_url: links.url(request, view.id, link) }),
          },
        }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'DELETE',
      audit: 'token.end_all',
      summary: 'Revoke all tokens of a session and all links to its live view.',
      description:
        'Connections and views opened with them are closed. The session continues, and your ' +
        'key stays valid.',
      scope: ['sessions', 'drive', 'view', 'files'],
      response: successJson,
      async handler({ caller, params }) {
        await sessions.endLiveLinks(caller, params.session_id)
        return { data: { status: 'success' } } as const
      },
    }),
  ]
}
