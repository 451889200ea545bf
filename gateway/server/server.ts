/**
 * The HTTP and WebSocket server: uWebSockets.js on one side, plain
 * requests and replies on the other.
 */
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import type * as uws from 'uWebSockets.js'
import { limits } from '../../proto/limits.ts'
import { freePort } from '../../runtime/free-port.ts'
import type { HttpReply, HttpRequest, StreamedBody, UpgradeReply } from './http.ts'
import { normalisePath, statusLine } from './http.ts'
import { loadNative } from './native.ts'
import { BodyReader } from './body.ts'
import { Cork } from './cork.ts'
import { socketBehavior } from './socket.ts'

export interface ServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Must not reject. */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>
  /** Must not reject. */
  readonly upgrade: (request: HttpRequest) => Promise<UpgradeReply>
}

export interface HttpServer {
  readonly port: number
  /** Takes no more connections; those that stand stay. */
  stop(): void
}

export class PortTaken extends Error {
  constructor(host: string, port: number) {
    super(
      `${host}:${port} cannot be listened on: the port is in use, or the address is not ours. Set PORT or HOST.`,
    )
    this.name = 'PortTaken'
  }
}

export async function serve(options: ServerOptions): Promise<HttpServer> {
  const native = loadNative() as typeof uws
  const { host } = options
  // A free port that uWebSockets.js chose itself could not be taken again after a restart.
  const port = options.port || (await freePort(host))
  await assertFree(host, port)
  const cork = await Cork.open(native)
  const app = native.App()
  app.ws('/*', { ...socketBehavior, upgrade: upgrader(options.upgrade, cork) })
  app.any('/*', (res, req) => void respond(res, read(res, req), options.handle))
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (!socket) {
        cork.close()
        return reject(new PortTaken(host, port))
      }
      let stopped = false
      resolve({
        port: native.us_socket_local_port(socket as unknown as uws.us_socket),
        stop() {
          if (stopped) return
          stopped = true
          native.us_listen_socket_close(socket)
          cork.close()
        },
      })
    })
  })
}

/**
 * uWebSockets.js listens in one of two ways: quietly sharing the port with another gateway, or,
 * exclusively, refusing it for a minute after a gateway with open connections was killed. So it
 * shares, once nobody answers there.
 */
function assertFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Connecting to the wildcard address reaches this machine.
    const probe = connect({ host, port, timeout: limits.portProbeMs })
    const free = () => {
      probe.destroy()
      resolve()
    }
    probe
      .once('error', free)
      .once('timeout', free)
      .once('connect', () => {
        probe.destroy()
        reject(new PortTaken(host, port))
      })
  })
}

async function respond(
  res: uws.HttpResponse,
  incoming: Incoming,
  handle: ServerOptions['handle'],
): Promise<void> {
  const reply = await handle(incoming.request)
  await incoming.body.swallowed()
  // Bytes of a body nobody will read would be taken for the next request's start.
  if (!incoming.request.gone.aborted) write(res, incoming, reply, !incoming.body.finished)
  else discard(reply.body)
}

function upgrader(upgrade: ServerOptions['upgrade'], cork: Cork) {
  return async (res: uws.HttpResponse, req: uws.HttpRequest, context: uws.us_socket_context_t) => {
    const key = req.getHeader('sec-websocket-key')
    const incoming = read(res, req)
    const answer = await upgrade(incoming.request)
    const gone = incoming.request.gone.aborted
    if (!answer.accepted) {
      // Clients that came for a socket have no further request, and some
      // wait for the connection to end.
      if (!gone) write(res, incoming, answer.reply, true)
    } else if (gone) {
      answer.handler.closed(1006, 'The client left before the socket opened.')
    } else {
      // No subprotocol and no extension is ever agreed on.
      cork.around(res, () => res.upgrade({ handler: answer.handler }, key, '', '', context))
    }
  }
}

interface Incoming {
  readonly request: HttpRequest
  readonly body: BodyReader
}

/** Copies what the library only lends for the duration of its callback. */
function read(res: uws.HttpResponse, req: uws.HttpRequest): Incoming {
  const gone = new AbortController()
  const headers = new Map<string, string>()
  req.forEach((name, value) => {
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  })
  const body = new BodyReader(headers, { pause: () => res.pause(), resume: () => res.resume() })
  res.onAborted(() => {
    gone.abort()
    body.abort()
  })
  res.onData((chunk, isLast) => body.push(new Uint8Array(chunk), isLast))
  const request: HttpRequest = {
    method: req.getMethod().toUpperCase(),
    path: normalisePath(req.getUrl()),
    query: new URLSearchParams(req.getQuery()),
    headers,
    gone: gone.signal,
    body: (limitBytes) => body.whole(limitBytes),
    stream: (limitBytes) => body.stream(limitBytes),
  }
  return { request, body }
}

function write(
  res: uws.HttpResponse,
  { request }: Incoming,
  reply: HttpReply,
  close: boolean,
): void {
  res.cork(() => {
    res.writeStatus(statusLine(reply.status))
    for (const [name, value] of Object.entries(reply.headers)) res.writeHeader(name, value)
    if (request.method === 'HEAD') res.endWithoutBody(byteLength(reply.body), close)
    else if (!isStreamed(reply.body)) res.end(reply.body ?? '', close)
    else if (reply.body.bytes === 0) res.end('', close)
    else if (reply.body.bytes === undefined) return sendParts(res, reply.body.stream, request.gone)
    else return send(res, reply.body.stream, reply.body.bytes, request.gone)
    discard(reply.body)
  })
}

/** Reads no faster than the client takes. What breaks midway breaks the connection. */
function send(res: uws.HttpResponse, stream: Readable, bytes: number, gone: AbortSignal): void {
  let answered = false
  let unsent: { readonly chunk: Buffer; readonly from: number } | undefined
  const put = (chunk: Buffer) => {
    const from = res.getWriteOffset()
    const [taken, done] = res.tryEnd(chunk, bytes)
    answered = done
    unsent = taken || done ? undefined : { chunk, from }
    if (unsent) stream.pause()
    else stream.resume()
    return taken
  }
  const cut = () => {
    if (!answered && !gone.aborted) res.close()
  }
  res.onWritable((offset) => (unsent ? put(unsent.chunk.subarray(offset - unsent.from)) : true))
  gone.addEventListener('abort', () => stream.destroy(), { once: true })
  stream.on('data', (chunk: Buffer) => {
    if (!answered) res.cork(() => void put(chunk))
  })
  stream.once('error', cut)
  stream.once('end', cut)
}

/** Each part leaves as it comes; the client learns of the end when it is there. */
function sendParts(res: uws.HttpResponse, stream: Readable, gone: AbortSignal): void {
  const unlessGone = (work: () => void) => () => {
    if (!gone.aborted) res.cork(work)
  }
  res.onWritable(() => {
    stream.resume()
    return true
  })
  gone.addEventListener('abort', () => stream.destroy(), { once: true })
  stream.on('data', (chunk: Buffer) => {
    unlessGone(() => {
      if (!res.write(chunk)) stream.pause()
    })()
  })
  stream.once(
    'error',
    unlessGone(() => void res.close()),
  )
  stream.once(
    'end',
    unlessGone(() => void res.end()),
  )
}

function discard(body: HttpReply['body']): void {
  if (!isStreamed(body)) return
  // Whoever made it may call it a failure that nobody wanted it.
  body.stream.on('error', () => {})
  body.stream.destroy()
}

function isStreamed(body: HttpReply['body']): body is StreamedBody {
  return typeof body === 'object' && 'stream' in body
}

function byteLength(body: HttpReply['body']): number | undefined {
  if (isStreamed(body)) return body.bytes
  return body === undefined ? 0 : Buffer.byteLength(body)
}
