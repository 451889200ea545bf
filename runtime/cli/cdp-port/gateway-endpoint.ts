/** The gateway's side of a local port: requests and sockets with the key of one `cdp_url`. */
import { request as requestHttp, type ClientRequest, type IncomingHttpHeaders } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { contained } from '../../lib/network/contained.ts'
import { cliLimits } from '../limits.ts'

export interface DiscoveryAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Headers needed to open a socket; others, such as cookies, are not sent to the gateway. */
const socketHeaders = ['connection', 'upgrade', 'user-agent']

export class GatewayEndpoint {
  readonly #base: URL
  /** The path before `/devtools/…` of a service behind a proxy, without a trailing slash. */
  readonly #prefix: string

  constructor(cdpUrl: string) {
    this.#base = new URL(cdpUrl.replace(/^ws/, 'http'))
    this.#prefix = this.#base.pathname.replace(/\/+$/, '')
  }

  /** `host` is the local address to put into the socket URLs of the answer. */
  async discover(method: string, path: string, host: string): Promise<DiscoveryAnswer> {
    const answer = await fetch(this.#urlOf(path), {
      method,
      signal: AbortSignal.timeout(cliLimits.cdpPortRequestMs),
    })
    const contentType = answer.headers.get('content-type') ?? 'application/json'
    const text = await answer.text()
    const hasSockets = answer.ok && path !== '/json/protocol' && /^\s*[[{]/.test(text)
    const body = hasSockets ? JSON.stringify(this.#withLocalUrls(JSON.parse(text), host)) : text
    return { status: answer.status, contentType, body }
  }

  /** The request for a socket; its caller ends it and handles `upgrade`, `response` or `error`. */
  dial(path: string, headers: IncomingHttpHeaders): ClientRequest {
    const url = this.#urlOf(path)
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    const passed = Object.entries(headers).filter(
      ([name]) => socketHeaders.includes(name) || name.startsWith('sec-websocket-'),
    )
    const dialled = contained(request(url, { headers: Object.fromEntries(passed) }))
    return dialled.setTimeout(cliLimits.cdpPortRequestMs, () =>
      dialled.destroy(new Error(`no answer in ${cliLimits.cdpPortRequestMs / 1_000} s`)),
    )
  }

  /** The beginning of an answer's body, enough for any error. */
  async textOf(answer: IncomingMessage): Promise<string> {
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk
      if (text.length > cliLimits.cdpPortErrorChars) break
    }
    return text
  }

  #urlOf(path: string): URL {
    const url = new URL(this.#base)
    url.pathname = `${this.#prefix}${path}`
    return url
  }

  #withLocalUrls(value: unknown, host: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#withLocalUrls(item, host))
    const target = value as Readonly<Record<string, unknown>> | null
    const socket = target?.['webSocketDebuggerUrl']
    if (typeof socket !== 'string') return value
    const path = new URL(socket).pathname.slice(this.#prefix.length)
    return { ...target, webSocketDebuggerUrl: `ws://${host}${path}` }
  }
}
