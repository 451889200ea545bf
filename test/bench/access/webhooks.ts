/** Webhooks: deliveries per second, and how soon one change arrives on an idle service. */
import { Agent, request } from 'node:http'
import { patient } from '../../helpers/access/asking.ts'
import { openChain } from '../../helpers/access/chain-on.ts'
import type { Client } from '../../helpers/access/clients.ts'
import { contactWriter, loopbackWebhooks, openEndpoint } from '../../helpers/access/webhooks.ts'
import { startMember } from '../../helpers/service/member.ts'
import { startNats, type Teardown } from '../../helpers/nats/nats.ts'
import { startReceiver, type Receiver } from '../../helpers/lib/receiver.ts'
import { until } from '../../helpers/lib/until.ts'
import { cleaned } from '../runtime/on-nats.ts'
import { median, ms, percentile, type Bench, type Figure } from '../lib/report.ts'

const clients = 8
const endpointsEach = 5
/** Each event goes to every endpoint of its client. */
const eventsEach = 150
const single = 60
const spread = 250
/** Below the rate limit of one endpoint. */
const perSecond = 40

export const accessWebhooks: Bench = {
  name: 'access-webhooks',
  on: 'nothing',
  run: () => cleaned(measure),
}

async function measure(t: Teardown): Promise<Figure[]> {
  const nats = await startNats(t)
  const env = {
    ...nats.env,
    ...loopbackWebhooks,
    ...{ NODE_ID: 'bench', PUBLIC_URL: 'https://access.example', LOG_LEVEL: 'info' },
    SEAL_KEY: Buffer.alloc(32, 9).toString('base64'),
  }
  await startMember(t, 'actors', { env })
  const gateway = await startMember(t, 'gateway', { env })
  const world = await openChain(t, nats, String(gateway.info['url']))
  const asking = { ...world, ask: patient(world.ask) }
  const write = contactWriter(await nats.store(10_000))
  const open = (client: Client, receiver: Receiver) => openEndpoint(asking, client, receiver)

  const idle = await startReceiver(t)
  await open(world.a, idle)
  const waits = await arrivals(idle, single, () => write(world.a.id), 0)
  const besideDead = await deadOnes(t, open, write, await world.client())
  const { rate, bare } = await throughput(t, open, write, await manyClients(world.client))
  return [
    {
      name: 'webhook deliveries, loopback, 40 endpoints of 8 clients',
      ours: `${rate.toFixed(0)}/s`,
      baseline: `${bare.toFixed(0)}/s (the same bodies posted, a connection each)`,
      ratio: rate / bare,
      target: '≥ 500/s',
      met: rate >= 500,
    },
    {
      name: 'record write → arrival, idle, p50',
      ours: ms(median(waits)),
      target: '–',
      met: true,
    },
    {
      name: 'record write → arrival, idle, p95',
      ours: ms(percentile(waits, 95)),
      target: '≤ 50 ms',
      met: percentile(waits, 95) <= 50,
    },
    {
      name: `${spread} events at ${perSecond}/s beside three dead endpoints, p95`,
      ours: ms(percentile(besideDead, 95)),
      target: '≤ 2 s',
      met: percentile(besideDead, 95) <= 2_000,
    },
  ]
}

/** Time from each write until its delivery has arrived; `0`: one after the other. */
async function arrivals(
  receiver: Receiver,
  count: number,
  write: () => Promise<string>,
  ratePerSecond: number,
): Promise<number[]> {
  const started = new Map<string, number>()
  const arrived = (id: string) =>
    receiver.of('contact.created').find(({ json }) => json.data.object.id === id)
  const begin = performance.now()
  for (let i = 0; i < count; i++) {
    const at = performance.now()
    const id = await write()
    started.set(id, at)
    if (ratePerSecond === 0) await until('it arrives', () => arrived(id))
    else {
      const due = begin + ((i + 1) * 1_000) / ratePerSecond
      await until('it is time', () => performance.now() >= due)
    }
  }
  await until('all have arrived', () => [...started.keys()].every(arrived))
  return [...started].map(([id, at]) => arrived(id)!.atMs - at)
}

type Open = (client: Client, receiver: Receiver) => Promise<unknown>
type Write = ReturnType<typeof contactWriter>

async function deadOnes(t: Teardown, open: Open, write: Write, client: Client): Promise<number[]> {
  const dead = await Promise.all([1, 2, 3].map(() => startReceiver(t)))
  for (const receiver of dead) {
    await open(client, receiver)
    receiver.answer('hang')
  }
  const alive = await startReceiver(t)
  await open(client, alive)
  return arrivals(alive, spread, () => write(client.id), perSecond)
}

async function manyClients(client: () => Promise<Client>): Promise<readonly Client[]> {
  const made: Client[] = []
  for (let n = 0; n < clients; n++) made.push(await client())
  return made
}

async function throughput(t: Teardown, open: Open, write: Write, all: readonly Client[]) {
  const receiver = await startReceiver(t)
  for (const client of all) {
    for (let n = 0; n < endpointsEach; n++) await open(client, receiver)
  }
  const before = receiver.received.length
  const total = all.length * endpointsEach * eventsEach
  const started = performance.now()
  await Promise.all(
    all.map(async ({ id }) => {
      for (let i = 0; i < eventsEach; i++) await write(id)
    }),
  )
  await until('all have arrived', () => receiver.received.length - before >= total, 300_000)
  const rate = (total * 1_000) / (performance.now() - started)
  const { body } = receiver.received.at(-1)!
  return { rate, bare: await bareRate(receiver.url, body) }
}

/** The machine's own limit: the same bodies at the same concurrency, with no service between. */
async function bareRate(url: string, body: string): Promise<number> {
  const count = 2_000
  const agent = new Agent({ keepAlive: false, maxSockets: 128 })
  const started = performance.now()
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve, reject) => {
          const sent = request(url, { method: 'POST', agent }, (response) => {
            response.resume().on('end', () => resolve())
          })
          sent.on('error', reject).end(body)
        }),
    ),
  )
  return (count * 1_000) / (performance.now() - started)
}
