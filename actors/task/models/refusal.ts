/** An answer that is none: what a provider says instead, in whichever form it says it. */
import { limits } from '../../../proto/limits.ts'

export interface Refusal {
  /** Absent where a stream tells it that had begun with 200. */
  readonly status?: number
  /** For people; empty where there is nothing but a page of HTML. */
  readonly message: string
  /** All that may tell what it is about: codes, types and messages. */
  readonly words: string
  readonly retryAfterMs?: number
}

/** Thrown from within a call, and turned into a failure by whoever knows the rest. */
export class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('The provider refused.')
    this.refusal = refusal
  }
}

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wordIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** `{error: {…}}`, `[{error: {…}}]` (Gemini), `{error: "…"}`, `{message}` or `{detail}`. */
function errorIn(body: unknown): Json {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(first)) return {}
  const error = first['error'] ?? first
  return isObject(error) ? error : { message: error }
}

/** A router passes on what the model's own server said. */
function upstreamWords(error: Json): string {
  const metadata = error['metadata']
  return isObject(metadata) ? wordIn(metadata['raw']) : ''
}

/** What stands in an error object of a body or of a stream. */
export function refusalIn(body: unknown, status?: number, headers?: Headers, nowMs = 0): Refusal {
  const error = errorIn(body)
  const upstream = upstreamWords(error)
  const message = wordIn(error['message']) || wordIn(error['detail']) || wordIn(error['msg'])
  const code = wordIn(error['code'])
  const words = [code, wordIn(error['type']), wordIn(error['status']), message, upstream]
  const told = status ?? (/^[45]\d\d$/.test(code) ? Number(code) : undefined)
  const waitMs = retryAfterMs(
    headers,
    JSON.stringify(error).slice(0, limits.modelRefusalChars),
    nowMs,
  )
  return {
    ...(told !== undefined && { status: told }),
    message: upstream === '' ? message : `${message} ${upstream}`,
    words: words.join(' ').slice(0, limits.modelRefusalChars),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  }
}

/** Of a response that is no success. */
export function refusalOf(status: number, headers: Headers, text: string, nowMs: number): Refusal {
  const isPage = /^\s*</.test(text)
  return refusalIn(isPage ? {} : (parsed(text) ?? { message: text }), status, headers, nowMs)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Then it is for people, as it stands.
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

/** How long to leave the provider alone, where it says so: in headers, or else in words. */
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
