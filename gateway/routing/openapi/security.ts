/** The authentication methods as OpenAPI security schemes. */
import type { WantedScope } from '../auth/key-scope.ts'
import type { Auth } from '../route.ts'
import type { Json } from './json.ts'

const tokenOfSession =
  'A token from `POST /v1/sessions/{session_id}/tokens` works here as well, within its scopes.'

export const securitySchemes = {
  key: {
    type: 'apiKey',
    in: 'header',
    name: 'service-api-key',
    description:
      'A key of the service. `npm run troupe -- keys create` creates one; while the service listens ' +
      `on this machine only, the development key works too. ${tokenOfSession}`,
  },
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key, sent as `Authorization: Bearer`.',
  },
  contractKey: {
    type: 'apiKey',
    in: 'header',
    name: 'anchor-api-key',
    description:
      'The same key, under the header name that clients of the browser-service contract send.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Scoped access: the token of a grant (`spat_…`), or the session of a signed-in person ' +
      '(`POST /v1/sign-in`). The portal keeps its session in an HttpOnly cookie, which these ' +
      'routes do not accept. A token sent in a URL is refused and revoked.',
  },
  socketKey: {
    type: 'apiKey',
    in: 'query',
    name: 'apiKey',
    description: 'The key in the query, as in a `cdp_url`; only for WebSockets and `/json/*`.',
  },
} as const

const keyWays = [{ key: [] }, { contractKey: [] }, { bearerKey: [] }] as const
const ways = {
  none: [],
  key: keyWays,
  bearer: keyWays,
  access: [{ accessToken: [] }],
  socket: [{ socketKey: [] }, ...keyWays],
  opener: [{ socketKey: [] }, ...keyWays],
} as const satisfies Record<Auth, readonly Readonly<Record<string, readonly never[]>>[]>

/** Lists each authentication method with each scope that is enough on its own. */
export function securityOf(auth: Auth, scope: WantedScope = 'any'): readonly Json[] {
  if (scope === 'any') return ways[auth]
  const scopes = typeof scope === 'string' ? [scope] : scope
  return ways[auth].flatMap((way) =>
    scopes.map((one) => Object.fromEntries(Object.keys(way).map((name) => [name, [one]]))),
  )
}
