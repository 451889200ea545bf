/** Generates the OpenAPI document from the table of routes. */
import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import { errorTypes } from '../../../proto/errors.ts'
import { version } from '../../../runtime/lib/package.ts'
import type { WantedScope } from '../auth/key-scope.ts'
import type { Auth, Route } from '../route.ts'

type Json = Readonly<Record<string, unknown>>

const errorBody = z.object({
  error: z
    .looseObject({
      code: z.number().int().describe('The HTTP status again.'),
      type: z.enum(errorTypes as [string, ...string[]]),
      message: z.string().describe('What to do next.'),
      request_id: z.string(),
    })
    .describe('With further fields where they help: option, field, current, limit, position …'),
})

/** OpenAPI cannot describe sockets, so this text does. */
const description = `Self-hosted cloud browsers. A session is a warm Chromium: connect any CDP \
client to its \`cdp_url\`, or open its \`live_view_url\` in a browser. A web task is a goal in words \
that an AI model reaches in a session. Its steps are sent as JSON by the WebSocket \
\`/ws?taskId=…&since=0&apiKey=…\`, those of all tasks of a session with \`sessionId=…\`.`

export function openApi(routes: readonly Route[], serverUrl: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    if (route.isInternal) continue
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version,
      description,
    },
    servers: [{ url: serverUrl }],
    paths,
    components: { schemas: { Error: schemaOf(errorBody, 'output') }, securitySchemes },
  }
}

const securitySchemes = {
  key: { type: 'apiKey', in: 'header', name: 'service-api-key' },
  bearerKey: { type: 'http', scheme: 'bearer' },
  contractKey: { type: 'apiKey', in: 'header', name: 'anchor-api-key' },
  accessToken: { type: 'http', scheme: 'bearer' },
  socketKey: { type: 'apiKey', in: 'query', name: 'apiKey' },
}
const keyWays = [{ key: [] }, { contractKey: [] }, { bearerKey: [] }] as const
const ways = {
  none: [],
  key: keyWays,
  bearer: keyWays,
  access: [{ accessToken: [] }],
  socket: [{ socketKey: [] }, ...keyWays],
  opener: [{ socketKey: [] }, ...keyWays],
} as const

/** Lists each authentication method with each scope that is enough on its own. */
function securityOf(auth: Auth, scope: WantedScope = 'any'): readonly Json[] {
  if (scope === 'any') return ways[auth]
  const scopes = typeof scope === 'string' ? [scope] : scope
  return ways[auth].flatMap((way) =>
    scopes.map((one) => Object.fromEntries(Object.keys(way).map((name) => [name, [one]]))),
  )
}

function operation(route: Route): Json {
  const { summary, auth, scope, response, contentType, status } = route
  const body = route.body ?? route.form
  const ok = response ? { schema: schemaOf(response, 'output') } : {}
  const content = contentType !== undefined && { content: { [contentType]: ok } }
  return {
    summary,
    operationId: operationId(route),
    security: securityOf(auth, scope),
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...headerParameters(route),
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: contentOf(route, { schema: schemaOf(body, 'input') }),
      },
    }),
    responses: {
      [status]: { description: 'Done.', ...responseHeaders(route), ...content },
      ...(route.hasEtag && route.method === 'GET' && { 304: { description: 'As you have it.' } }),
      default: {
        description: 'Refused or failed.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

function contentOf({ method, form }: Route, content: Json): Json {
  if (form) return { 'multipart/form-data': content }
  const json = { 'application/json': content }
  return method === 'PATCH' ? { 'application/merge-patch+json': content, ...json } : json
}

const text = { schema: { type: 'string' } } as const

function headerParameters({ method, makes, needsIfMatch, hasEtag }: Route): Json[] {
  const header = (name: string, required: boolean, description: string) => {
    return { name, in: 'header', required, description, ...text }
  }
  return [
    ...(makes ? [header('Idempotency-Key', false, 'Yours; its request is done once.')] : []),
    ...(needsIfMatch ? [header('If-Match', true, 'The ETag that you last read, or *.')] : []),
    ...(hasEtag && method === 'GET' ? [header('If-None-Match', false, 'ETags you have.')] : []),
  ]
}

function responseHeaders({ hasEtag, makes, status }: Route): Json {
  const headers = {
    ...(hasEtag && { ETag: { description: 'Its version, for If-Match.', ...text } }),
    ...(status === 201 && { Location: { description: 'Where it is.', ...text } }),
    ...(makes && { 'Idempotent-Replayed': { description: 'true: a kept answer.', ...text } }),
  }
  return Object.keys(headers).length > 0 ? { headers } : {}
}

/** For example `POST /v1/sessions/{session_id}/tags` → `post_sessions_session_id_tags`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/^\/v1/, '').match(/[A-Za-z_]+/g) ?? ['index']
  return [method.toLowerCase(), ...words].join('_')
}

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...rest } = schemaOf(field, 'input')
    return {
      name,
      in: where,
      required: where === 'path' || !field.safeParse(undefined).success,
      ...defined({ description }),
      schema: rest,
    }
  })
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
