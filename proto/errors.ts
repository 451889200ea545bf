/**
 * The closed list of errors that may cross a wire, on both surfaces and between
 * roles. Body: `{error:{code:<http status>, type, message, request_id, …details}}`.
 * A message says what to do next.
 */
const statusOf = {
  bad_request: 400,
  unsupported_option: 400,
  unauthorized: 401,
  forbidden: 403,
  origin_not_allowed: 403,
  not_found: 404,
  element_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  not_actionable: 409,
  dialog_open: 409,
  stale_ref: 409,
  session_ended: 410,
  too_large: 413,
  unsupported_media_type: 415,
  navigation_failed: 422,
  task_failed: 422,
  session_limit: 429,
  queue_full: 429,
  queue_timeout: 429,
  rate_limited: 429,
  internal: 500,
  browser_start_failed: 502,
  unavailable: 503,
  busy: 503,
  draining: 503,
  timeout: 504,
} as const

export type ErrorType = keyof typeof statusOf
export const errorTypes = Object.keys(statusOf) as ErrorType[]

/**
 * Extra fields of an error's body: numbers a client can act on (`limit`,
 * `retry_after_seconds`, `option` …).
 */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

export class ServiceError extends Error {
  readonly type: ErrorType
  readonly status: number
  readonly details: ErrorDetails

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ServiceError'
    this.type = type
    this.status = statusOf[type]
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
  return { type: 'internal', message: 'Something failed on our side; the log names this request.' }
}

export function fromWireError(error: WireError): ServiceError {
  return new ServiceError(error.type, error.message, error.details)
}
