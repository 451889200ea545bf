/**
 * Goal: a copied stream has the same sequences and contents where it is restored, only an operator
 * can restore, and no stream is forgotten. Method: real nats-servers, one as `troupe up` starts it
 * and one as a restore does.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { buckets, streams } from '../../../../proto/subjects.ts'
import { withOwnServer } from '../../../../runtime/cli/backup/stopped-store.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { Guard } from '../../../../runtime/process/guard.ts'
import { openStore } from '../../../../runtime/store/nats/buckets.ts'
import {
  backupOrder,
  existingStreams,
  restoreStream,
  snapshotStream,
} from '../../../../runtime/store/nats/snapshot.ts'
import { bucketStream, streamPlans } from '../../../../runtime/store/nats/stream-plan.ts'
import { startNats } from '../../../helpers/nats/nats.ts'

const nats = await startNats(t, 'nats-server', { STORE_MAX_MIB: '256' })
const nc = await nats.connect()
const bytesOf = (text: string) => new TextEncoder().encode(text)

t.test('every stream but the leases is copied, each after what is derived from it', async (t) => {
  const all = streamPlans(false, 256).map(({ name }) => name)
  const leases = bucketStream(buckets.hosts)
  t.same([...backupOrder, leases].sort(), all.sort())
  const before = (first: string, second: string) =>
    t.ok(backupOrder.indexOf(first) < backupOrder.indexOf(second), `${first} before ${second}`)
  before(streams.audit, streams.log)
  before(bucketStream(buckets.audit), streams.audit)
  before(bucketStream(buckets.views), streams.log)
  before(streams.log, bucketStream(buckets.owners))
})

t.test('a restored stream has the same contents and sequences', async (t) => {
  const store = await nats.store()
  const keys = store.bucket(buckets.keys)
  // Not to be compressed, so that it takes several chunks.
  const large = randomBytes(700_000)
  for (let n = 0; n < 3; n++) await keys.create(`large.${n}`, large)
  const revision = await keys.create('small', bytesOf('one'))
  const name = bucketStream(buckets.keys)

  const parts: Uint8Array[] = []
  const copy = (await snapshotStream(nc, name))!
  for await (const chunk of copy.chunks) parts.push(chunk)
  t.ok(parts.length > 1, 'in several chunks')
  t.equal(await snapshotStream(nc, 'NOT_THERE'), undefined)

  const dir = mkdtempSync(join(tmpdir(), 'troupe-restore-'))
  const guard = new Guard()
  t.teardown(() => {
    guard.stop()
    rmSync(dir, { recursive: true, force: true })
  })
  const config = loadConfig({ DATA_DIR: dir, NODE_ID: 'other', STORE_MAX_MIB: '256' })
  const purpose = { restoresMib: 300 }
  await withOwnServer({ config, guard, purpose }, async (target) => {
    t.same(await existingStreams(target, backupOrder), [])
    await restoreStream(target, copy, parts.values() as unknown as AsyncIterable<Uint8Array>)
    t.same(await existingStreams(target, backupOrder), [name])
    const restored = (await openStore(target, { timeoutMs: 10_000, storeMib: 256 })).bucket(
      buckets.keys,
    )
    t.match(await restored.get('small'), { revision })
    t.ok(large.equals((await restored.get('large.2'))!.value))
    t.equal(await restored.update('small', bytesOf('two'), revision), revision + 1)
  })
})

t.test('no role may restore', async (t) => {
  const copy = (await snapshotStream(nc, streams.notes))!
  for await (const chunk of copy.chunks) t.ok(chunk.length > 0)
  await t.rejects(restoreStream(nc, copy, (async function* () {})()), {
    name: 'NatsUnusable',
    message: /may not do that .*a user|one without limits/,
  })
})
