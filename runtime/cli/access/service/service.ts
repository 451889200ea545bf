/** A REST client of Surface A: sends one request, returns its data or throws one clear line. */
import { z } from 'zod'
import { limits } from '../../../../proto/limits.ts'
import { CommandFailed } from '../../command.ts'
import { unreachableService } from '../../service-base.ts'

export interface ServiceCall<T> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** The version to send as `If-Match`; `*`: any version. */
  readonly version?: number | '*'
  /** Schema of the whole answer, including the envelope. */
  readonly answer: z.ZodType<T>
}

/** The service refused the request. */
export class RequestRefused extends CommandFailed {
  readonly type: string
  readonly status: number

  constructor(status: number, type: string, message: string) {
    super(`${message} (${type})`)
    this.status = status
    this.type = type
  }
}

/** The schema of `{data: …}` with the fields that a command needs. */
export const dataOf = <T>(data: z.ZodType<T>) => z.object({ data }).transform((body) => body.data)

/** For answers without a body. */
export const noContent = z.undefined()

const errorBody = z.object({ error: z.object({ type: z.string(), message: z.string() }) })

/** Throws `RequestRefused`, or `CommandFailed` if the service does not answer. */
export async function callService<T>(
  base: string,
  token: string | undefined,
  order: ServiceCall<T>,
): Promise<T> {
  const { method, path, body, version, answer } = order
  const etag = version === '*' ? '*' : `"${version}"`
  let response: Response
  let text: string
  try {
    response = await fetch(base + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(version !== undefined && { 'if-match': etag }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The token must not be sent to another service.
      redirect: 'error',
      signal: AbortSignal.timeout(limits.requestHeldMs),
    })
    text = await response.text()
  } catch (error) {
    throw unreachableService(base, error)
  }
  const json = parseReply(text)
  if (!response.ok) throw toRefusal(response.status, json)
  const found = answer.safeParse(json)
  if (found.success) return found.data
  throw new CommandFailed(
    `${base} answers in a form that this command does not understand`,
    found.error,
  )
}

/** Throws `RequestRefused`, or `CommandFailed` if the service does not answer. */
export async function downloadFromService(
  base: string,
  token: string,
  { path, accept }: { readonly path: string; readonly accept: string },
): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(limits.requestHeldMs)
  const headers = { authorization: `Bearer ${token}`, accept }
  const response = await fetch(base + path, { headers, redirect: 'error', signal }).catch(
    (error: unknown) => {
      throw unreachableService(base, error)
    },
  )
  if (!response.ok) throw toRefusal(response.status, parseReply(await response.text()))
  return new Uint8Array(await response.arrayBuffer())
}

function toRefusal(status: number, json: unknown): RequestRefused {
  const { error } = errorBody.safeParse(json).data ?? {}
  return new RequestRefused(status, error?.type ?? 'unknown', error?.message ?? 'no reason given')
}

function parseReply(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined // Not JSON: the caller reports what it expected.
  }
}
