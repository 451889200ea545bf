/**
 * Sends one POST to an untrusted address: on a new connection, resolved at that moment, never to a
 * private address. Nothing internal is sent along, redirects are not followed, and the response is
 * read up to its limit.
 */
import { contained } from '../../lib/network/contained.ts'
import { defined } from '../../../proto/defined.ts'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { AttemptError } from '../../../proto/access/webhooks/delivery.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { guardConnection, type ConnectionGuard } from '../../lib/network/guard/connection-guard.ts'
import { checkUntrustedUrl, type UntrustedUrlRules } from '../../lib/network/guard/untrusted-url.ts'
import { NotPublic } from '../../lib/network/guard/lookup.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { AttemptOutcome } from '../delivery/fold.ts'

export interface PostDeps {
  readonly rules: UntrustedUrlRules
  readonly now: () => number
  /** For tests: how names are resolved, and which certificates are trusted. */
  readonly resolve?: LookupFunction
  readonly ca?: string
  readonly times?: { readonly connectMs: number; readonly requestMs: number }
}

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Never throws: errors are part of the outcome. */
export async function postWebhook(
  request: WebhookRequest,
  deps: PostDeps,
): Promise<AttemptOutcome> {
  const startedMs = deps.now()
  const durationMs = () => Math.round(deps.now() - startedMs)
  try {
    const url = checkUntrustedUrl(request.url, deps.rules)
    const answer = await send(
      url,
      request,
      guardConnection(url, deps.rules.allowance, deps.resolve),
      deps,
    )
    return { durationMs: durationMs(), ...answer }
  } catch (error) {
    return { durationMs: durationMs(), error: classOf(error) }
  }
}

class PostTimeout extends Error {}

type Answer = Omit<AttemptOutcome, 'durationMs'>

function send(
  url: URL,
  letter: WebhookRequest,
  reached: ConnectionGuard,
  deps: PostDeps,
): Promise<Answer> {
  const { connectMs, requestMs } = deps.times ?? limits
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      // Without an agent, so that no other request's connection and no proxy of the environment is
      // used.
      agent: false,
      lookup: reached.lookup,
      maxHeaderSize: limits.answerHeaderBytes,
      ...defined({ servername: reached.servername, ca: deps.ca }),
      headers: {
        ...letter.headers,
        'content-length': Buffer.byteLength(letter.body),
        connection: 'close',
      },
    }
    const sent = contained(start(url, options))
    const end = (error: Error) => void sent.destroy(error)
    const all = setTimeout(() => end(new PostTimeout()), requestMs)
    const connecting = setTimeout(() => end(new PostTimeout()), connectMs)
    sent.on('socket', (socket) => {
      const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect'
      socket.once(ready, () => clearTimeout(connecting))
      socket.once('connect', () => {
        try {
          reached.admit(socket)
        } catch (error) {
          end(error as Error)
        }
      })
    })
    sent.on('response', (response) => {
      read(response)
        .then((excerpt) => resolve(answerOf(response, excerpt, Date.now())))
        .catch(reject)
        .finally(() => sent.destroy())
    })
    sent.on('error', reject)
    sent.on('close', () => {
      clearTimeout(all)
      clearTimeout(connecting)
      reject(new Error('closed'))
    })
    sent.end(letter.body)
  })
}

/** Reads to the end or the limit; the beginning is kept. */
async function read(response: IncomingMessage): Promise<Buffer> {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    const part = Buffer.from(chunk as Uint8Array)
    if (bytes < limits.excerptBytes) kept.push(part)
    bytes += part.byteLength
    if (bytes >= limits.answerBytes) break
  }
  return Buffer.concat(kept).subarray(0, limits.excerptBytes)
}

function answerOf(response: IncomingMessage, excerpt: Buffer, nowMs: number): Answer {
  const { statusCode = 0, headers } = response
  const retryAfterMs = readRetryAfter(headers['retry-after'], nowMs)
  const isGood = statusCode >= 200 && statusCode <= 299
  const error: AttemptError = statusCode >= 300 && statusCode <= 399 ? 'redirect' : 'status'
  return {
    statusCode,
    ...(!isGood && { error }),
    ...(excerpt.byteLength > 0 && { excerpt: escapeControls(excerpt.toString('utf8')) }),
    ...defined({ retryAfterMs }),
  }
}

/** Escapes characters that could affect a terminal or a page: control characters and bidi marks. */
const escapeControls = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )

/** Seconds, or a date. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

const tlsCodes =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/

function classOf(error: unknown): AttemptError {
  if (error instanceof PostTimeout) return 'timeout'
  if (error instanceof NotPublic || error instanceof ServiceError) return 'blocked_address'
  if (!(error instanceof Error)) return 'connection'
  if (error.cause instanceof NotPublic) return 'blocked_address'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(code)) return 'dns'
  return tlsCodes.test(code) ? 'tls' : 'connection'
}
