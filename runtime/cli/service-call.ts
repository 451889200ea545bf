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
export function askService(method: string, path: string, body?: unknown): Promise<CliAnswer> {
  if (body === undefined) return send(method, path)
  const headers = { 'content-type': 'application/json' }
  return send(method, path, { headers, body: JSON.stringify(body) })
}

/** The `data` of an answer. Throws {@link CommandFailed} with the service's own message. */
export async function callService<T>(method: string, path: string, body?: unknown): Promise<T> {
  return dataOf<T>(await askService(method, path, body))
}

/** The same for a form with a file. */
export async function sendForm<T>(path: string, form: FormData): Promise<T> {
  return dataOf<T>(await send('POST', path, { body: form }))
}

async function send(method: string, path: string, sent: RequestInit = {}): Promise<CliAnswer> {
  const base = serviceBase()
  try {
    const response = await fetch(base + path, {
      ...sent,
      method,
      headers: { 'service-api-key': serviceKey(), ...(sent.headers as Record<string, string>) },
      signal: AbortSignal.timeout(limits.requestHeldMs),
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  } catch (error) {
    throw unreachableService(base, error)
  }
}

function dataOf<T>({ status, body }: CliAnswer): T {
  const { data, error } = (body ?? {}) as { data?: T; error?: { message?: string } }
  if (status < 400 && data !== undefined) return data
  throw new CommandFailed(`${serviceBase()} answered ${status}: ${error?.message ?? 'no message'}`)
}

/** Encodes an id that a person has typed as a path segment. */
export const idPart = (id: string | undefined): string => encodeURIComponent(id ?? '')
