/**
 * Goal: an error of a connection, a stream or a child ends only that. Method: real sockets and
 * children, with an error at each moment of their lives; one without a listener would end this process.
 */
import { spawn } from 'node:child_process'
import { once, type EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import {
  contained,
  containedChild,
  containedServer,
} from '../../../../runtime/lib/network/contained.ts'
import { closeServer, listenOnLoopback } from '../../../helpers/lib/loopback.ts'

/** `once` of Node would throw the error. */
const closed = (made: EventEmitter) => new Promise((resolve) => made.once('close', resolve))

async function serving(t: Test) {
  const held: ServerResponse[] = []
  const server = containedServer(createServer((_, response) => void held.push(response)))
  const upgraded: Socket[] = []
  server.on('upgrade', (_, socket: Socket) => void upgraded.push(socket))
  const port = await listenOnLoopback(server)
  t.teardown(() => closeServer(server))
  return { server, port, held, upgraded }
}

t.test('a connection that is made fails before, while and after it connects', async (t) => {
  const { port } = await serving(t)
  const early = contained(connect({ port, host: '127.0.0.1' }))
  early.destroy(new Error('before'))
  await closed(early)
  const refused = contained(connect({ path: '/nowhere' }))
  await closed(refused)
  const late = contained(connect({ port, host: '127.0.0.1' }))
  await once(late, 'connect')
  late.emit('error', new Error('one'))
  late.destroy(new Error('another'))
  await closed(late)
  const asked = contained(request({ path: '/', socketPath: '/nowhere' }))
  asked.end()
  await closed(asked)
})

t.test('a connection to a server fails before, during and after its request', async (t) => {
  const { server, port, held, upgraded } = await serving(t)
  const client = async (text: string) => {
    const socket = contained(connect({ port, host: '127.0.0.1' })).resume()
    const [accepted] = (await once(server, 'connection')) as [Socket]
    socket.write(text)
    return { socket, accepted, closed: closed(accepted) }
  }
  const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n'
  for (const text of ['', get]) {
    const { accepted, closed } = await client(text)
    accepted.destroy(new Error('no request yet'))
    await closed
  }
  const { socket, ...its } = await client(`${get}\r\n`)
  await once(server, 'request')
  socket.resetAndDestroy()
  await its.closed
  held[0]!.end('too late')
  held[0]!.emit('error', new Error('its client has left'))
  const other = await client(`${get}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`)
  await once(server, 'upgrade')
  upgraded[0]!.destroy(new Error('after the upgrade'))
  await other.closed
  server.emit('error', new Error('a connection could not be accepted'))
  server.emit('error', new Error('and another'))
  t.ok(server.listening)
})

t.test('a child fails to start, or ends before its pipe does; a file cannot be read', async (t) => {
  const none = containedChild(spawn('/nowhere/program', { stdio: 'pipe' }))
  await closed(none)
  const child = containedChild(spawn('true', { stdio: 'pipe' }))
  await once(child, 'exit')
  child.stdin.write('too late')
  child.stdin.destroy(new Error('its pipe'))
  child.emit('error', new Error('it cannot be killed'))
  const file = contained(createReadStream('/nowhere/file'))
  await closed(file)
  t.ok(file.destroyed)
})
