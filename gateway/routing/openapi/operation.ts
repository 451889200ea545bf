/** Describes one route as an OpenAPI operation. */
import { z } from 'zod'
import { defined } from '../../../proto/defined.ts'
import type { Route } from '../route.ts'
import { errorsOf } from './errors.ts'
import { exampleOf } from './examples.ts'
import { schemaOf, type Direction, type Json } from './json.ts'
import { securityOf } from './security.ts'
import { tagsOf } from './tags.ts'

export function operationOf(route: Route): Json {
  return {
    tags: tagsOf(route.path),
    summary: route.summary.replace(/\.$/, ''),
    ...defined({ description: descriptionOf(route) }),
    operationId: operationId(route),
    security: securityOf(route.auth, route.scope),
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...headerParameters(route),
    ],
    ...requestBody(route),
    responses: {
      [route.status]: success(route),
      ...(route.hasEtag &&
        route.method === 'GET' && {
          304: { description: 'Not modified since the ETag that you sent.' },
        }),
      ...errorsOf(route),
      default: { $ref: '#/components/responses/Error500' },
    },
  }
}

/** For example `POST /v1/sessions/{session_id}/tags` → `post_sessions_session_id_tags`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/^\/v1/, '').match(/[A-Za-z_]+/g) ?? ['index']
  return [method.toLowerCase(), ...words].join('_')
}

/** The route's own text, followed by the general rules that its declaration implies. */
function descriptionOf(route: Route): string | undefined {
  const { description, makes, needsIfMatch, showsSecret, scope, auth } = route
  if (description === undefined) return undefined
  const scopes = [scope ?? 'any'].flat().filter((one) => one !== 'any')
  const names = scopes.map((one) => `\`${one}\``).join(' or ')
  const facts = [
    auth !== 'none' && scopes.length > 0 && `Requires a key with the scope ${names}.`,
    makes && 'Send an `Idempotency-Key` to retry safely.',
    showsSecret && 'The secret in the answer is shown only once.',
    needsIfMatch && 'Send the `ETag` that you last read as `If-Match`.',
  ]
  return [description, facts.filter(Boolean).join(' ')].filter(Boolean).join('\n\n')
}

function requestBody(route: Route): Json {
  const { method, form, example } = route
  const body = route.body ?? route.ownBody ?? form
  if (!body) return {}
  const schema = schemaOf(body, 'input')
  const required = !body.safeParse({}).success
  if (form) return { requestBody: { required, content: { 'multipart/form-data': { schema } } } }
  const content = { schema, ...exampled(example?.body, schema, route, 'input') }
  const json = { 'application/json': content }
  const patch = method === 'PATCH' && { 'application/merge-patch+json': content }
  return { requestBody: { required, content: { ...patch, ...json } } }
}

function success(route: Route): Json {
  const { response, contentType, example } = route
  const told = { description: route.status === 204 ? 'Success, without a body.' : 'Success.' }
  if (contentType === undefined) return { ...told, ...responseHeaders(route) }
  const schema = response && schemaOf(response, 'output')
  const shown = schema
    ? exampled(example?.answer, schema, route, 'output')
    : defined({ example: example?.answer })
  const types = [contentType].flat()
  const content = Object.fromEntries(
    types.map((type) => [type, { ...defined({ schema }), ...shown }] as const),
  )
  return { ...told, ...responseHeaders(route), content }
}

const exampled = (own: unknown, schema: Json, { path }: Route, io: Direction) => ({
  example: own ?? exampleOf(schema, io, path),
})

const text = { schema: { type: 'string' } } as const

function headerParameters({ method, makes, needsIfMatch, hasEtag }: Route): Json[] {
  const header = (name: string, required: boolean, description: string) => {
    return { name, in: 'header', required, description, ...text }
  }
  return [
    ...(makes
      ? [
          header(
            'Idempotency-Key',
            false,
            'A unique value of your choice; requests with the same value are done only once.',
          ),
        ]
      : []),
    ...(needsIfMatch
      ? [header('If-Match', true, 'The ETag that you last read, or * for any.')]
      : []),
    ...(hasEtag && method === 'GET'
      ? [header('If-None-Match', false, 'ETags that you have.')]
      : []),
  ]
}

function responseHeaders({ hasEtag, makes, status }: Route): Json {
  const headers = {
    ...(hasEtag && { ETag: { description: 'Version of the record, for If-Match.', ...text } }),
    ...(status === 201 && { Location: { description: 'URL of the created object.', ...text } }),
    ...(makes && {
      'Idempotent-Replayed': {
        description: 'true if this is the stored answer of an earlier request.',
        ...text,
      },
    }),
  }
  return Object.keys(headers).length > 0 ? { headers } : {}
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
