/**
 * Goal: whichever process dies, every event arrives at least once under one id, and no attempt has
 * a number twice; dead receivers do not delay others. Method: real roles on a real NATS, killed
 * while they send; real receivers on loopback.
 */
import t from 'tap'
import type { Delivery } from '../../../proto/access/webhooks/delivery.ts'
import { openChain } from '../../helpers/access/chain-on.ts'
import { patient } from '../../helpers/access/asking.ts'
import { contactWriter, loopbackWebhooks, openEndpoint } from '../../helpers/access/webhooks.ts'
import { startMember } from '../../helpers/service/member.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { until } from '../../helpers/lib/until.ts'
import { deliveryStore } from '../../../runtime/webhooks/open.ts'
import { openStore } from '../../../runtime/store/nats/buckets.ts'

t.setTimeout(300_000)

const nats = await startNats(t)
const on = (node: string) => ({
  env: {
    ...nats.env,
    ...loopbackWebhooks,
    ...{ NODE_ID: node, PUBLIC_URL: 'https://access.example' },
    SEAL_KEY: Buffer.alloc(32, 9).toString('base64'),
  },
})
/** Stopped after all tests. */
const startHost = (node: string) => startMember(t, 'actors', on(node))
const hosts = [await startHost('a')]
const gateway = await startMember(t, 'gateway', on('g'))
const world = await openChain(t, nats, String(gateway.info['url']))
const { a, b } = world
const asking = { ...world, ask: patient(world.ask) }
const store = await openStore(await nats.connect(), { timeoutMs: 2_000 })
const addContact = contactWriter(store)

async function sentTo(endpointId: string): Promise<readonly Delivery[]> {
  const deliveries = deliveryStore(store)
  const found: Delivery[] = []
  for await (const one of deliveries.read(await deliveries.places('access'))) {
    if (one.endpointId === endpointId && one.trigger === 'event') found.push(one)
  }
  return found
}

t.test('a worker and NATS are killed while they send, and no event is lost', async (t) => {
  const receiver = await startReceiver(t)
  const endpoint = await openEndpoint(asking, a, receiver)
  // Slow enough that one delivery is always in progress.
  receiver.answer({
    with: (_, response) => void setTimeout(() => response.writeHead(204).end(), 40),
  })
  const written = new Set<string>()
  const told = () => new Set(receiver.of('contact.created').map(({ json }) => json.data.object.id))
  const write = async (count: number) => {
    for (let i = 0; i < count; i++) written.add(await addContact(a.id))
  }
  await write(40)
  await until('some have arrived', () => told().size >= 10)
  await hosts.shift()!.kill()
  await write(20)
  hosts.push(await startHost('b'))
  const before = told().size
  await until('the next host goes on', () => told().size > before)
  await nats.kill()
  await nats.start()
  // A host whose lease has expired meanwhile exits; here the test restarts it instead of a
  // supervisor.
  hosts.push(await startHost('c'))
  await until('the store takes more', () =>
    write(1).then(
      () => true,
      () => false,
    ),
  )
  await write(20)
  await until('all have arrived', () => [...written].every((id) => told().has(id)), 120_000)

  const ids = new Map<string, Set<string>>()
  for (const { json, headers } of receiver.of('contact.created')) {
    const { id } = json.data.object
    ids.set(id, (ids.get(id) ?? new Set()).add(headers['webhook-id']!))
  }
  t.ok(
    [...ids.values()].every((one) => one.size === 1),
    'one webhook-id for each event',
  )
  const deliveries = await until('all are written down as delivered', async () => {
    const found = await sentTo(endpoint.id)
    return (
      found.length >= written.size && found.every(({ status }) => status === 'delivered') && found
    )
  })
  t.equal(deliveries.length, ids.size, 'one delivery for each event')
  for (const { attempts } of deliveries) {
    t.same(
      attempts.map(({ n }) => n),
      attempts.map((_, i) => i + 1),
    )
  }
  const begun = deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0)
  t.ok(begun >= receiver.of('contact.created').length, 'nothing was sent without an attempt')
})

t.test('a thousand events reach the one of four endpoints that is alive', async (t) => {
  const alive = await startReceiver(t)
  const dead = await Promise.all([1, 2, 3].map(() => startReceiver(t)))
  for (const receiver of dead) {
    await openEndpoint(asking, b, receiver)
    receiver.answer('hang')
  }
  await openEndpoint(asking, b, alive)
  const written = new Set<string>()
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let i = 0; i < 50; i++) written.add(await addContact(b.id))
    }),
  )
  const told = () => new Set(alive.of('contact.created').map(({ json }) => json.data.object.id))
  await until('all have arrived', () => told().size === written.size, 120_000)
  t.equal(told().size, 1_000)
  t.ok(dead.every(({ received }) => received.length < 1_000))
})
