/**
 * Classifies errors of the NATS client: a lost race, an unknown outcome, or a problem that a person
 * must solve.
 */
import { BusTimeout, NoResponders } from '../bus.ts'
import { StoreConflict, StoreFull, StoreUnavailable } from '../store.ts'

/** The fields of the client's error that are read here. */
export interface ClientError extends Error {
  readonly code: string
  readonly chainedError?: Error
  /** Set if JetStream itself refused. */
  readonly api_error?: {
    readonly code: number
    readonly err_code?: number
    readonly description?: string
  }
}

/** This process cannot use its NATS server; the message says what to do. */
export class NatsUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NatsUnusable'
  }
}

/** Explains a failed connection to the operator, and whether waiting can help. */
export function diagnoseConnection(error: ClientError): { reason: string; lasting: boolean } {
  const code = error.code ?? ''
  const detail = `${error.message} ${error.chainedError?.message ?? ''}`
  if (/AUTHORIZATION|AUTHENTICATION|BAD_CREDS/.test(code)) {
    const reason =
      'does not accept our credentials: check NATS_USER and NATS_PASSWORD, NATS_TOKEN, ' +
      'NATS_NKEY_FILE or NATS_CREDS_FILE.'
    return { reason, lasting: true }
  }
  if (/TLS|CERT|SSL|SELF_SIGNED|SERVER_OPT_NA/i.test(`${code} ${detail}`)) {
    const reason = `and we do not agree on TLS (${detail.trim()}): check NATS_CA_FILE and NATS_CERT_FILE.`
    return { reason, lasting: true }
  }
  if (/REFUSED/.test(`${code} ${detail}`)) {
    const reason = 'refuses connections: start nats-server there, or correct NATS_URL.'
    return { reason, lasting: false }
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(`${code} ${detail}`)) {
    return { reason: 'has an unknown host name: correct NATS_URL.', lasting: false }
  }
  return { reason: `cannot be reached (${detail.trim() || code}).`, lasting: false }
}

/**
 * No answer came, so it is unknown whether the request was served. `503` is treated separately
 * where possible.
 */
const unansweredCodes = new Set([
  'TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DRAINING',
  'DISCONNECT',
])
const nobodyThere = '503'

export function busError(error: unknown, subject: string, timeoutMs: number): unknown {
  const { code } = error as ClientError
  if (isUnheard(error)) return new NoResponders(subject)
  if (!unansweredCodes.has(code)) return error
  const timeout = new BusTimeout(subject, timeoutMs)
  timeout.cause = error
  return timeout
}

const apiErrors = {
  noMessage: 10037,
  noStream: 10059,
  accountFull: 10002,
  serverFull: 10023,
  storageFull: 10047,
  wrongLastSequence: 10071,
  /** The stream could not store a message; only the error's text says that it is full. */
  notStored: 10077,
  /** Since 2.12: another write to the subject is in progress. */
  wrongLastSequencePending: 10164,
} as const

export function isNoMessage(error: unknown): boolean {
  return (error as ClientError).api_error?.err_code === apiErrors.noMessage
}

export function isNoStream(error: unknown): boolean {
  return (error as ClientError).api_error?.err_code === apiErrors.noStream
}

const fullCodes: ReadonlySet<number | undefined> = new Set([
  apiErrors.accountFull,
  apiErrors.serverFull,
  apiErrors.storageFull,
])

/** True if there is no room for a message, or for a stream of the requested size. */
export function isNoRoom(error: unknown): boolean {
  const { api_error: refusal } = error as ClientError
  const isUnstored = refusal?.err_code === apiErrors.notStored
  if (isUnstored && refusal?.description?.startsWith('maximum ')) return true
  return fullCodes.has(refusal?.err_code)
}

/** True if nobody listens on the subject of a request: nothing was done. */
export const isUnheard = (error: unknown): boolean => (error as ClientError).code === nobodyThere

/** True if our user has no permission. */
export function isDenied(error: unknown): boolean {
  return (error as ClientError).code === 'PERMISSIONS_VIOLATION'
}

/** A server can never give a stream more than it has, so waiting does not help. */
export function reservesTooMuch(error: unknown): boolean {
  return (error as ClientError).api_error?.err_code === apiErrors.storageFull
}

/** Awaits an answer of the store and classifies its error. */
export async function withStoreErrors<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw storeError(what, error)
  }
}

export function storeError(what: string, error: unknown): unknown {
  const { code, api_error: refusal } = error as ClientError
  if (isNoRoom(error)) return new StoreFull(what, error)
  switch (refusal?.err_code) {
    case apiErrors.wrongLastSequence:
    case apiErrors.wrongLastSequencePending:
      return new StoreConflict(what, error)
    // A server that is catching up with its cluster does not know every stream yet.
    case apiErrors.noStream:
      return new StoreUnavailable(what, error)
    default:
      return unansweredCodes.has(code) || code === nobodyThere || (refusal?.code ?? 0) >= 500
        ? new StoreUnavailable(what, error)
        : error
  }
}
