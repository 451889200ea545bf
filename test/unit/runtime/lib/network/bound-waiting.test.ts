/**
 * Goal: whoever fills a server with connections closes connections of the same kind only. Method: a
 * real server, and clients that only connect, or keep their connections after a request.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { boundWaiting } from '../../../../../runtime/lib/network/bound-waiting.ts'
import { closeServer, listenOnLoopback } from '../../../../helpers/lib/loopback.ts'
import { until } from '../../../../helpers/lib/until.ts'

const waitingMax = 8
const server = createServer((_, response) => void response.end('yes'))
boundWaiting(server, waitingMax)
const port = await listenOnLoopback(server)
t.teardown(() => closeServer(server))

async function open(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined) // The close that follows is what is looked at.
  await once(socket, 'connect')
  return socket
}

async function ask(socket: Socket): Promise<void> {
  socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await once(socket, 'data')
}

/** The same number more than there is room for. */
const many = () => Promise.all(Array.from({ length: 2 * waitingMax }, open))
const closedOf = (sockets: readonly Socket[]) => sockets.filter(({ closed }) => closed).length
const end = (sockets: readonly Socket[]) => sockets.forEach((socket) => socket.destroy())

t.test('clients that only connect do not close a kept connection', async (t) => {
  const kept = await open()
  await ask(kept)
  const idle = await many()
  await until('they close each other’s', () => closedOf(idle) >= waitingMax)
  await ask(kept)
  t.notOk(kept.closed)
  end([...idle, kept])
})

t.test('kept connections do not close one whose request is on its way', async (t) => {
  const kept = await many()
  for (const socket of kept)
    if (!socket.closed) await Promise.race([ask(socket), once(socket, 'close')])
  const late = await open()
  await ask(late)
  t.notOk(late.closed)
  t.ok(closedOf(kept) > 0)
  end([...kept, late])
})
