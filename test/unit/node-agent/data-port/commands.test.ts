/**
 * Goal: commands of a session go to the agent over a connection of their own once there are several,
 * in their order, and are done once when that breaks. Method: the agent's data port and verbs on real
 * sockets; the bus is a function call.
 */
import { randomBytes } from 'node:crypto'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import type { CommandExecutor } from '../../../../node-agent/commands/command-executor.ts'
import { DataPort } from '../../../../node-agent/data-port/data-port.ts'
import { Tickets } from '../../../../node-agent/data-port/tickets.ts'
import type { AgentSessions } from '../../../../node-agent/sessions/sessions.ts'
import { serveVerbs } from '../../../../node-agent/verbs/verbs.ts'
import type { NodeVerbs } from '../../../../proto/browser-host/node.ts'
import type { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { AgentRequests } from '../../../../runtime/browser-host/agent-requests.ts'
import { askNode } from '../../../../runtime/browser-host/node-client.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import type { BusHandler } from '../../../../runtime/store/bus.ts'
import { until } from '../../../helpers/lib/until.ts'
import { noEvents, noExchanges, noVideos } from '../../../helpers/browser/page-session.ts'

type Run = NodeVerbs['run']['request']

const ticketSecret = 'of this claim'
const withinMs = 60_000
const session = newId('ses')
const other = newId('ses')

/** An agent with its data port behind a relay that can be cut, and the bus to it. */
async function openAgent(messageBytes: number) {
  const done: Run[] = []
  const work = { run: async (_: Run): Promise<unknown> => 'done' }
  let handler!: BusHandler
  const overBus: string[] = []
  const bus = {
    messageBytes,
    request(subject: string, payload: Uint8Array) {
      overBus.push(subject)
      return handler(payload, subject)
    },
    serve(_: string, given: BusHandler) {
      handler = given
      return { stop: () => undefined }
    },
  }
  const verbs = serveVerbs({
    ...{ bus, nodeId: 'n1', log: pino({ level: 'silent' }) },
    sessions: {} as AgentSessions,
    commands: {
      async run(request: Run) {
        done.push(request)
        return [{ ok: true, value: await work.run(request) }]
      },
    } as unknown as CommandExecutor,
    glances: { of: async () => ({ pages: [] }) },
    traces: { read: async () => ({ bytes: new Uint8Array() }) },
    events: noEvents,
    exchanges: noExchanges,
    videos: noVideos,
    close: async () => {},
    reopen: async () => {},
    saveRunning: () => Promise.reject(new Error('it saves nothing')),
    mayAct: () => true,
  })
  const dataPort = await DataPort.listen('127.0.0.1', 0)
  const held = { ticketSecret, epoch: 1, browser: {} as never }
  const access = (id: string) => (id === session ? held : undefined)
  const tickets = new Tickets({ access }, systemClock)
  dataPort.serve({ tickets, commands: verbs, log: pino({ level: 'silent' }) })
  const wires = new Set<Socket>()
  const relay = createServer((socket) => {
    const wire = connect(dataPort.port, '127.0.0.1')
    socket.pipe(wire).pipe(socket)
    for (const end of [socket, wire]) {
      wires.add(end)
      end.on('error', () => end.destroy()).once('close', () => wires.delete(end))
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const { port } = relay.address() as AddressInfo
  return {
    ...{ bus, work, done, overBus, wires, dataUrl: `http://127.0.0.1:${port}` },
    async close() {
      for (const wire of wires) wire.destroy()
      relay.close()
      await dataPort.close()
    },
  }
}

async function setUp(t: Test, { secret = ticketSecret, messageBytes = 1_000_000 } = {}) {
  const agent = await openAgent(messageBytes)
  const claim = { dataUrl: agent.dataUrl, ticketSecret: secret }
  const requests = new AgentRequests(agent.bus, {
    ...{ claim, sessionId: session, epoch: 1, clock: systemClock },
  })
  const run = (command: string, sessionId = session) => {
    const actions = [{ command, input: {} }] as unknown as Run['actions']
    return askNode(requests, 'n1', 'run', { sessionId, epoch: 1, actions, withinMs }, withinMs)
  }
  t.teardown(async () => {
    requests.close()
    await agent.close()
  })
  /** Until commands go over a connection of their own. */
  const connected = () =>
    until('a command goes past the bus', async () => {
      const before = agent.overBus.length
      await run('warm')
      return agent.overBus.length === before
    })
  return { ...agent, requests, run, connected }
}

const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'it was answered',
    (error: ServiceError) => error.type,
  )
const answerOf = (value: unknown) => [{ ok: true, value }]
const commandsOf = (done: readonly Run[]) =>
  done.flatMap(({ actions }) => actions.map(({ command }) => String(command)))

t.test('one command goes over the bus; when more follow, over a connection', async (t) => {
  const { run, connected, overBus, wires, work } = await setUp(t)
  t.same(await run('first'), answerOf('done'))
  t.equal(wires.size, 0, 'nothing was dialled for one command')
  await connected()
  const before = overBus.length
  work.run = async ({ actions: [action] }) => action!.command
  const commands = Array.from({ length: 50 }, (_, i) => `command ${i}`)
  const answers = await Promise.all(commands.map((command) => run(command)))
  t.same(answers, commands.map(answerOf), 'each has its own answer')
  t.equal(overBus.length, before)
})

t.test('a large answer comes whole; one beyond the limit is refused', async (t) => {
  const { run, connected, work } = await setUp(t)
  await connected()
  const picture = randomBytes(900_000)
  work.run = async () => picture
  const [reply] = await run('picture')
  t.ok(reply!.ok && picture.equals(reply!.value as Buffer))
  work.run = async () => randomBytes(1_000_001)
  t.equal(await refusalOf(run('picture')), 'too_large')
  work.run = async () => 'still there'
  t.same(await run('after'), answerOf('still there'))
})

t.test('when the connection breaks in mid-command, it is done once and answered', async (t) => {
  const { run, connected, work, wires, done, overBus } = await setUp(t)
  await connected()
  const before = overBus.length
  let finish!: (value: unknown) => void
  work.run = () => new Promise((resolve) => (finish = resolve))
  const answer = run('slow')
  await until('it has begun', () => commandsOf(done).includes('slow'))
  for (const wire of wires) wire.destroy()
  await until('it is asked again over the bus', () => overBus.length > before)
  finish('at last')
  t.same(await answer, answerOf('at last'))
  t.equal(commandsOf(done).filter((command) => command === 'slow').length, 1)
  work.run = async () => 'done'
  await connected()
})

t.test('a command does not overtake one that is under way over the bus', async (t) => {
  const { run, work, wires, overBus } = await setUp(t)
  let finish!: (value: unknown) => void
  work.run = ({ actions: [action] }) =>
    String(action!.command) === 'slow'
      ? new Promise((resolve) => (finish = resolve))
      : Promise.resolve('done')
  const slow = run('slow')
  await run('dials')
  await until('the connection stands', () => wires.size === 2)
  const before = overBus.length
  await run('meanwhile')
  t.equal(overBus.length, before + 1)
  finish('done')
  await slow
})

t.test('where the port refuses, the bus remains; and so it does after closing', async (t) => {
  const refused = await setUp(t, { secret: 'of another claim' })
  for (let i = 0; i < 5; i++) t.same(await refused.run('click'), answerOf('done'))
  await until('the port has refused', () => refused.wires.size === 0)
  await refused.run('click')
  t.equal(refused.overBus.length, 6)
  const closed = await setUp(t)
  await closed.connected()
  closed.requests.close()
  t.same(await closed.run('click'), answerOf('done'))
  await until('the connection is gone', () => closed.wires.size === 0)
})

t.test('a connection serves its own session alone', async (t) => {
  const { run, connected, done } = await setUp(t)
  await connected()
  t.equal(await refusalOf(run('click', other)), 'forbidden')
  t.notOk(commandsOf(done).includes('click'))
})

t.test('what is no request ends the connection, not the agent', async (t) => {
  const { run, connected, dataUrl } = await setUp(t, { messageBytes: 1_000 })
  await connected()
  const { dialUpgrade } = await import('../../../../runtime/browser-host/channel/stream.ts')
  const { dataUrl: urlOf } = await import('../../../../runtime/browser-host/channel/data-url.ts')
  const access = { claim: { dataUrl, ticketSecret }, sessionId: session, epoch: 1 }
  const url = () => urlOf({ ...access, clock: systemClock }, 'commands', '/')
  for (const bytes of [Buffer.alloc(8, 0xff), Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 0xc1])]) {
    let isLost = false
    const lost = () => (isLost = true)
    const stream = await dialUpgrade(url(), 'troupe-commands', { received: () => undefined, lost })
    stream.resume()
    stream.send(bytes)
    await until('it is closed', () => isLost)
  }
  t.same(await run('click'), answerOf('done'))
})
