/**
 * Calls the service. Each step of an agent starts a process that makes one call or two, so this uses
 * neither `fetch` nor the table of settings: loading them takes more CPU than everything else.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { CommandName } from '../../../proto/commands/catalogue.ts'
import { clientKey } from '../../accounts/keys/client-key.ts'
import { defaultDataDir, defaultPort } from '../../config/defaults.ts'
import { limits } from '../../../proto/limits.ts'
import { CommandFailed } from '../command.ts'
import { cliLimits } from '../limits.ts'
import type { SentContent } from './file-form.ts'

/** The service refused a call. */
export class ServiceRefusal extends CommandFailed {
  /** One of `proto/errors.ts`. */
  readonly type: string

  constructor(type: string, message: string) {
    super(`${type}: ${message}`)
    this.type = type
  }
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** SVC_BASE without a trailing slash, else the default port of this machine. */
export function browserService(): string {
  const { SVC_BASE: given, PORT: port } = process.env
  const base = given?.replace(/\/+$/, '') || `http://127.0.0.1:${port || defaultPort}`
  if (URL.canParse(base) && /^https?:$/.test(new URL(base).protocol)) return base
  throw new CommandFailed(`SVC_BASE=${base} is not a URL such as http://127.0.0.1:8080`)
}

/** The development key is for this machine only: another one must not learn it. */
function keyFor(base: string): string {
  const { SVC_API_KEY: given, DEV_KEY = '', DATA_DIR } = process.env
  if (given) return given
  if (loopback.test(new URL(base).hostname)) {
    return clientKey({ DEV_KEY, DATA_DIR: DATA_DIR || defaultDataDir() })
  }
  throw new CommandFailed(
    `SVC_API_KEY is not set: ${base} requires a key; create one there with troupe keys create`,
  )
}

interface Sent {
  readonly base: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** The path of a file of this machine, sent as the part `file` of a form. */
  readonly file?: string
}

/** The `data` of an answer. Throws a `ServiceRefusal`, or `CommandFailed` if there is none. */
export async function askBrowserService<T>(sent: Sent): Promise<T> {
  const { status, bytes } = await send(sent)
  if (status < 300) return (JSON.parse(bytes.toString()) as { data: T }).data
  throw refusalOf(status, bytes, sent.base)
}

/** A session, and the service that has it. */
export interface SessionPlace {
  readonly base: string
  readonly session: string
}

/** `rest` is what follows the session's own path. */
export const sessionPath = (session: string, rest = ''): string =>
  `/v1/sessions/${encodeURIComponent(session)}${rest}`

export type CommandAnswer = Readonly<Record<string, unknown>>

/** The output of a command in a session. */
export const runInSession = (
  { base, session }: SessionPlace,
  command: CommandName,
  body: object,
): Promise<CommandAnswer> =>
  askBrowserService({
    base,
    method: 'POST',
    path: sessionPath(session, `/commands/${command}`),
    body,
  })

/** The bytes of a file. */
export async function bytesOfService(base: string, path: string): Promise<Buffer> {
  const { status, bytes } = await send({ base, method: 'GET', path })
  if (status < 300) return bytes
  throw refusalOf(status, bytes, base)
}

interface Answer {
  readonly status: number
  readonly bytes: Buffer
}

/** Waits for a service that starts again: what could not connect was never sent. */
async function send(sent: Sent): Promise<Answer> {
  const isOfSession = sent.path.startsWith('/v1/sessions/')
  const waitMs = isOfSession ? cliLimits.browserReconnectMs : cliLimits.browserConnectMs
  const untilMs = performance.now() + waitMs
  for (;;) {
    try {
      return await sendOnce(sent)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ABORT_ERR') {
        const text = `${sent.base} did not answer within ${limits.requestHeldMs / 1_000} s`
        throw new CommandFailed(text, error)
      }
      if (code !== 'ECONNREFUSED') throw lostError(sent.base, error)
      if (performance.now() >= untilMs) {
        const text = `No service answers at ${sent.base}: start it, or set SVC_BASE to its URL.`
        throw new CommandFailed(text, error)
      }
      const { setTimeout: delay } = await import('node:timers/promises')
      await delay(cliLimits.browserConnectPollMs)
    }
  }
}

/** DNS and TLS fail before anything is sent; a connection that ends later may have done the work. */
function lostError(base: string, cause: unknown): CommandFailed {
  const { code, syscall, message } = cause as NodeJS.ErrnoException
  const isSent = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code ?? '') && syscall !== 'connect'
  return new CommandFailed(
    isSent
      ? 'The connection was lost during the call, which may have been done: take a snapshot before you repeat it.'
      : `${base} cannot be reached: ${message}`,
    cause,
  )
}

async function sendOnce({ base, method, path, body, file }: Sent): Promise<Answer> {
  const url = new URL(base + path)
  const request = url.protocol === 'https:' ? (await import('node:https')).request : httpRequest
  const content =
    file === undefined ? jsonOf(body) : await (await import('./file-form.ts')).formWithFile(file)
  const headers = { 'service-api-key': keyFor(base), ...content?.headers }
  const signal = AbortSignal.timeout(limits.requestHeldMs)
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, signal, agent: false })
    asked.once('error', reject)
    asked.once('response', (response) => void read(response).then(resolve, reject))
    if (content?.stream) content.stream.once('error', reject).pipe(asked)
    else asked.end(content?.text)
  })
}

function jsonOf(body: unknown): SentContent | undefined {
  if (body === undefined) return undefined
  const text = JSON.stringify(body)
  const type = 'application/json'
  return { text, headers: { 'content-type': type, 'content-length': Buffer.byteLength(text) } }
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }
}

interface ErrorBody {
  readonly error?: { readonly type?: string; readonly message?: string }
}

/** A proxy before the service may answer with something else than JSON. */
function refusalOf(status: number, bytes: Buffer, base: string): CommandFailed {
  let body: ErrorBody | undefined
  try {
    body = JSON.parse(bytes.toString()) as ErrorBody
  } catch {
    return new CommandFailed(`${base} answered with status ${status} and no message`)
  }
  const { type = 'unavailable', message = `status ${status}` } = body?.error ?? {}
  return new ServiceRefusal(type, message)
}
