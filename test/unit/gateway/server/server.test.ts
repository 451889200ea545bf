/**
 * Goal: clients get the same behaviour from both engines. Method: the real server alone, clients
 * that write bytes by hand. `run.ts` runs this file once for each engine.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { chooseEngine } from '../../../../gateway/server/engine.ts'
import type { HttpReply, HttpRequest } from '../../../../gateway/server/http.ts'
import type { ListenerOptions } from '../../../../gateway/server/listener.ts'
import { startHttpServer } from '../../../../gateway/server/server.ts'
import { serverEngine } from '../../../helpers/service/server-engine.ts'
import { until } from '../../../helpers/lib/until.ts'
import { serverLimits } from '../../../../gateway/server/limits.ts'

const engine = chooseEngine(serverEngine)
const head = 'Host: localhost\r\n'
const MiB = 2 ** 20

/** Echoes the request as JSON. */
async function tell(request: HttpRequest): Promise<HttpReply> {
  const { method, path, query, headers } = request
  const text = await request.body().then(
    (bytes) => Buffer.from(bytes).toString(),
    () => 'broken off',
  )
  const asked = { method, path, query: [...query], headers: Object.fromEntries(headers), text }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  }
}

/** Functions that stop the servers, the newest last. */
const letGo: (() => void)[] = []

async function serving(t: Test, options: Partial<ListenerOptions> = {}): Promise<number> {
  const server = await startHttpServer(engine, {
    host: '127.0.0.1',
    port: 0,
    handle: tell,
    upgrade: async () => ({ accepted: false, reply: { status: 404, headers: {}, body: 'none' } }),
    ...options,
  })
  t.teardown(() => server.stop())
  letGo.push(() => server.stop())
  return server.port
}

class Client {
  readonly socket: Socket
  received = ''
  isClosed = false

  constructor(t: Test, port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (data) => (this.received += data.toString('latin1')))
    this.socket.on('error', () => undefined) // The close that follows is what is looked at.
    this.socket.once('close', () => (this.isClosed = true))
    t.teardown(() => this.socket.destroy())
  }

  /** Waits until the received text matches. */
  async answer(pattern: RegExp): Promise<RegExpExecArray> {
    return until(`an answer like ${pattern}`, () => pattern.exec(this.received) ?? undefined)
  }

  async closed(): Promise<void> {
    await until('the connection is closed', () => this.isClosed, 30_000)
  }
}

/** The answer of {@link tell} to a request of these bytes. */
async function said(t: Test, port: number, bytes: string) {
  const client = new Client(t, port)
  client.socket.write(bytes)
  const [json] = await client.answer(/\{"method".*\}$/s)
  client.socket.destroy()
  return JSON.parse(json)
}

t.test('headers: repeated ones are joined, too long ones refused', async (t) => {
  const port = await serving(t)
  const twice = `GET /a//?x=1&x=2 HTTP/1.1\r\n${head}X-One: 1\r\nx-one: 2\r\n\r\n`
  t.match(await said(t, port, twice), {
    ...{ method: 'GET', path: '/a', text: '' },
    ...{ query: [['x', '1'], ['x', '2']], headers: { 'x-one': '1, 2' } }, // prettier-ignore
  })
  const long = (bytes: number) => `GET / HTTP/1.1\r\n${head}x: ${'y'.repeat(bytes)}\r\n\r\n`
  t.equal((await said(t, port, long(serverLimits.headerBytes - 200))).headers.x.length, 16_184)
  const client = new Client(t, port)
  client.socket.write(long(serverLimits.headerBytes + 1))
  await client.answer(/^HTTP\/1\.1 431 .*"type":"too_large".*16384 bytes/s)
  await client.closed()
})

t.test(
  'bodies: in chunks, with a length, after 100-continue; the next request is served too',
  async (t) => {
    const port = await serving(t)
    const chunks = `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n`
    t.match(await said(t, port, chunks), { text: 'onetwo' })
    const client = new Client(t, port)
    client.socket.write(
      `POST / HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
    )
    await client.answer(/^HTTP\/1\.1 100 /)
    client.socket.write('hello')
    await client.answer(/"text":"hello"\}$/)
    client.socket.write(`HEAD /next HTTP/1.1\r\n${head}\r\n`)
    const [, answer] = await client.answer(/"hello"\}(HTTP.*\r\n\r\n)$/s)
    t.match(answer, /content-length: [1-9]/i)
    t.equal(client.isClosed, false)
    client.socket.write(`GET /after HTTP/1.1\r\n${head}\r\n`)
    await client.answer(/"path":"\/after"/)
  },
)

t.test('bytes after a request that are not HTTP do not cost it its answer', async (t) => {
  const port = await serving(t)
  const client = new Client(t, port)
  const post = `POST / HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\n`
  client.socket.write(`${post}abc and then something else\r\n\r\n`)
  await client.answer(/"text":"abc"\}/)
})

t.test('a request to upgrade to another protocol is handled as a request', async (t) => {
  const port = await serving(t)
  const java = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
  const asked = `POST /a HTTP/1.1\r\n${head}${java}Content-Length: 3\r\n\r\n`
  t.match(await said(t, port, `${asked}abc`), { method: 'POST', path: '/a', text: 'abc' })
  const client = new Client(t, port)
  client.socket.write(asked)
  await once(client.socket, 'connect')
  client.socket.write('ab')
  await until('it is sent', () => client.socket.writableLength === 0)
  client.socket.write(`cGET /b HTTP/1.1\r\n${head}\r\n`)
  await client.answer(/"text":"abc"\}.*"path":"\/b"/s)
  const half = `GET / HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
  t.match(await said(t, port, half), { headers: { upgrade: 'websocket' } })
})

t.test('a body that is not read pauses its sender', async (t) => {
  let isAsked = false
  let letRead = () => {}
  const mayRead = new Promise<void>((resolve) => (letRead = resolve))
  const port = await serving(t, {
    async handle(request) {
      const stream = request.stream(1024 * MiB)
      isAsked = true
      await mayRead
      let bytes = 0
      for await (const chunk of stream) bytes += chunk.length
      return { status: 200, headers: {}, body: `${bytes} bytes` }
    },
  })
  const client = new Client(t, port)
  const all = 64
  client.socket.write(`POST / HTTP/1.1\r\n${head}Content-Length: ${all * MiB}\r\n\r\n`)
  const piece = Buffer.alloc(MiB)
  let taken = 0
  const sending = (async () => {
    for (let sent = 0; sent < all; sent++) {
      if (!client.socket.write(piece)) await once(client.socket, 'drain')
      taken = sent
    }
  })()
  await until('the sender rests', async () => {
    const before = client.socket.bytesWritten - client.socket.writableLength
    for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve))
    return isAsked && client.socket.bytesWritten - client.socket.writableLength === before
  })
  t.ok(taken < all / 2, `${taken} of ${all} MiB were taken`)
  letRead()
  await sending
  await client.answer(new RegExp(`${all * MiB} bytes$`))
})

t.test('a disconnect is noticed: before the answer, and before the upgrade', async (t) => {
  const gone: string[] = []
  const note = (what: string, request: HttpRequest) =>
    new Promise<void>((resolve) => {
      gone.push(`${what} asks`)
      request.gone.addEventListener('abort', () => {
        gone.push(`${what} left`)
        resolve()
      })
    })
  const port = await serving(t, {
    async handle(request) {
      await note('request', request)
      return { status: 200, headers: {} }
    },
    async upgrade(request) {
      await note('socket', request)
      const closed = (code: number) => void gone.push(`closed ${code}`)
      const nothing = () => undefined
      const rest = { opened: nothing, message: nothing, drained: nothing, alive: nothing }
      return { accepted: true, handler: { ...rest, closed } }
    },
  })
  const request = new Client(t, port)
  request.socket.write(`GET / HTTP/1.1\r\n${head}\r\n`)
  await until('it is asked', () => gone.includes('request asks'))
  request.socket.end()
  await until('it is told', () => gone.includes('request left'))
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
  const socket = new Client(t, port)
  socket.socket.write(
    `GET / HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`,
  )
  await until('it is asked', () => gone.includes('socket asks'))
  socket.socket.end()
  await until('it is told', () => gone.includes('closed 1006'))
  t.ok(gone.includes('socket left'))
})

t.test('a head that never ends is given up', async (t) => {
  const port = await serving(t)
  const client = new Client(t, port)
  client.socket.write('GET / HTTP/1.1\r\nHost: local')
  await client.closed()
  t.notMatch(client.received, /200/)
})

// uWebSockets.js reads the next request only after it has answered the one before.
if (engine === 'node') {
  t.test('a client that keeps sending requests without an answer is cut off', async (t) => {
    let asked = 0
    const port = await serving(t, {
      handle(request) {
        asked++
        return new Promise((resolve) => {
          request.gone.addEventListener('abort', () => resolve({ status: 200, headers: {} }))
        })
      },
    })
    const client = new Client(t, port)
    client.socket.write(`GET / HTTP/1.1\r\n${head}\r\n`.repeat(serverLimits.requestsUnanswered + 1))
    await client.closed()
    t.equal(asked, serverLimits.requestsUnanswered)
  })
}

t.test('a port is free for the next server as soon as it is released', async (t) => {
  const port = await serving(t)
  const stays = new Client(t, port)
  stays.socket.write(`GET / HTTP/1.1\r\n${head}\r\n`)
  await stays.answer(/"method"/)
  const options = {
    host: '127.0.0.1',
    port,
    handle: tell,
    upgrade: async () => ({ accepted: false as const, reply: { status: 404, headers: {} } }),
  }
  await t.rejects(startHttpServer(engine, options), { name: 'PortTaken' })
  letGo.at(-1)?.()
  const next = await until('it is let go', () =>
    startHttpServer(engine, options).catch(() => undefined),
  )
  t.teardown(() => next.stop())
  t.equal(next.port, port)
})
