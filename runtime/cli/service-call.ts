/** Calls the service over REST as any client does, so it works with a service on any host. */
import { limits } from '../../proto/limits.ts'
import { CommandFailed } from './command.ts'
import { baseVariable, serviceBase, serviceKey, unreachableService } from './service-base.ts'

export const callVariables = {
  ...baseVariable,
  SVC_API_KEY: 'The key to use. (default: the development key)',
} as const

export interface CliAnswer {
  readonly status: number
  /** Undefined if the body is not JSON. */
  readonly body: unknown
}

/** Returns any answer of the service. Throws {@link CommandFailed} if there is none. */
export async function askService(method: string, path: string, body?: unknown): Promise<CliAnswer> {
  const base = serviceBase()
  try {
    const response = await fetch(base + path, {
      method,
      headers: {
        'service-api-key': serviceKey(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(limits.requestHeldMs),
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  } catch (error) {
    throw unreachableService(base, error)
  }
}

/** The `data` of an answer. Throws {@link CommandFailed} with the service's own message. */
export async function callService<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await askService(method, path, body)
  const { data, error } = (answer.body ?? {}) as {
    data?: T
    error?: { message?: string }
  }
  if (answer.status < 400 && data !== undefined) return data
  throw new CommandFailed(
    `${serviceBase()} answered ${answer.status}: ${error?.message ?? 'no message'}`,
  )
}

/** Encodes an id that a person has typed as a path segment. */
export const idPart = (id: string | undefined): string => encodeURIComponent(id ?? '')
