/**
 * Goal: the connections of browsers are made in a process of their own; if it ends, they are lost and
 * nothing else, and it leaves nothing behind. Method: the real process, which is killed and stopped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Egress } from '../../../../node-agent/network/egress.ts'
import { networkLimits } from '../../../../node-agent/network/limits.ts'
import { blockedByPolicy } from '../../../../node-agent/egress/policy.ts'
import { noTraffic } from '../../../../proto/session/browser-reports.ts'
import type { ListenerHandle } from '../../../../runtime/browser-host/isolation/own-network.ts'
import { Guard } from '../../../../runtime/process/guard.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { programPath } from '../../../../runtime/process/programs.ts'
import { isRunning } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { askSocks } from '../../../helpers/network/socks-client.ts'
import { serveWebPage } from '../../../helpers/pages/web-page.ts'

const page = await serveWebPage('<h1>Here</h1>')
t.teardown(() => page.close())
const pagePort = Number(new URL(page.url).port)
const log = pino({ level: 'silent' })
const settings = { connections: 100, nameServers: [] }
const everything = [{ allowsPrivateNetwork: true }]
const publicOnly = [{ allowsPrivateNetwork: false }]

function open(t: Test) {
  const guard = new Guard()
  const egress = new Egress({ guard, clock: systemClock, log, settings })
  t.teardown(async () => {
    await egress.close()
    guard.stop()
  })
  return egress
}

/** The answer of the page, or the reply of SOCKS to a connection that is refused. */
async function read(proxyPort: number): Promise<string> {
  const { socket, reply, heard } = await askSocks(proxyPort, { to: 'localhost', port: pagePort })
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await until('it has ended', () => socket.readableEnded || socket.destroyed)
  socket.destroy()
  return reply === 0 ? heard() : `reply ${reply}`
}

/** As it comes from a browser's network: a socket that listens, and no process that accepts. */
async function listener() {
  const code = `
    const server = require('node:net').createServer()
    server.listen(0, '127.0.0.1', () => process.send(server.address().port, server._handle))
    process.once('disconnect', () => process.exit())
  `
  const child = spawn(process.execPath, ['-e', code], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [port, handle] = (await once(child, 'message')) as [number, ListenerHandle]
  child.disconnect()
  await once(child, 'exit')
  return { port, handle }
}

t.test('policies, refusals and failures are those of each filter', async (t) => {
  const egress = open(t)
  const filter = await egress.open({ policies: publicOnly, port: 0 })
  const other = await egress.open({ policies: everything, port: 0 })
  t.match(await read(filter.port), /403/)
  t.match(await read(other.port), /200[^]*Here/)
  const host = `localhost:${pagePort}`
  t.same(await filter.takeRefused(), [host])
  t.same(await filter.takeRefused(), [])
  t.same(await filter.takeUnreported(), [{ host, count: 1 }])
  t.equal(await filter.failureOf(`http://${host}/`), blockedByPolicy)
  t.equal(await other.failureOf(`http://${host}/`), undefined)
  t.equal(await other.failureOf('no url'), undefined)
  await filter.restrict(everything)
  t.match(await read(filter.port), /200[^]*Here/)
  egress.ports = { closed: [pagePort], gateways: [] }
  t.match(await read(filter.port), /403/, 'the ports of the service are closed')
  await filter.close()
  t.equal(await read(filter.port), 'reply undefined', 'nobody listens')
  t.same(await filter.takeRefused(), [], 'a filter that is closed knows nothing')
})

t.test(
  'what a filter has carried is known after its end, and after that of a process',
  async (t) => {
    const egress = open(t)
    const filter = await egress.open({ policies: everything, port: 0 })
    const other = await egress.open({ policies: everything, port: 0 })
    t.same(await filter.traffic(), noTraffic)
    const answer = await read(filter.port)
    const once = await filter.traffic()
    t.ok(once.receivedBytes > answer.length && once.receivedBytes < answer.length + 100)
    t.ok(once.sentBytes > 40 && once.sentBytes < 200)
    t.same(await other.traffic(), noTraffic)
    process.kill(egress.pid!, 'SIGKILL')
    t.same(await filter.traffic(), once)
    await until('it is read again', () =>
      read(filter.port).then(
        (text) => text.length === answer.length,
        () => false,
      ),
    )
    const twice = await filter.traffic()
    t.ok(twice.receivedBytes >= 2 * once.receivedBytes)
    await read(filter.port)
    await filter.close()
    t.equal((await filter.traffic()).receivedBytes, twice.receivedBytes + once.receivedBytes)
  },
)

t.test('after its end there is another one, with the same filters', async (t) => {
  const egress = open(t)
  const own = await listener()
  const inNetwork = await egress.open({ policies: publicOnly }, own.handle)
  const onPort = await egress.open({ policies: publicOnly, port: 0 })
  egress.ports = { closed: [1], gateways: [] }
  await inNetwork.restrict(everything)
  const { socket } = await askSocks(own.port, { to: 'localhost', port: pagePort })
  for (let round = 0; round < 2; round++) {
    const before = egress.pid!
    process.kill(before, 'SIGKILL')
    await until('its connections have ended', () => socket.destroyed || socket.readableEnded)
    // Asked for at once: it waits for the next process.
    t.match(await read(own.port), /200[^]*Here/)
    t.not(egress.pid, before)
    t.equal(egress.load.restarts, round + 1)
    t.notOk(isRunning(before))
    await until('the other listens too', () =>
      read(onPort.port)
        .catch(() => 'not yet')
        .then((seen) => /403/.test(seen)),
    )
  }
})

t.test('a policy that is set while there is none is in force in the next', async (t) => {
  const egress = open(t)
  const { port, handle } = await listener()
  const filter = await egress.open({ policies: everything }, handle)
  process.kill(egress.pid!, 'SIGKILL')
  await filter.restrict(publicOnly)
  t.match(await read(port), /403/)
  t.same(await filter.takeRefused(), [`localhost:${pagePort}`])
})

t.test('without an answer, nothing waits for long, and the next process answers', async (t) => {
  const timers: { ms: number; fire: () => void }[] = []
  const clock = {
    ...systemClock,
    timer(ms: number, fire: () => void) {
      const entry = { ms, fire }
      timers.push(entry)
      return { cancel: () => void timers.splice(timers.indexOf(entry), 1) }
    },
  }
  const guard = new Guard()
  const egress = new Egress({ guard, clock, log, settings })
  t.teardown(async () => {
    await egress.close()
    guard.stop()
  })
  const filter = await egress.open({ policies: everything, port: 0 })
  const stopped = egress.pid!
  process.kill(stopped, 'SIGSTOP')
  const refused = filter.takeRefused()
  await until('the question is asked', () => timers.length === 2)
  const [patience, hang] = timers.toSorted((a, b) => a.ms - b.ms)
  patience!.fire()
  t.same(await refused, [])
  hang!.fire()
  await until('it is ended', () => !isRunning(stopped))
  const { egressRestartMs } = networkLimits
  const pause = await until('the next one waits to start', () =>
    timers.find(({ ms }) => ms === egressRestartMs),
  )
  pause.fire()
  await filter.restrict(publicOnly)
  t.match(await read(filter.port), /403/)
})

t.test('its own end is that of its agent', async (t) => {
  const args = JSON.stringify([JSON.stringify(settings)])
  const code = `
    const { fork } = require('node:child_process')
    const child = fork(${JSON.stringify(programPath('egress'))}, ${args})
    child.once('message', () => console.log(child.pid))
  `
  const agent = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = (await once(agent.stdout, 'data')) as [Buffer]
  t.ok(isRunning(Number(pid)))
  agent.kill('SIGKILL')
  await until('it has ended', () => !isRunning(Number(pid)))
})
