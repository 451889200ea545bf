/** Requests of Surface A as any HTTP client sends them, and their answers. */
import { until } from '../lib/until.ts'

export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined where the answer is not JSON. */
  readonly body: unknown
}

export interface Asked {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown
  /** The version that the caller has seen, or `*`. */
  readonly seen?: number | '*'
  /** The caller's address, as a reverse proxy would give it. */
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Ask = (method: string, path: string, asked?: Asked) => Promise<Heard>

const answerWithinMs = 30_000

export const askAt =
  (baseUrl: string): Ask =>
  async (method, path, { token, body, seen, from, headers } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      signal: AbortSignal.timeout(answerWithinMs),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(seen !== undefined && { 'if-match': seen === '*' ? '*' : `"${seen}"` }),
        ...(from !== undefined && { 'x-forwarded-for': from }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
    }
  }

/** Retries while the rate of a token is used up. */
export const patient =
  (ask: Ask): Ask =>
  (...asked) =>
    until('it is within its rate', async () => {
      const heard = await ask(...asked)
      return !heard.text.includes('"quota_exceeded"') && heard
    })

/** The fields of a governed entity that tests read; which of them exist depends on its kind. */
export interface EntityJson {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly digest: string
  readonly grant_id: string
  readonly end_reason: string
  readonly self_reviewed: boolean
}

/** `data` of a success; anything else is an error with the service's own words. */
export function dataOf<T = EntityJson>({ status, text, body }: Heard): T {
  if (status < 200 || status > 299) throw new Error(`${status} ${text}`)
  return (body as { readonly data: T }).data
}

/** `error` of a refusal; anything else throws. */
export function errorOf({ status, text, body }: Heard): Readonly<Record<string, unknown>> {
  const { error } = (body ?? {}) as { readonly error?: Readonly<Record<string, unknown>> }
  if (!error) throw new Error(`no refusal: ${status} ${text}`)
  return error
}

/** The text of a refusal without the id of its request, which is new each time. */
export const withoutRequestId = ({ text }: Heard): string =>
  text.replace(/"request_id":"[^"]*"/, '"request_id":""')
