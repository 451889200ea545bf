/**
 * A scripted model on loopback that speaks the Chat Completions API (and OpenAI's Responses),
 * streamed or not: a function of the request makes the answer. It records its requests, refuses what
 * a strict provider would refuse, and detects when a client has disconnected.
 *
 *     const server = await serveModel(inTurn(faults.rateLimited({ seconds: 1 }), say('Done.')))
 *     … ask server.baseUrl …
 *     t.same(server.problems, [])
 *
 * Answers and faults are in `answers.ts`, what a request is in `request.ts`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'
import type { ModelScript, ScriptedAnswer } from './answers.ts'
import { isObject, problemsOf, readRequest, type RequestRules } from './request.ts'
import { send, sendJson, type Exchange } from './sending.ts'
import { countUsage } from './wire.ts'

export interface ModelServerOptions {
  /** Any other key gets a 401. */
  readonly key?: string
  /** The list that `/models` returns. */
  readonly models?: readonly string[]
  /** JSON Schema keywords that this provider refuses. */
  readonly refusedWords?: readonly string[]
  /** How deeply the schemas of tools may nest; a user's own result schema may be deeper. */
  readonly depthMax?: number
  /** For clients other than ours: nothing that they send is refused. */
  readonly takesAll?: boolean
}

export interface ModelServer {
  /**
   * `http://127.0.0.1:<port>/v1`; any path before `/chat/completions`, `/responses` or `/models` is
   * accepted.
   */
  readonly baseUrl: string
  readonly origin: string
  /** In order of arrival. */
  readonly exchanges: readonly Exchange[]
  /** Faults of requests, each answered 400, and errors of the script, each answered 500. */
  readonly problems: readonly string[]
  /** Requested paths that do not exist. */
  readonly strayPaths: readonly string[]
  /** Sums over all completions. */
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number }
  /** Uses this script for the requests from now on. */
  answerWith(script: ModelScript | ScriptedAnswer): void
  close(): Promise<void>
}

const requestBytesMax = 32 * 1024 * 1024
const schemaDepth = 3

class ScriptedModel implements ModelServer {
  readonly #server: Server
  readonly #options: ModelServerOptions
  readonly #rules: RequestRules
  #script: ModelScript
  #port = 0
  #isClosing = false
  readonly exchanges: Exchange[] = []
  readonly problems: string[] = []
  readonly strayPaths: string[] = []
  readonly usage = { input: 0, cached: 0, output: 0 }

  constructor(script: ModelScript | ScriptedAnswer, options: ModelServerOptions) {
    this.#script = asScript(script)
    this.#options = options
    this.#rules = {
      refusedWords: options.refusedWords ?? [],
      depthMax: options.depthMax ?? schemaDepth,
    }
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.#problem(response, 500, `the script failed: ${String(error)}`)
      })
    })
  }

  async listen(): Promise<void> {
    this.#port = await listenOnLoopback(this.#server)
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }
  get baseUrl(): string {
    return `${this.origin}/v1`
  }

  answerWith(script: ModelScript | ScriptedAnswer): void {
    this.#script = asScript(script)
  }

  close(): Promise<void> {
    this.#isClosing = true
    return closeServer(this.#server)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The `close` event reports that a client has disconnected; the error adds nothing.
    response.on('error', () => {})
    const path = new URL(request.url ?? '/', 'http://here').pathname
    const raw = await textOf(request)
    const { key } = this.#options
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
      return sendJson(response, 401, { error: { message: 'Incorrect API key provided.' } })
    }
    if (request.method === 'GET' && path.endsWith('/models')) {
      const data = (this.#options.models ?? ['scripted']).map((id) => ({ id, object: 'model' }))
      return sendJson(response, 200, { object: 'list', data })
    }
    if (request.method !== 'POST' || !/\/(chat\/completions|responses)$/.test(path)) {
      this.strayPaths.push(path)
      return sendJson(response, 404, { error: { message: `Unknown path ${path}` } })
    }
    await this.#chat(request, response, raw)
  }

  async #chat(from: IncomingMessage, response: ServerResponse, raw: string): Promise<void> {
    const gone = new AbortController()
    const { pathname: path } = new URL(from.url ?? '/', 'http://here')
    const n = this.exchanges.length + 1
    const api = path.endsWith('/responses') ? ('responses' as const) : ('chat' as const)
    const envelope = { n, api, path, headers: from.headers, raw, signal: gone.signal }
    const body = parsed(raw)
    if (body === undefined) return this.#problem(response, 400, 'the body is no JSON object')
    const request = readRequest(body, envelope)
    const before = this.exchanges.at(-1)?.request
    const beganMs = performance.now()
    const exchange: Exchange = { request, outcome: 'open', bytesSent: 0, beganMs }
    this.exchanges.push(exchange)
    response.on('finish', () => {
      // `finish` also fires when the unsent rest was lost with the socket.
      if (exchange.outcome === 'open' && !from.socket.destroyed) exchange.outcome = 'answered'
    })
    response.on('close', () => {
      exchange.endedMs = performance.now()
      if (exchange.outcome === 'open') {
        exchange.outcome = this.#isClosing ? 'broken_off' : 'client_gone'
      }
      if (exchange.outcome !== 'answered') gone.abort()
    })

    const problems = this.#options.takesAll ? [] : problemsOf(request, this.#rules)
    if (problems.length > 0) return this.#problem(response, 400, problems.join('; '))
    const answer = await this.#script(request)
    if (answer.kind === 'completion') {
      const counted = countUsage(request, before, answer)
      exchange.usage = answer.usage === 'none' ? counted : (answer.usage ?? counted)
      this.usage.input += exchange.usage.input
      this.usage.cached += exchange.usage.cached ?? 0
      this.usage.output += exchange.usage.output
    }
    await send(answer, exchange, response)
  }

  #problem(response: ServerResponse, status: number, message: string): void {
    this.problems.push(message)
    if (response.headersSent) return void response.destroy()
    sendJson(response, status, { error: { message, type: 'invalid_request_error' } })
  }
}

/** Listens until it is closed. A single answer in place of a script is given to every request. */
export async function serveModel(
  script: ModelScript | ScriptedAnswer,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const server = new ScriptedModel(script, options)
  await server.listen()
  return server
}

const asScript = (script: ModelScript | ScriptedAnswer): ModelScript =>
  typeof script === 'function' ? script : () => script

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > requestBytesMax) throw new Error(`a request of more than ${requestBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parsed(raw: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(raw)
    return isObject(value) ? value : undefined
  } catch {
    // The error was reported to the sender.
    return undefined
  }
}
