/** A receiver of webhooks: a real HTTP server on loopback that keeps its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Teardown } from '../nats/nats.ts'

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The parsed body. */
  readonly json: WebhookBody
  /** Ms of this process's monotonic clock. */
  readonly atMs: number
}

export interface WebhookBody {
  readonly type: string
  readonly timestamp: string
  readonly data: {
    readonly id: string
    readonly client_id?: string
    readonly object: { readonly area?: string; readonly kind?: string; readonly id: string }
    readonly url: string
    readonly status?: string
    readonly record?: Readonly<Record<string, unknown>>
  }
}

/** A status, or what to do with the request; `hang`: no answer. */
type Answer =
  number | 'hang' | { readonly with: (request: IncomingMessage, response: ServerResponse) => void }

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Sets the answer from now on; it is 204 until then. */
  answer(answer: Answer | ((received: Received, count: number) => Answer)): void
  of(type: string): Received[]
  close(): Promise<void>
}

export async function startReceiver(t: Teardown, first: Answer = 204): Promise<Receiver> {
  const received: Received[] = []
  let choose: (one: Received, count: number) => Answer = () => first
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const headers = request.headers as Record<string, string>
      const json = JSON.parse(body) as WebhookBody
      const one = { path: request.url ?? '', headers, body, json, atMs: performance.now() }
      received.push(one)
      const answer = choose(one, received.length)
      if (typeof answer === 'object') answer.with(request, response)
      else if (answer !== 'hang') response.writeHead(answer).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  t.teardown(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer(answer) {
      choose = typeof answer === 'function' ? answer : () => answer
    },
    of: (type) => received.filter(({ json }) => json.type === type),
    close,
  }
}
