// Goal: a backup of one nats-server becomes the store of a cluster of three, and the other way round; a
// NATS that holds a service, or a user who may not restore, is refused. Method: the commands, with
// NATS_URL; real servers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { buckets } from '../../../proto/subjects.ts'
import { backupOrder } from '../../../runtime/store/nats/snapshot.ts'
import { bucketStream } from '../../../runtime/store/nats/stream-plan.ts'
import { startCluster } from '../../helpers/nats/nats-cluster.ts'
import { modernServer } from '../../helpers/nats/nats-modern.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'

t.setTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'troupe-backup-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const newDir = () => mkdtempSync(join(folder, 'data-'))
const small = { STORE_MAX_MIB: '256' }
const value = new TextEncoder().encode('a record')

const one = await startNats(t, 'nats-server', small)
await (await one.store()).bucket(buckets.keys).create('k', value)
const allStreams = new RegExp(`${backupOrder.length} streams`)
const ofOne = join(folder, 'one.tar')
t.match(await runTroupe(['backup', ofOne], one.env), { code: 0, stdout: allStreams })

t.test('a NATS with a service, or a user without the right, is refused', async (t) => {
  const used = await runTroupe(['restore', ofOne], { ...one.env, DATA_DIR: newDir() })
  t.match(used, { code: 1, stderr: /already holds a service \(stream CHECKPOINTS\)/ })
  const empty = await startNats(t, 'nats-server', small)
  const denied = await runTroupe(['restore', ofOne], { ...empty.env, DATA_DIR: newDir() })
  t.match(denied, { code: 1, stderr: /Our user of NATS may not do that .*STREAM\.RESTORE/ })
})

const modern = await modernServer()
const skip = 'missing' in modern ? modern.missing : false

t.test('from one server to three, and from three to one', { skip }, async (t) => {
  const { bin } = modern as { readonly bin: string }
  const three = await startCluster(t, bin)
  const restored = await runTroupe(['restore', ofOne], {
    ...three.env,
    ...small,
    DATA_DIR: newDir(),
  })
  t.equal(restored.code, 0, restored.stderr)
  t.match(restored.stderr, 'The backup has no seal.key')
  const store = await three.store(10_000)
  t.match(await store.bucket(buckets.keys).get('k'), { value, revision: 1 })
  const jsm = await (await three.connect()).jetstreamManager()
  const { config } = await jsm.streams.info(bucketStream(buckets.keys))
  t.equal(config.num_replicas, 3)

  const ofThree = join(folder, 'three.tar')
  const taken = await runTroupe(['backup', ofThree], three.env)
  t.equal(taken.code, 0, taken.stderr)
  const here = { DATA_DIR: newDir(), NATS_SERVER_BIN: bin, ...small }
  const back = await runTroupe(['restore', ofThree], here)
  t.equal(back.code, 0, back.stderr)
  t.match(await runTroupe(['backup', join(folder, 'again.tar')], here), {
    code: 0,
    stdout: new RegExp(`${allStreams.source}, .* of one moment`),
  })
})
