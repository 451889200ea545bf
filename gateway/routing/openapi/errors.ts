/** The error answers of a route by status; all errors have the same shape. */
import { z } from 'zod'
import { errorTypes, ServiceError } from '../../../proto/errors.ts'
import type { Route } from '../route.ts'
import { schemaOf, type Json } from './json.ts'

const errorBody = z.object({
  error: z
    .looseObject({
      code: z.number().int().describe('HTTP status code.'),
      type: z.enum(errorTypes as [string, ...string[]]),
      message: z.string().describe('What is wrong, and what to do next.'),
      request_id: z
        .string()
        .describe('Id of the request, as in the header x-request-id and in the log.'),
    })
    .describe(
      'May contain further fields, depending on the error: option, field, faults, reason, ' +
        'current, limit, position …',
    ),
})

export const errorSchema = schemaOf(errorBody, 'output')

interface StatusText {
  readonly text: string
  /** The type and the message of the example. */
  readonly example: readonly [type: (typeof errorTypes)[number], message: string]
}

const statuses: Readonly<Record<number, StatusText>> = {
  400: {
    text: 'The request is invalid, or names an option that is not supported.',
    example: ['unsupported_option', 'sesion is not a known field. Known fields: session, browser.'],
  },
  401: {
    text: 'The key or the token is missing, unknown, expired or revoked.',
    example: ['unauthorized', 'This key is unknown or was revoked.'],
  },
  403: {
    text: 'The caller is authenticated but not allowed to do this.',
    example: [
      'forbidden',
      'This key does not allow that: it needs the scope sessions, but has view.',
    ],
  },
  404: {
    text: 'The object does not exist, or belongs to another tenant.',
    example: ['not_found', 'There is no session with this id.'],
  },
  409: {
    text: 'The request conflicts with the current state.',
    example: ['conflict', 'The task has ended (done).'],
  },
  410: {
    text: 'The object has ended; the error contains the reason.',
    example: ['session_ended', 'The session has ended (idle); create another one.'],
  },
  412: {
    text: 'The object has changed since the version that If-Match names.',
    example: ['precondition_failed', 'The record has changed; read it again.'],
  },
  413: {
    text: 'The body is larger than this route accepts.',
    example: ['too_large', 'The body may have 1048576 bytes at most.'],
  },
  415: {
    text: 'The content type of the body is not supported by this route.',
    example: [
      'unsupported_media_type',
      'The body must be JSON: send content-type: application/json.',
    ],
  },
  422: {
    text: 'The request is well-formed but cannot be carried out.',
    example: ['navigation_failed', 'The page could not be reached: net::ERR_NAME_NOT_RESOLVED.'],
  },
  428: {
    text: 'The header If-Match is missing.',
    example: ['precondition_required', 'Send If-Match with the ETag that you read.'],
  },
  429: {
    text: 'A limit was reached; Retry-After says when to retry.',
    example: [
      'session_limit',
      'This key can have at most 5 sessions at once; end one (DELETE /v1/sessions/{id}) or wait.',
    ],
  },
  500: {
    text: 'Any other error; the log has the details under the request_id.',
    example: ['internal', 'Something failed on our side; the service log has the details.'],
  },
  503: {
    text: 'Temporarily unavailable; try again after Retry-After.',
    example: ['draining', 'This gateway is shutting down; use another one.'],
  },
  504: {
    text: 'The operation timed out. It may still complete.',
    example: ['timeout', 'Not within 300 ms: the network to be quiet. Take a snapshot.'],
  },
}

/** All error answers, for `components.responses`. */
export const errorResponses: Json = Object.fromEntries(
  Object.entries(statuses).map(([status, { text, example }]) => [
    `Error${status}`,
    responseOf(Number(status), text, example),
  ]),
)

function responseOf(status: number, text: string, [type, message]: StatusText['example']): Json {
  const types = errorTypes.filter((each) => new ServiceError(each, '').status === status)
  const names = types.map((each) => `\`${each}\``).join(', ')
  const error = { code: status, type, message, request_id: 'req_06f8q2v9c4x1m7k3t5w0n8b2dr' }
  return {
    description: `${text} Types: ${names}.`,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { error },
      },
    },
  }
}

/** The errors that a route can answer with, derived from its declaration. */
export function errorsOf(route: Route): Json {
  const refs = statusesOf(route).map((status) => [
    status,
    route.refusalPages?.includes(status)
      ? { description: statuses[status]!.text, content: { 'text/html': {} } }
      : { $ref: `#/components/responses/Error${status}` },
  ])
  return Object.fromEntries(refs) as Json
}

function statusesOf(route: Route): readonly number[] {
  const { auth, params, body, form, ownBody, needsIfMatch, makes, method, path } = route
  const hasBody = [body, form, ownBody].some((one) => one !== undefined)
  const isOfSession = path.includes('{session_id}')
  const isOfPage = isOfSession || path.startsWith('/v1/tools/')
  // These routes have their credential in the body or the query.
  const opens = /^\/(live|recordings|v1\/sign-in)\b/.test(path)
  const acts = method !== 'GET'
  const rules: readonly (readonly [status: number, applies: boolean])[] = [
    [400, true],
    [401, auth !== 'none' || opens],
    [403, auth !== 'none'],
    [404, params !== undefined || isOfPage || makes === true],
    [409, makes === true || (acts && (params !== undefined || isOfPage))],
    [410, isOfPage],
    [412, needsIfMatch === true],
    [413, hasBody],
    [415, hasBody],
    [422, makes === true || needsIfMatch === true || hasBody || (isOfSession && acts)],
    [428, needsIfMatch === true],
    [429, auth !== 'none' || opens],
    [503, auth !== 'none' || /^\/(recordings\b|health\/ready$)/.test(path)],
    [504, isOfPage],
  ]
  return rules.filter(([, applies]) => applies).map(([status]) => status)
}
