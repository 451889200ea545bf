/**
 * A client of the service's REST API for the tools. `troupe-mcp` calls it over HTTP; a gateway
 * calls its own routes without a socket.
 */
import { commandCatalogue } from '../../proto/commands/catalogue.ts'
import type { Command } from '../../proto/commands/command.ts'
import { defined } from '../../proto/defined.ts'
import { ServiceError, errorTypes, type ErrorDetails, type ErrorType } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { hasBrowser, type SessionStatus } from '../../proto/session/session.ts'
import { mcpLimits } from './limits.ts'

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Set if sending the request twice has the same effect as sending it once. */
  readonly isRepeatable: boolean
}

export interface ServiceAnswer {
  readonly status: number
  /** The parsed JSON, or the bytes of a file. */
  readonly body: unknown
}

/** Sends one request to the service. Throws a `ServiceError` if the service does not answer. */
export type ServiceRequester = (request: ServiceRequest) => Promise<ServiceAnswer>

export interface CreatedSession {
  readonly id: string
  readonly cdp_url: string
  readonly live_view_url: string
}

export interface SessionRow {
  readonly id: string
  readonly status: string
  readonly headless: boolean
  readonly created_at: string
  readonly tags: readonly string[]
}

export interface SessionWish {
  readonly headful: boolean
  readonly url?: string | undefined
  readonly tags: readonly string[]
}

export type JsonObject = Readonly<Record<string, unknown>>

/** The tag of all sessions that MCP tools created, so that they can be recognised in lists. */
const tag = 'mcp'

export class ServiceClient {
  readonly #call: ServiceRequester

  constructor(call: ServiceRequester) {
    this.#call = call
  }

  /** Returns the output of the command; bytes in it are base64. */
  run(session: string, command: string, input: unknown, signal?: AbortSignal): Promise<JsonObject> {
    const path = `${pathOf(session)}/commands/${command}`
    const isRepeatable = safeCommands.has(command)
    return this.#data({
      method: 'POST',
      path,
      body: input,
      isRepeatable,
      ...(signal && { signal }),
    })
  }

  /** The idle time is long, because a model may think for minutes between two steps. */
  create({ headful, url, tags }: SessionWish): Promise<CreatedSession> {
    const timeout = {
      max_duration: mcpLimits.mcpMaxMinutes,
      idle_timeout: mcpLimits.mcpIdleMinutes,
    }
    const session = {
      tags: [tag, ...tags],
      timeout,
      ...defined({ initial_url: url }),
    }
    const browser = { headless: { active: !headful } }
    const body = { session, browser }
    return this.#data({ method: 'POST', path: '/v1/sessions', body, isRepeatable: false })
  }

  /** The running sessions, newest first. */
  async running(tags: readonly string[] = []): Promise<readonly SessionRow[]> {
    const query = new URLSearchParams({
      status: 'running',
      sort_order: 'desc',
      limit: String(limits.pageRows),
      ...(tags.length > 0 && { tags: tags.join(',') }),
    })
    const path = `/v1/sessions?${query}`
    const { sessions } = await this.#get<{ sessions: SessionRow[] }>(path)
    return sessions
  }

  async end(session: string): Promise<void> {
    await this.#data({ method: 'DELETE', path: pathOf(session), isRepeatable: true })
  }

  /** False also for an unknown session. */
  async hasBrowser(session: string): Promise<boolean> {
    try {
      const { status } = await this.#get<{ status: SessionStatus }>(pathOf(session))
      return hasBrowser(status)
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'not_found') return false
      throw error
    }
  }

  #get<T>(path: string): Promise<T> {
    return this.#data<T>({ method: 'GET', path, isRepeatable: true })
  }

  /** Returns `data` of the answer; throws the service's error for a refusal. */
  ask<T>(request: Omit<ServiceRequest, 'isRepeatable'>): Promise<T> {
    return this.#data({ ...request, isRepeatable: request.method === 'GET' })
  }

  /** The bytes of a file. */
  async bytes(path: string): Promise<Uint8Array> {
    const { status, body } = await this.#call({ method: 'GET', path, isRepeatable: true })
    if (status === 200 && body instanceof Uint8Array) return body
    throw toServiceError(status, body)
  }

  async #data<T>(request: ServiceRequest): Promise<T> {
    const { status, body } = await this.#call(request)
    if (status === 200) return (body as { data: T }).data
    throw toServiceError(status, body)
  }
}

const safeCommands: ReadonlySet<string> = new Set(
  commandCatalogue.flatMap(({ name, repeat }: Command) => (repeat === 'safe' ? name : [])),
)

/** The service sends files with this content type, never as JSON. */
export const isFile = (contentType: string | null | undefined): boolean =>
  contentType?.startsWith('application/octet-stream') ?? false

const pathOf = (session: string) => `/v1/sessions/${encodeURIComponent(session)}`

interface ErrorBody {
  readonly error?: { readonly type?: string; readonly message?: string } & ErrorDetails
}

/** The error of the service; for a proxy's answer without one, an `unavailable`. */
function toServiceError(status: number, body: unknown): ServiceError {
  const { error } = (body ?? {}) as ErrorBody
  if (error?.message === undefined) {
    return new ServiceError(
      'unavailable',
      `The service answered with status ${status} and no error message.`,
    )
  }
  const { type, message, code: _, ...details } = error
  const known = errorTypes.find((each) => each === type) satisfies ErrorType | undefined
  return new ServiceError(known ?? 'internal', message, details as ErrorDetails)
}
