/**
 * Goal: a browser that speaks SOCKS 5 reaches what its policies allow, byte for byte, and is told why it
 * does not reach the rest; nothing else is let through. Method: the filter as in a browser's own network,
 * and a client that says what it likes.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import {
  ConnectionRoom,
  type ConnectionRoomOptions,
} from '../../../../node-agent/egress/connections/connection-room.ts'
import { socksReplies } from '../../../../node-agent/egress/connections/socks.ts'
import { NetworkFilter, type LookUp } from '../../../../node-agent/egress/filter.ts'
import { blockedByPolicy } from '../../../../node-agent/egress/policy.ts'
import type { ProxyOptions } from '../../../../proto/session/session.ts'
import { until } from '../../../helpers/lib/until.ts'
import { askSocks, socksRequest, type SocksRequest } from '../../../helpers/network/socks-client.ts'
import { serveWebPage } from '../../../helpers/pages/web-page.ts'

const page = await serveWebPage('<h1>Here</h1>')
t.teardown(() => page.close())
const pagePort = Number(new URL(page.url).port)
const everything = [{ allowsPrivateNetwork: true }]
const publicOnly = [{ allowsPrivateNetwork: false }]
const loopback: LookUp = async () => [{ address: '127.0.0.1', family: 4 }]
const get = (path = '/') => `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`

interface Given extends ConnectionRoomOptions {
  readonly lookUp?: LookUp
  readonly upstream?: ProxyOptions
}

async function open(t: Test, { lookUp = loopback, upstream, ...room }: Given = {}) {
  const means = { lookUp, room: new ConnectionRoom(room) }
  const filter = await NetworkFilter.open(upstream, means)
  filter.policies = everything
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    return filter.close()
  })
  const ask = async (to: SocksRequest['to'], port = pagePort, command?: number) => {
    const client = await askSocks(filter.port, { to, port, ...(command && { command }) })
    sockets.push(client.socket)
    return client
  }
  /** What a page there would see. */
  const read = async (to: SocksRequest['to'], port = pagePort, path = '/') => {
    const { socket, reply, heard } = await ask(to, port)
    if (reply !== socksReplies.succeeded) return reply
    socket.write(get(path))
    await once(socket, 'end')
    return heard()
  }
  return { filter, ask, read, room: means.room }
}

/** A server that answers each byte with its double, and says goodbye at the end. */
async function doubler(t: Test) {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => void socket.write(Buffer.concat([bytes, bytes])))
    socket.on('end', () => socket.end('bye'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return (server.address() as AddressInfo).port
}

t.test('names and addresses of both families lead to the site', async (t) => {
  const { read, filter } = await open(t)
  const sixth = [...Array<number>(10).fill(0), 255, 255, 127, 0, 0, 1]
  for (const to of ['site.example', [127, 0, 0, 1], sixth, '::ffff:127.0.0.1', 'localhost']) {
    t.match(await read(to), /200[^]*Here/, String(to))
  }
  t.equal(filter.failureOf(new URL(page.url)), undefined)
})

t.test('bytes pass both ways, and an end in one direction is one', async (t) => {
  const port = await doubler(t)
  const { ask } = await open(t)
  const { socket, heard } = await ask('site.example', port)
  const long = 'x'.repeat(3_000_000)
  socket.write(long)
  await until('all has come back', () => heard().length === 2 * long.length)
  socket.end('y')
  await once(socket, 'end')
  t.equal(heard().slice(2 * long.length), 'yybye', 'also what was said after it')
})

t.test('what is asked for and not read waits at the site, not here', async (t) => {
  const parts = 450
  const answer = Buffer.alloc(6_000_000, 'z')
  const server = createServer((socket) => void socket.on('error', () => undefined).end(answer))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { filter } = await open(t)
  /** A connection that asks for the answer, and reads it only when told so. */
  const asked = () => {
    const socket = connect(filter.port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined).pause()
    socket.write(socksRequest({ to: 'site.example', port }))
    return async () => {
      let read = 0
      socket.on('data', (chunk: Buffer) => (read += chunk.length)).resume()
      await until('all is passed on', () => read > answer.length)
      socket.destroy()
    }
  }
  const before = process.memoryUsage().external
  const held = Array.from({ length: parts }, asked)
  await asked()()
  const grown = process.memoryUsage().external - before
  t.ok(grown < 80_000_000, `${parts} answers of 6 MB hold ${grown} bytes`)
  await held[0]!()
})

t.test('a refusal is a page that says why, where a page can be shown', async (t) => {
  const { filter, read, ask } = await open(t)
  filter.policies = publicOnly
  t.match(await read('site.example'), /403[^]*site\.example[^]*private address/)
  t.match(await read([127, 0, 0, 1]), /403[^]*private address/)
  t.equal(await read('site.example', 443), socksReplies.notAllowed)
  t.same(filter.takeUnreported(), [
    { host: 'site.example:443', count: 1 },
    { host: `127.0.0.1:${pagePort}`, count: 1 },
    { host: `site.example:${pagePort}`, count: 1 },
  ])
  t.equal(filter.failureOf(new URL('https://site.example/')), blockedByPolicy)
  const { socket } = await ask('site.example')
  socket.write(Buffer.from([22, 3, 1, 0, 5, 1]))
  await once(socket, 'end')
  filter.policies = [{ allowsPrivateNetwork: true, allowedDomains: ['other.example'] }]
  t.match(await read('site.example'), /403[^]*other\.example/)
  filter.policies = everything
  t.match(await read('site.example'), /200/)
  t.equal(filter.failureOf(new URL(page.url.replace('127.0.0.1', 'site.example'))), undefined)
})

t.test('a failure has the browser’s own name for it', async (t) => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  free.close()
  const unknown: LookUp = (host) =>
    host === 'nowhere.example' ? Promise.reject(new Error('ENOTFOUND')) : loopback(host, null!, {})
  const { read, filter } = await open(t, { lookUp: unknown })
  t.equal(await read('nowhere.example'), socksReplies.unreachable)
  t.equal(filter.failureOf(new URL('http://nowhere.example/')), 'net::ERR_NAME_NOT_RESOLVED')
  t.equal(await read('site.example', port), socksReplies.refused)
  const there = new URL(`http://site.example:${port}/`)
  t.equal(filter.failureOf(there), 'net::ERR_CONNECTION_REFUSED')
  t.equal(filter.failureOf(new URL('http://site.example/')), undefined, 'another port')
  t.same(filter.takeRefused(), [], 'neither is a refusal of ours')
})

t.test('only connections are made, and only by who speaks it right', async (t) => {
  const { filter, ask } = await open(t)
  for (const command of [2, 3, 9]) {
    t.equal((await ask('site.example', pagePort, command)).reply, socksReplies.unknownCommand)
  }
  for (const to of ['a b', '', '%', 'a^']) {
    t.equal((await ask(to)).reply, socksReplies.failed, `“${to}”`)
  }
  const wrong = socksRequest({ to: 'site.example', port: pagePort })
  for (const at of [3, 6]) {
    const bytes = Buffer.from(wrong)
    bytes[at] = 7
    const { socket, heard } = await said(t, filter, bytes)
    await once(socket, 'end')
    t.equal(heard().length, 2, 'not a word after the greeting')
  }
})

/** A connection that says these bytes. */
async function said(t: Test, filter: NetworkFilter, bytes: Buffer) {
  const socket = connect(filter.port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => undefined)
  socket.write(bytes)
  return { socket, heard: () => text }
}

t.test('a request that is never finished is cut off', async (t) => {
  const { filter, room } = await open(t, { requestHeadMs: 300 })
  const whole = socksRequest({ to: 'site.example', port: pagePort })
  const halves = [1, 2, 4, 7, whole.length - 1].map((length) => whole.subarray(0, length))
  for (const half of halves) await once((await said(t, filter, half)).socket, 'close')
  await until('none is left', () => room.open === 0)
})

t.test('who leaves is not waited for, whatever the name server and the site do', async (t) => {
  let asked = 0
  const silent: LookUp = (_, signal) => {
    asked++
    return new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
  }
  const { filter, room } = await open(t, { lookUp: silent })
  const request = socksRequest({ to: 'slow.example', port: 80 })
  const leaving = [await said(t, filter, request), await said(t, filter, request)]
  await until('both names are looked up', () => asked === 2)
  leaving[0]!.socket.end()
  leaving[1]!.socket.destroy()
  await until('none is left', () => room.open === 0)
})

t.test('beyond the limit of a browser, the page says so', async (t) => {
  const port = await doubler(t)
  const { ask, read, room } = await open(t, { perBrowser: 2 })
  const held = [await ask('site.example', port), await ask('site.example', port)]
  t.match(await read('site.example'), /503[^]*2 connections open/)
  t.equal(await read('site.example', 443), socksReplies.failed)
  t.equal(room.refused, 2)
  for (const { socket } of held) socket.destroy()
  await until('there is room', () => room.open === 0)
  t.match(await read('site.example'), /200/)
})

t.test('the demo page is answered here, and nothing else of the gateway', async (t) => {
  const { filter, ask } = await open(t)
  filter.ports = { gateways: [pagePort], closed: [pagePort] }
  const see = async (request: string, host = '127.0.0.1') => {
    const { socket, heard } = await ask(host)
    socket.write(
      `${request} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: none\r\nconnection: close\r\n\r\n`,
    )
    await once(socket, 'end')
    return heard()
  }
  t.match(
    await see('GET /demo?popup'),
    /^HTTP\/1\.1 200[^]*default-src 'none'; script-src 'sha256-/,
  )
  for (const request of ['GET /', 'POST /demo', 'GET /v1/sessions', 'GET /demo/x', 'GET //demo']) {
    t.match(await see(request), /^HTTP\/1\.1 403/, request)
  }
  t.match(await see('GET /demo', 'site.example'), /^HTTP\/1\.1 403/, 'by another name')
})

t.test('a policy ends the connections that it would refuse, and no others', async (t) => {
  const port = await doubler(t)
  const { filter, ask } = await open(t)
  const [away, here] = [await ask('away.example', port), await ask('here.example', port)]
  filter.policies = [{ allowsPrivateNetwork: true, allowedDomains: ['here.example'] }]
  await once(away.socket, 'end')
  here.socket.write('z')
  await until('the other one works', () => here.heard() === 'zz')
  filter.policies = publicOnly
  await once(here.socket, 'end')
})

t.test('a session with its own proxy has no way past it', async (t) => {
  const { read } = await open(t, { upstream: { server: `http://127.0.0.1:${pagePort}` } })
  t.equal(await read('site.example'), socksReplies.failed)
})
