/**
 * Goal: the connections of one browser are bounded, end with it, and end nothing else when they
 * fail. Method: the filter as in a browser's own network, raw sockets, and a site that never answers.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import {
  ConnectionRoom,
  type ConnectionRoomOptions,
} from '../../../../node-agent/egress/connections/connection-room.ts'
import { NetworkFilter } from '../../../../node-agent/egress/filter.ts'
import { egressLimits } from '../../../../node-agent/egress/limits.ts'
import { serveWebPage } from '../../../helpers/pages/web-page.ts'
import { until } from '../../../helpers/lib/until.ts'

const page = await serveWebPage('<h1>Here</h1>')
t.teardown(() => page.close())
const here = new URL(page.url).host

/** No connection can be made to it; this is known at once. */
const unreachable = '255.255.255.255'

const portOf = (server: Server) => (server.address() as AddressInfo).port

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return portOf(server)
}

/** A site that accepts and never says anything. */
async function silentSite(t: Test) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket
      .resume()
      .on('error', () => undefined)
      .once('close', () => sockets.delete(socket))
  })
  const port = await listening(server)
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { host: `127.0.0.1:${port}`, open: () => sockets.size }
}

async function open(
  t: Test,
  options: ConnectionRoomOptions = {},
  room = new ConnectionRoom(options),
) {
  const listener = createServer()
  const port = await listening(listener)
  const filter = NetworkFilter.behind(listener, undefined, {
    lookUp: async () => [{ address: unreachable, family: 4 }],
    room,
  })
  filter.policies = []
  const dialled: Socket[] = []
  t.teardown(async () => {
    for (const socket of dialled) socket.destroy()
    await filter.close()
  })
  /** A connection that says this, and everything that it is told. */
  const say = (text: string) => {
    const socket = connect(port, '127.0.0.1')
    dialled.push(socket)
    const said = { socket, heard: '', isClosed: false }
    socket.on('data', (chunk: Buffer) => (said.heard += chunk.toString()))
    socket.on('error', () => undefined).once('close', () => (said.isClosed = true))
    socket.write(text)
    return said
  }
  const ask = async (line: string) => {
    const said = say(`${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    await until(line, () => said.isClosed)
    return said.heard
  }
  return { filter, room, say, ask }
}

const tunnelTo = (host: string) => `CONNECT ${host} HTTP/1.1\r\nhost: x\r\n\r\n`

t.test('a connection that fails at once ends nothing else', async (t) => {
  const { ask } = await open(t)
  for (let i = 0; i < 3; i++) {
    t.match(await ask(`GET http://unreachable.example/`), /^HTTP\/1\.1 5\d\d /)
    t.notMatch(await ask('CONNECT unreachable.example:443'), / 200 /)
  }
  t.match(await ask(`GET http://${here}/`), /200[^]*Here/)
})

t.test('a target that is no host is a bad request', async (t) => {
  const { ask } = await open(t)
  for (const host of ['127.0.0.1%00.example.com', '%', 'a b', 'a%5e']) {
    t.match(await ask(`CONNECT ${host}:80`), /^HTTP\/1\.1 400 /, host)
  }
})

t.test('a browser has only so many connections', async (t) => {
  const site = await silentSite(t)
  const perBrowser = 5
  const { room, say } = await open(t, { perBrowser })
  const held = Array.from({ length: perBrowser }, () => say(tunnelTo(site.host)))
  await until('all are open', () => held.every(({ heard }) => heard.includes(' 200 ')))
  for (const beyond of [
    say(tunnelTo(site.host)),
    say(`GET http://${here}/ HTTP/1.1\r\nhost: x\r\n\r\n`),
  ]) {
    await until('it is refused', () => beyond.isClosed)
    t.match(beyond.heard, /^HTTP\/1\.1 503 [^]*5 connections open[^]*close some/)
  }
  t.equal(room.refused, 2)
  t.equal(site.open(), perBrowser)
  // Silent ones cannot be told; beyond some they are not accepted.
  const silent = Array.from({ length: egressLimits.refusedConnections + 10 }, () => say(''))
  await until('the last are cut off', () => silent.filter(({ isClosed }) => isClosed).length >= 10)
  t.ok(room.open <= perBrowser + egressLimits.refusedConnections)
  for (const { socket } of [...silent, held[0]!]) socket.destroy()
  await until('there is room', () => room.open === perBrowser - 1)
  const next = say(tunnelTo(site.host))
  await until('one more is open', () => next.heard.includes(' 200 '))
  t.equal(room.refused, 2 + silent.length)
})

t.test('all browsers together leave descriptors to the process', async (t) => {
  const site = await silentSite(t)
  const room = new ConnectionRoom({ descriptors: 8 })
  const [first, second] = [await open(t, {}, room), await open(t, {}, room)]
  const held = [first, first, second].map(({ say }) => say(tunnelTo(site.host)))
  await until('they are open', () => held.every(({ heard }) => heard.includes(' 200 ')))
  t.equal(await second.ask(`GET http://${here}/`), '')
  held[0]!.socket.destroy()
  await until('there is room', () => room.open === 2)
  t.match(await second.ask(`GET http://${here}/`), /200[^]*Here/)
})

t.test('a request that is never finished is cut off', async (t) => {
  const { room, say } = await open(t, { requestHeadMs: 300 })
  const halves = ['', 'GET http://exa', 'CONNECT a', 'GET http://a/ HTTP/1.1\r\nx: y'].map(say)
  await until('all are closed', () => halves.every(({ isClosed }) => isClosed))
  await until('and gone', () => room.open === 0)
})

t.test('all connections end with the filter, also those to a silent site', async (t) => {
  const site = await silentSite(t)
  const { filter, say } = await open(t)
  const ways = [tunnelTo(site.host), `GET http://${site.host}/ HTTP/1.1\r\nhost: x\r\n\r\n`]
  const held = [...ways, ...ways].map(say)
  await until('all have arrived', () => site.open() === held.length)
  await filter.close()
  await until('none is open', () => site.open() === 0 && held.every(({ isClosed }) => isClosed))
})

t.test('a connection to the site ends with that of the browser', async (t) => {
  const site = await silentSite(t)
  const { say } = await open(t)
  const held = say(tunnelTo(site.host))
  await until('it is open', () => site.open() === 1 && held.heard.includes(' 200 '))
  held.socket.destroy()
  await until('it has ended', () => site.open() === 0)
})

t.test('requests behind each other are answered one after the other', async (t) => {
  const site = await silentSite(t)
  const { say } = await open(t)
  const get = (host: string, more = '') => `GET http://${host}/ HTTP/1.1\r\nhost: x\r\n${more}\r\n`
  const both = say(get(here) + get(here, 'connection: close\r\n'))
  await until('both are answered', () => both.isClosed)
  t.equal(both.heard.match(/HTTP\/1\.1 200 /g)?.length, 2)
  const many = say(get(site.host).repeat(egressLimits.pipelinedRequests + 3))
  await until('too many are cut off', () => many.isClosed)
  t.ok(site.open() <= 1)
  const [first] = (await Promise.all([once(say(get(here)).socket, 'data')])) as [[Buffer]]
  t.match(first[0].toString(), /200/)
})
