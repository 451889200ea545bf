/** Calls the service over REST as any client does, so it works with a service on any host. */
import { open, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
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

/**
 * Saves an answer that is not JSON in a new file, readable for its owner alone, and returns its bytes.
 * Throws {@link CommandFailed} with the service's own message, and leaves no part of a file.
 */
export async function downloadTo(path: string, name: string): Promise<number> {
  const response = await request(path)
  if (!response.ok || !response.body) return dataOf(await answerOf(response))
  const file = await open(name, 'wx', 0o600).catch((error: unknown) => {
    throw new CommandFailed(`${name} cannot be created: ${(error as Error).message}`, error)
  })
  const stream = file.createWriteStream()
  try {
    await pipeline(response.body, stream)
    return stream.bytesWritten
  } catch (error) {
    await rm(name, { force: true })
    throw new CommandFailed(`${name} was not received whole: ${(error as Error).message}`, error)
  }
}

async function send(method: string, path: string, sent: RequestInit = {}): Promise<CliAnswer> {
  const signal = AbortSignal.timeout(limits.requestHeldMs)
  return answerOf(await request(path, { ...sent, method, signal }))
}

/** With the key. Throws {@link CommandFailed} if the service does not answer. */
async function request(path: string, sent: RequestInit = {}): Promise<Response> {
  const base = serviceBase()
  const headers = { 'service-api-key': serviceKey(), ...(sent.headers as Record<string, string>) }
  try {
    return await fetch(base + path, { ...sent, headers })
  } catch (error) {
    throw unreachableService(base, error)
  }
}

const answerOf = async (response: Response): Promise<CliAnswer> => ({
  status: response.status,
  body: await response.json().catch(() => undefined),
})

function dataOf<T>({ status, body }: CliAnswer): T {
  const { data, error } = (body ?? {}) as { data?: T; error?: { message?: string } }
  if (status < 400 && data !== undefined) return data
  throw new CommandFailed(`${serviceBase()} answered ${status}: ${error?.message ?? 'no message'}`)
}

/** Encodes an id that a person has typed as a path segment. */
export const idPart = (id: string | undefined): string => encodeURIComponent(id ?? '')
