/** The stored form of an answer, for repeats of a request. */
import { defined } from '../../../proto/defined.ts'
import { ServiceError, type ErrorDetails } from '../../../proto/errors.ts'
import type { HttpReply } from '../../server/http.ts'
import type { Route } from '../route.ts'
import { routingLimits } from '../limits.ts'

export type StoredAnswer =
  | {
      readonly kind: 'whole'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** The body is not stored, only the id of the created object. */
  | { readonly kind: 'secret' | 'large'; readonly id?: string }

/**
 * False for refusals and our own errors: nothing was done, so a repeat may try. 422 is the result of
 * work that was done and failed, such as a task's.
 */
export function isStorable({ status }: HttpReply): boolean {
  return status < 400 || status === 422
}

export function storedAnswerOf(
  { showsSecret }: Route,
  { status, headers, body }: HttpReply,
): StoredAnswer {
  if (body === undefined) return { kind: 'whole', status, headers }
  const isSecret = showsSecret === true && status < 400
  if (isSecret) return { kind: 'secret', ...idIn(body) }
  const isSmall =
    typeof body === 'string' && Buffer.byteLength(body) <= routingLimits.idempotencyBytes
  return isSmall ? { kind: 'whole', status, headers, body } : { kind: 'large', ...idIn(body) }
}

export function storedReplyOf(answer: StoredAnswer): HttpReply {
  if (answer.kind === 'whole') {
    const { status, headers, body } = answer
    const marked = { ...headers, 'idempotent-replayed': 'true' }
    return { status, headers: marked, ...defined({ body }) }
  }
  const details: ErrorDetails = answer.id === undefined ? {} : { id: answer.id }
  if (answer.kind === 'secret') {
    const text = 'This request was already done and its secret shown once; create another one.'
    throw new ServiceError('secret_already_shown', text, details)
  }
  const text =
    'This request was already done. Its answer was too large to keep: read what it created.'
  throw new ServiceError('conflict', text, details)
}

/** The id of an answer in our own JSON format: `data.id`. */
function idIn(body: NonNullable<HttpReply['body']>): { readonly id?: string } {
  if (typeof body !== 'string') return {}
  const value: unknown = JSON.parse(body)
  const data = isObject(value) ? value['data'] : undefined
  const id = isObject(data) ? data['id'] : undefined
  return typeof id === 'string' ? { id } : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
