// A client stops reading while it is sent a lot of data: NATS drops that client, and leases on
// other connections are still renewed.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { buckets } from '../../../proto/subjects.ts'
import { findings, startFleet } from '../runtime/fleet.ts'
import { startNats, type TestNats } from '../../helpers/nats/nats.ts'

const chunkBytes = 64 * 1024
const chunks = 3_200
/** The lease that `LEASE_SECONDS=0` chooses with one server. */
const leaseSeconds = 6

t.test('leases are renewed while 200 MiB are sent to a reader that is frozen', async (t) => {
  const nats = await startNats(t)
  const fleet = await startFleet(t, { env: nats.env, leaseSeconds })
  const renewals = new Map<string, number[]>()
  const watch = await fleet.store.bucket(buckets.hosts).watch(({ key }) => {
    renewals.set(key, [...(renewals.get(key) ?? []), performance.now()])
  })
  t.teardown(() => watch.stop())

  const reader = await rawClient(nats)
  t.teardown(() => reader.destroy())
  reader.write('SUB bulk 1\r\nPING\r\n')
  await once(reader, 'data')
  reader.pause()
  const writer = await rawClient(nats)
  t.teardown(() => writer.destroy())
  writer.resume()
  const began = performance.now()
  const message = Buffer.concat([
    Buffer.from(`PUB bulk ${chunkBytes}\r\n`),
    Buffer.alloc(chunkBytes, 'x'),
    Buffer.from('\r\n'),
  ])
  for (let sent = 0; sent < chunks; sent++) {
    if (!writer.write(message)) await once(writer, 'drain')
  }
  t.comment(`200 MiB sent in ${Math.round(performance.now() - began)} ms`)
  await fleet.load.progress()

  for (const { incarnation } of fleet.hosts) {
    const times = renewals.get(incarnation)!
    const gaps = times.slice(1).map((time, i) => time - times[i]!)
    t.comment(`longest time between two renewals: ${Math.round(Math.max(...gaps))} ms`)
    t.equal(fleet.membership.get(incarnation)?.state, 'alive')
  }
  t.ok(fleet.hosts.every((host) => host.running))
  t.same(await findings(fleet), [])
})

/** A raw connection that can stop reading, which a client library does not allow. */
async function rawClient({ port, config }: TestNats): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'data')
  const { NATS_USER: user, NATS_PASSWORD: pass } = config
  socket.write(`CONNECT ${JSON.stringify({ user, pass, verbose: false, pedantic: false })}\r\n`)
  return socket
}
