/**
 * The closed list of errors that may cross a wire, on both surfaces and between
 * roles. Body: `{error:{code:<http status>, type, message, request_id, …details}}`.
 * A message says what to do next.
 */
/**
 * What the caller may do with the same request. `never`: it fails again. `later`: a limit has to
 * free up first, after a while. `elsewhere`: nothing is wrong with the request; another try, which
 * may reach another process, may succeed at once.
 */
export type ErrorRetry = 'never' | 'later' | 'elsewhere'

interface ErrorRule {
  readonly status: number
  readonly retry: ErrorRetry
}

const never = (status: number): ErrorRule => ({ status, retry: 'never' })
const later = (status: number): ErrorRule => ({ status, retry: 'later' })
const elsewhere = (status: number): ErrorRule => ({ status, retry: 'elsewhere' })

const rules = {
  bad_request: never(400),
  unsupported_option: never(400),
  unknown_field: never(400),
  invalid_cursor: never(400),
  token_in_url: never(400),
  unauthorized: never(401),
  invalid_token: never(401),
  forbidden: never(403),
  origin_not_allowed: never(403),
  insufficient_scope: never(403),
  access_suspended: never(403),
  network_not_allowed: never(403),
  self_review: never(403),
  not_a_reviewer: never(403),
  step_up_required: never(403),
  not_found: never(404),
  element_not_found: never(404),
  method_not_allowed: never(405),
  not_acceptable: never(406),
  conflict: never(409),
  not_actionable: never(409),
  dialog_open: never(409),
  stale_ref: never(409),
  invalid_transition: never(409),
  change_required: never(409),
  already_reviewed: never(409),
  duplicate: never(409),
  idempotency_in_progress: never(409),
  secret_already_shown: never(409),
  session_ended: never(410),
  withdrawn: never(410),
  precondition_failed: never(412),
  too_large: never(413),
  unsupported_media_type: never(415),
  navigation_failed: never(422),
  task_failed: never(422),
  script_failed: never(422),
  validation_failed: never(422),
  not_in_scope: never(422),
  url_not_allowed: never(422),
  idempotency_key_reused: never(422),
  precondition_required: never(428),
  session_limit: later(429),
  queue_full: later(429),
  queue_timeout: later(429),
  rate_limited: later(429),
  quota_exceeded: later(429),
  internal: elsewhere(500),
  browser_start_failed: never(502),
  unavailable: elsewhere(503),
  busy: elsewhere(503),
  draining: elsewhere(503),
  authorization_unavailable: elsewhere(503),
  audit_unavailable: later(503),
  model_not_configured: never(503),
  timeout: elsewhere(504),
  storage_full: later(507),
} as const satisfies Readonly<Record<string, ErrorRule>>

export type ErrorType = keyof typeof rules
export const errorTypes = Object.keys(rules) as ErrorType[]

/**
 * Extra fields of an error's body: values that a client can act on (`limit`, `retry_after_seconds`,
 * `option` …).
 */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

export class ServiceError extends Error {
  readonly type: ErrorType
  readonly status: number
  readonly retry: ErrorRetry
  readonly details: ErrorDetails

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ServiceError'
    this.type = type
    this.status = rules[type].status
    this.retry = rules[type].retry
    this.details = details
  }
}

/** The plain-data form in which an error travels between roles. */
export interface WireError {
  readonly type: ErrorType
  readonly message: string
  readonly details?: ErrorDetails
}

export function toWireError(error: unknown): WireError {
  if (error instanceof ServiceError) {
    return { type: error.type, message: error.message, details: error.details }
  }
  return {
    type: 'internal',
    message: 'Something failed on our side; the service log has the details.',
  }
}

export function fromWireError(error: WireError): ServiceError {
  return new ServiceError(error.type, error.message, error.details)
}

/** True if another try may succeed in a moment, in this process or another one. */
export function mayTryElsewhere(error: unknown): boolean {
  return error instanceof ServiceError && error.retry === 'elsewhere'
}

/** True if the object does not exist or has ended. */
export function isGone(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ServiceError && error.type === 'session_ended')
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'not_found'
}
