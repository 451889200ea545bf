/**
 * Goal: `troupe-mcp` tells the truth about calls whose connection failed, repeats what may be
 * repeated, and waits for a service that restarts. Method: a server on loopback that ends
 * connections, and listens again on the same port.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { remoteCall } from '../../../../gateway/mcp/remote.ts'
import { remoteTask } from '../../../../gateway/mcp/task/remote-task.ts'
import { ServiceClient } from '../../../../gateway/mcp/service.ts'
import { until } from '../../../helpers/lib/until.ts'

interface Restarting {
  readonly base: string
  /** Method and path of each request that arrived. */
  readonly asked: string[]
  /** How many of the next requests get no answer: their connection is ended, as by a crash. */
  cut: number
  stop(): Promise<void>
  start(): Promise<void>
}

async function restarting(t: Test): Promise<Restarting> {
  let port = 0
  let server: Server
  const start = async () => {
    server = createServer((request, response) => {
      service.asked.push(`${request.method} ${request.url}`)
      if (service.cut-- > 0) return void request.socket.destroy()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ data: { id: 'ses_1', text: 'seen', sessions: [] } }))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await start()
  const service: Restarting = {
    ...{ asked: [], cut: 0, stop, start },
    base: `http://127.0.0.1:${port}`,
  }
  t.teardown(stop)
  return service
}

const clientOf = ({ base }: Restarting) =>
  new ServiceClient(remoteCall({ base, key: 'k', clientKey: () => 'k' }))

const mayBeDone = { type: 'unavailable', message: /lost during the call, which may have been done/ }

t.test('an act whose connection is lost is not sent again', async (t) => {
  const service = await restarting(t)
  const client = clientOf(service)
  const acts: (() => Promise<unknown>)[] = [
    () => client.run('ses_1', 'click', { target: 'e1' }),
    () => client.create({ headful: false, tags: [] }),
    () => remoteTask(service.base, 'token').call('click', {}, new AbortController().signal),
  ]
  for (const act of acts) {
    service.asked.length = 0
    service.cut = 1
    await t.rejects(act(), mayBeDone)
    const [, ...later] = service.asked
    t.same(later, ['HEAD /health/ready'], 'the service was there again when it was told')
  }
})

t.test('what is safe is sent again', async (t) => {
  const service = await restarting(t)
  const client = clientOf(service)
  service.cut = 2
  t.match(await client.run('ses_1', 'snapshot', {}), { text: 'seen' })
  t.equal(service.asked.filter((each) => each.endsWith('/commands/snapshot')).length, 3)
  service.cut = 1
  t.same(await client.running(), [])
  service.cut = Infinity
  await t.rejects(client.run('ses_1', 'snapshot', {}), mayBeDone, 'but not for ever')
})

t.test('a service that restarts is waited for, whatever the call is', async (t) => {
  const service = await restarting(t)
  const client = clientOf(service)
  await service.stop()
  let refused = 0
  const count = () => void refused++
  subscribe('undici:client:connectError', count)
  const clicking = client.run('ses_1', 'click', { target: 'e1' })
  await until('it has tried in vain', () => refused > 0)
  unsubscribe('undici:client:connectError', count)
  await service.start()
  t.match(await clicking, { text: 'seen' })
  t.equal(service.asked.length, 1, 'sent once: before, nothing was sent')
  await service.stop()
  const nobody = { type: 'unavailable', message: /No service answers at .*start the service/ }
  await t.rejects(client.run('ses_1', 'click', { target: 'e1' }), nobody)
  await service.start()
})
