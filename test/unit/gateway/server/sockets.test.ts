/**
 * Goal: WebSockets of both engines keep the same promises: complete messages, bounds, and an end
 * with a reason. Method: the real server alone with an independent client. `run.ts` runs this file
 * once for each engine.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import { limits } from '../../../../proto/limits.ts'
import { chooseEngine } from '../../../../gateway/server/engine.ts'
import type { ServerSocket, SocketHandler } from '../../../../gateway/server/http.ts'
import { startHttpServer } from '../../../../gateway/server/server.ts'
import { serverEngine } from '../../../helpers/service/server-engine.ts'
import { until } from '../../../helpers/lib/until.ts'
import { serverLimits } from '../../../../gateway/server/limits.ts'

const MiB = 2 ** 20
const bound = 64 * 1024

/** Records the server's side of one socket. */
class Noted implements SocketHandler {
  socket: ServerSocket | undefined
  readonly events: string[] = []
  readonly messages: Uint8Array[] = []

  opened(socket: ServerSocket) {
    this.socket = socket
  }

  message(data: Uint8Array, isBinary: boolean) {
    this.messages.push(data)
    this.events.push(`${isBinary ? 'binary' : 'text'} ${data.byteLength}`)
  }

  drained() {
    this.events.push('drained')
  }

  alive() {
    this.events.push('alive')
  }

  closed(code: number, reason: string) {
    this.events.push(`closed ${code} ${reason}`)
  }
}

async function pair(t: Test, options: WebSocket.ClientOptions = {}, protocols: string[] = []) {
  const noted = new Noted()
  const server = await startHttpServer(chooseEngine(serverEngine), {
    host: '127.0.0.1',
    port: 0,
    handle: async () => ({ status: 404, headers: {} }),
    upgrade: async () => ({ accepted: true, handler: noted }),
    bounds: [
      { path: '/bounded', messageBytes: bound },
      { path: '/below/*', messageBytes: bound },
    ],
  })
  t.teardown(() => server.stop())
  const url = `ws://127.0.0.1:${server.port}/`
  const client = new WebSocket(url, protocols, { maxPayload: 512 * MiB, ...options })
  // The tests check the close that follows.
  client.on('error', () => undefined)
  t.teardown(() => client.terminate())
  return { noted, client, port: server.port, url }
}

async function opened(t: Test) {
  const made = await pair(t, { perMessageDeflate: false })
  await once(made.client, 'open')
  return { ...made, socket: made.noted.socket! }
}

t.test('no extension and no subprotocol is accepted', async (t) => {
  const { client } = await pair(t, { perMessageDeflate: true }, ['one', 'two'])
  const [response] = await once(client, 'upgrade')
  t.equal(response.headers['sec-websocket-protocol'], undefined)
  t.equal(response.headers['sec-websocket-extensions'], undefined)
})

t.test('a message in fragments is one message; pings are answered and show life', async (t) => {
  const { client, noted, socket } = await opened(t)
  client.send('he', { fin: false })
  client.ping()
  client.send('llo', { fin: true })
  client.send(Buffer.from([1, 2]))
  await once(client, 'pong')
  await until('all has come', () => noted.messages.length === 2)
  t.same(noted.events, ['alive', 'text 5', 'binary 2'])
  t.equal(Buffer.from(noted.messages[0]!).toString(), 'hello', 'still there later')
  socket.ping()
  await until('the answer counts', () => noted.events.filter((e) => e === 'alive').length === 2)
})

t.test('a message that is never finished is limited by its socket’s path', async (t) => {
  const { port, noted } = await pair(t)
  const fill = async (path: string) => {
    const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false })
    const closed = new Promise<number>((resolve) => client.once('close', resolve))
    client.on('error', () => undefined)
    await once(client, 'open')
    client.send(Buffer.alloc(bound), { fin: false })
    client.send(Buffer.alloc(1), { fin: false })
    client.ping()
    const outcome = await Promise.race([closed, once(client, 'pong').then(() => 'kept')])
    client.terminate()
    return outcome
  }
  t.not(await fill('/bounded'), 'kept')
  t.not(await fill('/below/it'), 'kept')
  t.equal(await fill('/other'), 'kept')
  t.notOk(noted.events.some((event) => event.startsWith('binary')))
  // The limit is that of the path, however it is spelt.
  for (const path of ['//bounded', '///bounded', '/bounded/', '//bounded//', '//below/it/']) {
    t.not(await fill(path), 'kept', path)
  }
  for (const path of ['//', '//other', '/x//bounded', '/bounded/x', '/%62ounded']) {
    t.equal(await fill(path), 'kept', path)
  }
})

t.test('what is sent arrives complete and in order, however large', async (t) => {
  const { client, socket, noted } = await opened(t)
  const got: Buffer[] = []
  client.on('message', (data: Buffer) => got.push(data))
  const large = Buffer.alloc(3 * serverLimits.socketFrameBytes + 7, 'abcdefg')
  socket.cork(() => {
    for (const text of ['1', '2', '3']) socket.send(Buffer.from(text), false)
  })
  socket.send(large, true)
  socket.send(Buffer.from('last'), false)
  await until('all has come', () => got.length === 5)
  t.same(got.filter((data) => data.length < 9).map(String), ['1', '2', '3', 'last'])
  t.ok(got[3]!.equals(large))
  await until('its leaving is told', () => noted.events.includes('drained'))
  t.equal(socket.bufferedBytes, 0)
})

t.test('for a client that does not read, the excess is dropped and reported', async (t) => {
  const { client, socket, noted } = await opened(t)
  client.pause()
  const piece = Buffer.alloc(8 * MiB)
  const most = limits.cdpFromBrowserBytes + serverLimits.cdpPauseBytes
  let sent = 0
  while (socket.send(piece, true) && sent < most * 2) sent += piece.length
  t.ok(sent <= most + 2 * piece.length, `${sent / MiB} MiB were taken`)
  t.ok(socket.bufferedBytes > most / 2)
  let got = 0
  client.on('message', (data: Buffer) => (got += data.length))
  client.resume()
  await until('what was taken arrives', () => got === sent)
  await until('all has left', () => socket.bufferedBytes === 0)
  t.ok(noted.events.includes('drained'))
})

t.test('a close is reported at once here, and to the client with a cut reason', async (t) => {
  const { client, socket, noted } = await opened(t)
  const end = once(client, 'close')
  socket.end(4001, 'ü'.repeat(100))
  t.match(noted.events.at(-1), /^closed 4001 /)
  client.send('too late')
  const [code, reason] = await end
  t.equal(code, 4001)
  t.equal(String(reason), 'ü'.repeat(61))
  t.equal(noted.messages.length, 0)
  t.equal(noted.events.filter((event) => event.startsWith('closed')).length, 1)
})

t.test('a client’s close is reported with its code, or as one without a code', async (t) => {
  const first = await opened(t)
  first.client.close(4321, 'enough')
  await until('it is told', () => first.noted.events.includes('closed 4321 enough'))
  const second = await opened(t)
  second.client.terminate()
  await until('it is told', () => second.noted.events.some((e) => e.startsWith('closed 1006')))
})

t.test('a breach of the protocol or its limits closes the socket', async (t) => {
  const { client, noted } = await opened(t)
  const end = once(client, 'close')
  client.send(Buffer.alloc(serverLimits.cdpToBrowserBytes + 1))
  const [code, reason] = await end
  t.equal(code, 1009)
  t.match(String(reason), /100 MiB/)
  t.equal(noted.messages.length, 0)

  const { client: wrong, noted: told } = await opened(t)
  wrong.send(Buffer.from([0xff, 0xfe]), { binary: false })
  await once(wrong, 'close')
  t.equal(told.messages.length, 0, 'text that is not UTF-8 is dropped')

  const { noted: third, port } = await pair(t)
  const raw = connect(port, '127.0.0.1')
  raw.on('error', () => undefined)
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
  const asks = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`
  const closed = once(raw, 'close')
  raw.write(asks)
  await once(raw, 'data')
  // A frame that announces a gibibyte.
  raw.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]))
  raw.resume()
  await closed
  t.equal(third.messages.length, 0)
})
