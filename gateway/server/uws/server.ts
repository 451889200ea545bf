/** The engine `uws`: serves the gateway's handlers with uWebSockets.js. */
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { contained } from '../../../runtime/lib/network/contained.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { freePort } from '../../../runtime/lib/network/free-port.ts'
import { retry } from '../../../runtime/lib/retry.ts'
import { BodyReader } from '../body.ts'
import { hasClearLength } from '../framing.ts'
import type { HttpReply, HttpRequest } from '../http.ts'
import { isBodiless, normalisePath, statusText } from '../http.ts'
import { boundOf, PortTaken, type Listener, type ListenerOptions } from '../listener.ts'
import { byteLength, discardBody, isStreamed } from '../reply-body.ts'
import { headersTooLarge } from '../unreadable.ts'
import { CorkedWriter } from './cork.ts'
import type { UwsApp, UwsHandle, UwsRequest, UwsResponse } from './library.ts'
import { loadNative } from './native.ts'
import { socketBehavior } from './socket.ts'
import { serverLimits } from '../limits.ts'

export async function serveUws(options: ListenerOptions): Promise<Listener> {
  const native = loadNative()
  const cork = await CorkedWriter.open(native)
  const app = native.App()
  serveSockets(app, options, cork)
  app.any('/*', (res, req) => void respond(res, read(res, req), options.handle))
  const socket = await listen(app, options).catch((error: unknown) => {
    cork.close()
    throw error
  })
  let stopped = false
  return {
    port: native.us_socket_local_port(socket),
    stop() {
      if (stopped) return
      stopped = true
      native.us_listen_socket_close(socket)
      cork.close()
    },
  }
}

/**
 * The library would match the path as it was sent, and another spelling would get another limit. So
 * every limit has a route for all paths, which passes on the requests that are not of its own; the
 * number after the `*` only tells the library that they are different routes.
 */
function serveSockets(app: UwsApp, { bounds = [], upgrade }: ListenerOptions, cork: CorkedWriter) {
  const respondTo = upgrader(upgrade, cork)
  for (const [index, bound] of [...bounds, undefined].entries()) {
    const maxPayloadLength = bound?.messageBytes ?? socketBehavior.maxPayloadLength
    app.ws(`/*${index}`, {
      ...socketBehavior,
      maxPayloadLength,
      upgrade(res, req, context) {
        if (boundOf(bounds, normalisePath(req.getUrl())) === bound) respondTo(res, req, context)
        else req.setYield(true)
      },
    })
  }
}

/**
 * After a restart, uWebSockets.js cannot bind a free port that it chose itself. One that was chosen
 * here may be taken, also by an outgoing connection, before the library binds it: then another is
 * chosen.
 */
function listen(app: UwsApp, { host, port }: ListenerOptions): Promise<UwsHandle> {
  const attemptsMax = port === 0 ? serverLimits.freePortAttempts : 1
  const isRetryable = (error: unknown) => error instanceof PortTaken
  return retry(systemClock, { attemptsMax, waitMs: 0, isRetryable }, async () => {
    const chosen = port || (await freePort(host))
    await assertFree(host, chosen)
    return listenOn(app, host, chosen)
  })
}

function listenOn(app: UwsApp, host: string, port: number): Promise<UwsHandle> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(socket)
      else reject(new PortTaken(host, port))
    })
  })
}

/**
 * uWebSockets.js can share the port silently with another gateway, or bind it exclusively, which
 * fails for a minute after a gateway with open connections was killed. So it shares the port, after
 * this check that nothing answers there.
 */
function assertFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // A connection to the wildcard address reaches this machine.
    const probe = contained(connect({ host, port, timeout: serverLimits.portProbeMs }))
    const free = () => {
      probe.destroy()
      resolve()
    }
    probe
      .once('error', free)
      // If this process was paused, the timer fires before an answer that has already arrived is
      // handled.
      .once('timeout', () => setImmediate(free))
      .once('connect', () => {
        probe.destroy()
        reject(new PortTaken(host, port))
      })
  })
}

async function respond(
  res: UwsResponse,
  incoming: Incoming,
  handle: ListenerOptions['handle'],
): Promise<void> {
  // Otherwise the library would parse the bytes that follow, even after an answer with `close`.
  if (!hasClearLength(incoming.request.headers)) res.close()
  // The library itself checks the length only if the header arrives in several pieces.
  const isTooLarge = incoming.headerBytes > serverLimits.headerBytes
  const reply = isTooLarge ? headersTooLarge() : await handle(incoming.request)
  await incoming.body.drained()
  // Without a close, the unread rest of the body would be parsed as the next request.
  const closes = isTooLarge || !incoming.body.finished || reply.headers['connection'] === 'close'
  if (!incoming.request.gone.aborted) write(res, incoming, reply, closes)
  else discardBody(reply.body)
}

function upgrader(upgrade: ListenerOptions['upgrade'], cork: CorkedWriter) {
  const respondTo = async (res: UwsResponse, req: UwsRequest, context: UwsHandle) => {
    const key = req.getHeader('sec-websocket-key')
    const incoming = read(res, req)
    const reply =
      incoming.headerBytes > serverLimits.headerBytes
        ? { accepted: false as const, reply: headersTooLarge() }
        : await upgrade(incoming.request)
    const gone = incoming.request.gone.aborted
    if (!reply.accepted) {
      // Clients that requested a socket send no further request, and some wait for the connection
      // to end.
      if (!gone) write(res, incoming, reply.reply, true)
    } else if (gone) {
      reply.handler.closed(1006, 'The client left before the socket opened.')
    } else {
      // Subprotocols and extensions are never negotiated.
      cork.around(res, () => res.upgrade({ handler: reply.handler }, key, '', '', context))
    }
  }
  return (res: UwsResponse, req: UwsRequest, context: UwsHandle) =>
    void respondTo(res, req, context)
}

interface Incoming {
  readonly request: HttpRequest
  readonly body: BodyReader
  readonly headerBytes: number
}

/** The colon, the space and the line end (CR LF) of a header line. */
const headerPunctuationBytes = 4

/** Copies the request, because the library's objects are valid only during its callback. */
function read(res: UwsResponse, req: UwsRequest): Incoming {
  const gone = new AbortController()
  const headers = new Map<string, string>()
  let headerBytes = req.getUrl().length + (req.getQuery()?.length ?? 0)
  req.forEach((name, value) => {
    headerBytes += name.length + value.length + headerPunctuationBytes
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  })
  const body = new BodyReader(headers, { pause: () => res.pause(), resume: () => res.resume() })
  res.onAborted(() => {
    gone.abort()
    body.abort()
  })
  // For a request without a body, the library would report the end after a quick answer, and then
  // fail to close the connection if nothing follows.
  if (!body.finished) {
    // The bytes are valid only during the callback, so they are copied.
    res.onData((chunk, isLast) => body.push(Buffer.from(new Uint8Array(chunk)), isLast))
  }
  const request: HttpRequest = {
    method: req.getMethod().toUpperCase(),
    path: normalisePath(req.getUrl()),
    query: new URLSearchParams(req.getQuery()),
    headers,
    get remoteAddress() {
      return gone.signal.aborted ? '' : Buffer.from(res.getRemoteAddressAsText()).toString()
    },
    gone: gone.signal,
    body: (limitBytes) => body.whole(limitBytes),
    stream: (limitBytes) => body.stream(limitBytes),
  }
  return { request, body, headerBytes }
}

function write(res: UwsResponse, { request }: Incoming, reply: HttpReply, close: boolean): void {
  res.cork(() => {
    res.writeStatus(`${reply.status} ${statusText(reply)}`)
    for (const [name, value] of Object.entries(reply.headers)) res.writeHeader(name, value)
    if (isBodiless(reply.status)) endWithoutContent(res, undefined, close)
    else if (request.method === 'HEAD') endWithoutContent(res, byteLength(reply.body), close)
    else if (!isStreamed(reply.body)) res.end(reply.body ?? '', close)
    else if (reply.body.bytes === 0) res.end('', close)
    else if (reply.body.bytes === undefined) return sendParts(res, reply.body.stream, request.gone)
    else return send(res, reply.body.stream, reply.body.bytes, request.gone)
    discardBody(reply.body)
  })
}

/**
 * If `endWithoutBody` gets a length, even an explicit `undefined`, the library waits for a body of
 * that length, which never comes, and closes the connection at the next request. So it gets one
 * only if the connection is to be closed; otherwise the length is sent as an ordinary header.
 */
function endWithoutContent(res: UwsResponse, bytes: number | undefined, close: boolean): void {
  if (close) return bytes === undefined ? res.end('', true) : res.endWithoutBody(bytes, true)
  if (bytes !== undefined) res.writeHeader('Content-Length', String(bytes))
  res.endWithoutBody()
}

/**
 * Reads no faster than the client does. If the source fails midway, the connection is broken off.
 */
function send(res: UwsResponse, stream: Readable, bytes: number, gone: AbortSignal): void {
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

/** Sends a stream of unknown length in chunks; the response ends when the stream does. */
function sendParts(res: UwsResponse, stream: Readable, gone: AbortSignal): void {
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
