/** Parses a provider's error response in any of its forms. */
import { isRecord, type JsonRecord } from '../../../../proto/json/record.ts'
import { defined } from '../../../../proto/defined.ts'
import { taskRunLimits } from '../../limits.ts'

export interface ProviderRefusal {
  /** Absent if it was sent in a stream that had begun with 200. */
  readonly status?: number
  /** For people; empty if the response is only an HTML page. */
  readonly message: string
  /** All codes, types and messages, for classification. */
  readonly words: string
  readonly retryAfterMs?: number
}

/** Thrown within a request, and converted into a failure by the caller, which knows the context. */
export class ProviderRefused extends Error {
  readonly refusal: ProviderRefusal

  constructor(refusal: ProviderRefusal) {
    super('The provider refused the request.')
    this.refusal = refusal
  }
}

const wordIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** `{error: {…}}`, `[{error: {…}}]` (Gemini), `{error: "…"}`, `{message}` or `{detail}`. */
function errorIn(body: unknown): JsonRecord {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isRecord(first)) return {}
  const error = first['error'] ?? first
  return isRecord(error) ? error : { message: error }
}

/** A router passes on the error of the model's own server. */
function upstreamWords(error: JsonRecord): string {
  const metadata = error['metadata']
  return isRecord(metadata) ? wordIn(metadata['raw']) : ''
}

/** Parses an error object of a body or a stream. */
export function refusalIn(
  body: unknown,
  status?: number,
  headers?: Headers,
  nowMs = 0,
): ProviderRefusal {
  const error = errorIn(body)
  const upstream = upstreamWords(error)
  const message = wordIn(error['message']) || wordIn(error['detail']) || wordIn(error['msg'])
  const code = wordIn(error['code'])
  const words = [code, wordIn(error['type']), wordIn(error['status']), message, upstream]
  const statusCode = status ?? (/^[45]\d\d$/.test(code) ? Number(code) : undefined)
  const waitMs = retryAfterMs(
    headers,
    JSON.stringify(error).slice(0, taskRunLimits.modelRefusalChars),
    nowMs,
  )
  return {
    ...defined({ status: statusCode }),
    message: upstream === '' ? message : `${message} ${upstream}`,
    words: words.join(' ').slice(0, taskRunLimits.modelRefusalChars),
    ...defined({ retryAfterMs: waitMs }),
  }
}

/** Parses a response with an error status. */
export function providerRefusalOf(
  status: number,
  headers: Headers,
  text: string,
  nowMs: number,
): ProviderRefusal {
  const isPage = /^\s*</.test(text)
  return refusalIn(
    isPage ? {} : (parseRefusalBody(text) ?? { message: text }),
    status,
    headers,
    nowMs,
  )
}

function parseRefusalBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so the text is shown as it is.
    return undefined
  }
}

const secondMs = 1_000
const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: secondMs,
  m: 60 * secondMs,
  h: 3_600 * secondMs,
}

/** `retryDelay: "37s"`, `Please try again in 1m26.4s`, `retry in 20ms`. */
const delayInWords =
  /(?:retryDelay\\?"\s*:\s*\\?"|\b(?:try again|retry) in\s+)((?:[\d.]+\s?(?:ms|[smh])\s?)+)/i

/** How long to wait, if the provider says so: in headers, or else in words. */
function retryAfterMs(headers: Headers | undefined, text: string, nowMs: number) {
  const given = inHeaders(headers, nowMs) ?? inWords(text)
  if (given === undefined || !Number.isFinite(given)) return undefined
  return Math.ceil(Math.min(Math.max(0, given), Number.MAX_SAFE_INTEGER))
}

function inHeaders(headers: Headers | undefined, nowMs: number): number | undefined {
  const ms = headers?.get('retry-after-ms')
  if (ms && Number.isFinite(Number(ms))) return Number(ms)
  const after = headers?.get('retry-after')
  if (!after) return undefined
  if (Number.isFinite(Number(after))) return Number(after) * secondMs
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : date - nowMs
}

function inWords(text: string): number | undefined {
  const delay = delayInWords.exec(text)?.[1]
  if (delay === undefined) return undefined
  const parts = [...delay.matchAll(/([\d.]+)\s?(ms|[smh])/gi)]
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * unitMs[unit!.toLowerCase()]!, 0)
}
