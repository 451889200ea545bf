/**
 * Somebody who reaches a listener of the service, and has no key, wants every connection of it: opened
 * by the hundred and left alone, half a head, a refusal that is never taken leave of. Method: a real
 * service with the data port of its agent, and the local port of a session; bytes written by hand.
 * `run.ts` runs this file once for each engine.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { chooseEngine } from '../../../gateway/server/engine.ts'
import { serverLimits } from '../../../gateway/server/limits.ts'
import { dataPortLimits } from '../../../node-agent/data-port/limits.ts'
import { cliLimits } from '../../../runtime/cli/limits.ts'
import { RawClient } from '../../helpers/gateway/raw-client.ts'
import { freePorts } from '../../helpers/lib/free-ports.ts'
import { until } from '../../helpers/lib/until.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { serverEngine } from '../../helpers/service/server-engine.ts'
import { createSession, spawnTroupe, startService } from '../../helpers/service/service.ts'

const [dataPort] = await freePorts(1)
const agentUrl = `http://127.0.0.1:${dataPort}`
const service = await startService({ env: { POOL_HEADLESS: '1', DATA_PORT: String(dataPort) } })
const clients: RawClient[] = []
t.teardown(() => {
  for (const client of clients) client.close()
  return service.stop()
})
const beside = await startBystander(service)

const session = await createSession(service.rest)
const env = { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key, DATA_DIR: service.dataDir }
const command = spawnTroupe(['cdp-port', session.id], env)
const commandEnded = once(command, 'exit')
t.teardown(async () => {
  command.kill('SIGKILL')
  await commandEnded
})
const [line] = (await once(command.stdout!.setEncoding('utf8'), 'data')) as [string]
const localUrl = line.trim()

const host = 'Host: localhost\r\n'

function open(url: string, text = ''): RawClient {
  const client = new RawClient(url)
  clients.push(client)
  client.write(text)
  return client
}

/** A head that never ends; the deadlines of all listeners run while the other tests do. */
const halves = [service.baseUrl, agentUrl, localUrl].map((url) =>
  open(url, `GET / HTTP/1.1\r\n${host}X-`),
)

/** Opens more idle connections than the limit allows; the status shows that others are served. */
async function hold(t: Test, url: string, waitingMax: number, path: string, isBounded = true) {
  const busy = open(url, `GET ${path} HTTP/1.1\r\n${host}\r\n`)
  await busy.answer(/^HTTP\/1\.1 /)
  const idle = Array.from({ length: waitingMax + 16 }, () => open(url))
  const closed = () => idle.filter(({ isClosed }) => isClosed).length
  if (isBounded) {
    await until('those that have waited longest are closed', () => closed() >= 16)
    t.ok(idle[0]!.isClosed, 'the first of them')
    t.notOk(idle.at(-1)!.isClosed, 'and not the last')
  }
  const late = open(url, `GET ${path} HTTP/1.1\r\n${host}\r\n`)
  await late.answer(/^HTTP\/1\.1 \d/)
  for (const client of idle) client.close()
}

t.test('the gateway’s', async (t) => {
  // uWebSockets.js tells nothing of its connections, but ends each after ten seconds.
  const isBounded = chooseEngine(serverEngine) === 'node'
  await hold(t, service.baseUrl, serverLimits.connectionsWaitingMax, '/health/live', isBounded)
})

t.test('those of the agent’s data port', (t) =>
  hold(t, agentUrl, dataPortLimits.connectionsWaitingMax, '/http'),
)

t.test('those of a local port', (t) => hold(t, localUrl, cliLimits.localWaitingMax, '/json'))

t.test('a refused upgrade ends, also if its client keeps its own side open', async () => {
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`
  for (const url of [service.baseUrl, agentUrl, localUrl]) {
    const { hostname, port } = new URL(url)
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    client.on('error', () => undefined) // The close that follows is what is looked at.
    client.write(`GET /cdp HTTP/1.1\r\n${host}${upgrade}`)
    await once(client.resume(), 'end')
    // A connection that is closed there refuses what is sent to it; one that is not takes it.
    await until('nothing more is taken', () => {
      if (client.writable) client.write('x')
      return client.destroyed
    })
  }
})

t.test('a connection that breaks off at any moment ends nothing else', async (t) => {
  const pids = [service.pidOf('gateway'), service.pidOf('node-agent')]
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}`
  const socket = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  const moments = ['', get('/'), `${get('/json/version')}\r\n`, `${get('/cdp')}${socket}\r\n`]
  const body = `POST /v1/sessions HTTP/1.1\r\n${host}Content-Length: 90\r\n\r\n{`
  for (const url of [service.baseUrl, agentUrl, localUrl]) {
    const { hostname, port } = new URL(url)
    for (const text of [...moments, body]) {
      const client = connect({ host: hostname, port: Number(port) })
      await once(client, 'connect')
      await new Promise((resolve) => client.write(text, resolve))
      client.resetAndDestroy()
    }
  }
  // The local port's answer comes when its client has left.
  const { pathname, host: local } = new URL('/json/version', localUrl)
  process.kill(pids[0]!, 'SIGSTOP')
  const leaving = open(localUrl, `GET ${pathname} HTTP/1.1\r\nHost: ${local}\r\n\r\n`)
  await leaving.written()
  leaving.close()
  process.kill(pids[0]!, 'SIGCONT')
  for (let i = 0; i < 3; i++) t.equal((await fetch(`${localUrl}/json/version`)).status, 200)
  t.equal((await fetch(agentUrl)).status, 404)
  t.same([service.pidOf('gateway'), service.pidOf('node-agent')], pids)
  t.equal(command.exitCode, null)
})

t.test('half a head ends by itself', async () => {
  for (const half of halves) await half.closed()
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
