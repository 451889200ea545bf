/** Sends scripted answers: complete, cut off, or not at all. */
import type { ServerResponse } from 'node:http'
import type { Completion, ScriptedAnswer, ScriptedUsage } from './answers.ts'
import type { ChatRequest } from './request.ts'
import { responseEventsOf, wholeResponseOf } from './responses-wire.ts'
import { eventsOf, wholeOf } from './wire.ts'

/** One request and its outcome. */
export interface Exchange {
  readonly request: ChatRequest
  /** `client_gone`: its connection was closed before it had its answer. */
  outcome: 'open' | 'answered' | 'broken_off' | 'client_gone'
  /** The usage of a completion. */
  usage?: ScriptedUsage
  bytesSent: number
  readonly beganMs: number
  endedMs?: number
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Sends it as scripted, to its end or to the point where it breaks off. */
export async function send(
  answer: ScriptedAnswer,
  exchange: Exchange,
  response: ServerResponse,
): Promise<void> {
  switch (answer.kind) {
    case 'silence':
      return
    case 'reset':
      return reset(exchange, response)
    case 'http': {
      if (typeof answer.body === 'string') {
        response.writeHead(answer.status, answer.headers).end(answer.body)
        return
      }
      for (const [name, value] of Object.entries(answer.headers ?? {})) {
        response.setHeader(name, value)
      }
      return sendJson(response, answer.status, answer.body)
    }
    case 'completion':
      return exchange.request.stream
        ? sendStream(answer, exchange, response)
        : sendWhole(answer, exchange, response)
  }
}

/** With an RST, as when a proxy in between crashes. */
function reset(exchange: Exchange, response: ServerResponse): void {
  exchange.outcome = 'broken_off'
  response.socket?.resetAndDestroy()
}

function breakOff(how: 'reset' | 'stall' | 'end', exchange: Exchange, response: ServerResponse) {
  if (how === 'reset') reset(exchange, response)
  if (how === 'end') response.end()
}

async function sendWhole(
  answer: Completion,
  exchange: Exchange,
  response: ServerResponse,
): Promise<void> {
  const inWhole = exchange.request.api === 'chat' ? wholeOf : wholeResponseOf
  const text = inWhole(answer, exchange.request, exchange.usage!)
  response.writeHead(200, { 'content-type': 'application/json' })
  const { breaksOff } = answer
  if (!breaksOff && !answer.endless) {
    exchange.bytesSent += text.length
    return void response.end(text)
  }
  const begin = breaksOff?.after === 'headers' ? '' : text.slice(0, text.length / 2)
  response.flushHeaders()
  await write(response, begin, exchange)
  while (answer.endless && !response.destroyed) await write(response, 'x'.repeat(4096), exchange)
  if (breaksOff) breakOff(breaksOff.by, exchange, response)
}

async function sendStream(
  answer: Completion,
  exchange: Exchange,
  response: ServerResponse,
): Promise<void> {
  const { breaksOff } = answer
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  if (breaksOff?.after === 'headers') return breakOff(breaksOff.by, exchange, response)
  for (let i = 0; i < (answer.comments ?? 0); i++) {
    await write(response, ': PROCESSING\n\n', exchange)
  }
  let sent = 0
  const inEvents = exchange.request.api === 'chat' ? eventsOf : responseEventsOf
  for (const event of inEvents(answer, exchange.request, exchange.usage!)) {
    if (breaksOff && sent >= Number(breaksOff.after)) {
      return breakOff(breaksOff.by, exchange, response)
    }
    await write(response, `data: ${JSON.stringify(event)}\n\n`, exchange)
    if (response.destroyed) return
    sent++
  }
  response.end(exchange.request.api === 'chat' ? 'data: [DONE]\n\n' : '')
}

/** Waits until the text is sent, or the client has disconnected. */
async function write(response: ServerResponse, text: string, exchange: Exchange): Promise<void> {
  if (response.destroyed) return
  exchange.bytesSent += text.length
  await new Promise<void>((resolve) => response.write(text, () => resolve()))
}
