/**
 * MCP over HTTP. It is loaded with the first request, because it takes 12 MiB that most gateways
 * never need.
 */
import type { Logger } from 'pino'
import { ServiceError } from '../../../proto/errors.ts'
import { version } from '../../../runtime/lib/package.ts'
import { inProcessCall, type RequestHandler } from './in-process-call.ts'
import type { McpCaller, McpOverHttp, McpTaskAgent } from '../http.ts'

export class McpEndpoint {
  readonly #handle: RequestHandler
  readonly #log: Logger
  #opened: Promise<McpOverHttp> | undefined
  #isDraining = false

  /** `handle` is the gateway's own handler, which the tools call. */
  constructor(handle: RequestHandler, log: Logger) {
    this.#handle = handle
    this.#log = log
  }

  async fetch(
    request: Request,
    body: unknown,
    caller: McpCaller | McpTaskAgent,
  ): Promise<Response> {
    return (await this.#mcp()).fetch(request, body, caller)
  }

  async leave(request: Request, caller: Pick<McpCaller, 'keyId' | 'key'>): Promise<void> {
    await (await this.#mcp()).leave(request, caller)
  }

  async drain(): Promise<void> {
    this.#isDraining = true
    const opened = await this.#opened
    await opened?.close()
  }

  #mcp(): Promise<McpOverHttp> {
    if (this.#isDraining)
      throw new ServiceError('draining', 'This gateway is shutting down; try again.')
    return (this.#opened ??= this.#open())
  }

  async #open(): Promise<McpOverHttp> {
    const { McpOverHttp } = await import('../http.ts')
    const call = (key: string, host: string) => inProcessCall(this.#handle, key, host)
    const onError = (err: Error) => this.#log.debug({ err }, 'not a request of MCP')
    return new McpOverHttp({ version, call, onError })
  }
}
