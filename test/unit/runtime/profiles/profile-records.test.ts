/**
 * Goal: a profile has one writer at a time, and nothing but the end of its session takes it from it;
 * its blobs live as long as something names them. Method: records in an in-memory store.
 */
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import t from 'tap'
import type { BlobId } from '../../../../proto/session/blob.ts'
import { newId } from '../../../../proto/ids.ts'
import { resealRecords } from '../../../../runtime/accounts/seal/reseal-records.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import { blobLimits } from '../../../../runtime/blobs/limits.ts'
import { BlobSweeper, blobNamesIn } from '../../../../runtime/blobs/blob-sweeper.ts'
import { profileLimits } from '../../../../runtime/profiles/limits.ts'
import {
  newestOf,
  ProfileRecords,
  readProfile,
} from '../../../../runtime/profiles/profile-records.ts'
import { deleteUnused } from '../../../../runtime/profiles/unused-profiles.ts'
import { WatchedMap } from '../../../../runtime/store/watched-map.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const keyText = () => randomBytes(32).toString('base64')
const sealerOf = (SEAL_KEY: string) => openSealer({ SEAL_KEY, DATA_DIR: '' })

function stage(sealKey = keyText(), store = new MemoryStore()) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'actors')
  const bucket = store.bucket('profiles')
  const records = new ProfileRecords({ bucket, sealer: sealerOf(sealKey), clock })
  const save = (sessionId: string, id: BlobId = newId('blb'), key = randomBytes(32)) =>
    records.save('acme', 'shop', {
      ...{ blob: { store: 's1', id }, bytes: 5, sessionId, chromium: '150.0.1.2', key },
    })
  return { timeline, clock, bucket, records, save, sealKey, store }
}

t.test('of many sessions that want to save it, one may', async (t) => {
  const { records } = stage()
  const sessions = Array.from({ length: 20 }, (_, i) => `ses_${i}`)
  const held = await Promise.allSettled(sessions.map((id) => records.hold('acme', 'shop', id)))
  const winners = held.flatMap(({ status }, i) => (status === 'fulfilled' ? [sessions[i]!] : []))
  t.equal(winners.length, 1)
  for (const { reason } of held.filter(({ status }) => status === 'rejected') as {
    reason: unknown
  }[]) {
    t.match(reason, { type: 'conflict', details: { session_id: winners[0] } })
  }
  t.match(await records.hold('acme', 'shop', winners[0]!), { holder: { sessionId: winners[0] } })
  await records.hold('other', 'shop', 'ses_of_another_tenant')
})

t.test(
  'a profile gets another name, with its versions, unless a session will save it',
  async (t) => {
    const { records, save } = stage()
    await records.hold('acme', 'shop', 'ses_1')
    const key = randomBytes(32)
    await save('ses_1', newId('blb'), key)
    await t.rejects(records.rename('acme', 'shop', 'store'), {
      name: 'ServiceError',
      type: 'conflict',
    })
    await records.free('acme', 'shop', 'ses_1')
    await records.create('acme', 'taken', 'another')
    await t.rejects(records.rename('acme', 'shop', 'taken'), {
      name: 'ServiceError',
      type: 'conflict',
    })
    await t.rejects(records.rename('acme', 'none', 'x'), {
      name: 'ServiceError',
      type: 'not_found',
    })
    const renamed = await records.rename('acme', 'shop', 'store')
    t.match(renamed, { name: 'store', versions: [{ version: 1 }], lastVersion: 1 })
    t.same(records.openKey(renamed, newestOf(renamed)!), key, 'its blob can still be opened')
    t.equal(await records.find('acme', 'shop'), undefined)
    t.match(await records.describe('acme', 'store', 'ours'), {
      description: 'ours',
      lastVersion: 1,
    })
    t.match(await records.list('acme'), [{ name: 'store' }, { name: 'taken' }])
  },
)

t.test('of a rename and a session that begins at the same time, one goes through', async (t) => {
  for (let round = 0; round < 20; round++) {
    const { records } = stage()
    await records.create('acme', 'shop')
    const [renamed, held] = await Promise.allSettled([
      records.rename('acme', 'shop', 'store'),
      records.hold('acme', 'shop', 'ses_1'),
    ])
    t.equal(held.status, 'fulfilled', 'the session has a profile of that name, if a new one')
    const names = (await records.list('acme')).map(({ name }) => name)
    t.same(names, renamed.status === 'fulfilled' ? ['shop', 'store'] : ['shop'])
  }
})

t.test('whoever does not hold it any more saves nothing', async (t) => {
  const { records, save } = stage()
  await t.rejects(save('ses_1'), { name: 'ServiceError', type: 'conflict' }, 'never held')
  await records.hold('acme', 'shop', 'ses_1')
  await records.free('acme', 'shop', 'ses_1')
  await records.hold('acme', 'shop', 'ses_2')
  await t.rejects(
    save('ses_1'),
    { name: 'ServiceError', type: 'conflict' },
    'back after its session has ended',
  )
  await records.free('acme', 'shop', 'ses_1')
  t.match(await save('ses_2'), { version: 1 }, 'the freeing of another one has changed nothing')
  await t.rejects(records.remove('acme', 'shop'), { name: 'ServiceError', type: 'conflict' })
  await records.free('acme', 'shop', 'ses_2')
  await records.remove('acme', 'shop')
  await records.free('acme', 'shop', 'ses_2')
  await t.rejects(records.get('acme', 'shop'), { name: 'ServiceError', type: 'not_found' })
})

t.test('keys are sealed for their blob, and resealed', async (t) => {
  const { records, save, bucket, store, sealKey } = stage()
  await records.hold('acme', 'shop', 'ses_1')
  const key = randomBytes(32)
  await save('ses_1', newId('blb'), key)
  await save('ses_1')
  const record = await records.get('acme', 'shop')
  const [first, second] = record.versions
  t.ok(key.equals(records.openKey(record, first!)))
  t.throws(() => records.openKey(record, { ...first!, blob: second!.blob }), /copied/)
  const next = stage(`${keyText()},${sealKey}`, store)
  const outcomes = async () => {
    const all: string[] = []
    for await (const { outcome } of resealRecords(bucket, next.records)) all.push(outcome)
    return all
  }
  t.same(await outcomes(), ['resealed'])
  t.same(await outcomes(), ['current'])
  const again = await next.records.get('acme', 'shop')
  t.ok(key.equals(next.records.openKey(again, again.versions[0]!)))
  t.throws(() => records.openKey(again, again.versions[0]!), /sealed with key/)
})

t.test('a copy has the newest version, with a key of its own', async (t) => {
  const { records, save } = stage()
  await records.hold('acme', 'shop', 'ses_1')
  const key = randomBytes(32)
  await save('ses_1')
  await save('ses_1', newId('blb'), key)
  const copy = await records.copy('acme', 'shop', 'copy')
  t.equal(copy.versions.length, 1)
  t.equal(copy.holder, undefined)
  const newest = newestOf(copy)!
  t.ok(key.equals(records.openKey(copy, newest)))
  t.throws(() => records.openKey({ ...copy, name: 'shop' }, newest), /copied/)
  await t.rejects(records.copy('acme', 'shop', 'copy'), { name: 'ServiceError', type: 'conflict' })
  await t.rejects(records.copy('acme', 'none', 'x'), { name: 'ServiceError', type: 'not_found' })
  t.match(await records.copy('acme', 'copy', 'third'), { versions: [{ version: 1 }] })
})

t.test('a tenant has so many profiles, and each so many versions', async (t) => {
  const { records, save } = stage()
  await records.hold('acme', 'shop', 'ses_1')
  for (let i = 0; i < profileLimits.versionsKept + 2; i++) await save('ses_1')
  const { versions } = await records.get('acme', 'shop')
  t.equal(versions.length, profileLimits.versionsKept)
  t.equal(versions.at(-1)!.version, profileLimits.versionsKept + 2)
  for (let i = 1; i < profileLimits.profilesPerTenant; i++) await records.create('acme', `p${i}`)
  await t.rejects(records.create('acme', 'one more'), {
    name: 'ServiceError',
    type: 'quota_exceeded',
  })
  await t.rejects(records.hold('acme', 'one more', 'ses_1'), {
    name: 'ServiceError',
    type: 'quota_exceeded',
  })
  await records.create('other', 'one more')
})

t.test('what no session has used for a while is deleted', async (t) => {
  const { timeline, clock, bucket, records } = stage()
  const log = pino({ level: 'silent' })
  await timeline.run(1_000)
  await records.create('acme', 'unused')
  await records.create('acme', 'used')
  await records.hold('acme', 'held', 'ses_1')
  await timeline.run(60_000)
  await records.use('acme', 'used')
  const known = await timeline.until(WatchedMap.open(bucket, readProfile, clock), 1_000)
  await deleteUnused({ records, known, clock, log, keptMs: 30_000 })
  t.same(
    (await records.list('acme')).map(({ name }) => name),
    ['held', 'used'],
  )
  known.stop()
})

t.test(
  'a blob goes when nothing names it, and one that nothing ever named after a while',
  async (t) => {
    const { timeline, clock, bucket, records, save } = stage()
    const kept = new Map<BlobId, number>()
    const folder = {
      store: 's1',
      list: async () => [...kept].map(([id, writtenAtMs]) => ({ id, bytes: 5, writtenAtMs })),
      remove: async (id: BlobId) => void kept.delete(id),
    }
    const [orphan, first, ...more] = Array.from({ length: 6 }, () => newId('blb'))
    for (const id of [orphan!, first!, ...more]) kept.set(id, clock.now())
    const map = await timeline.until(WatchedMap.open(bucket, readProfile, clock), 1_000)
    const log = pino({ level: 'silent' })
    const names = blobNamesIn('profile', map, ({ versions }) => versions.map(({ blob }) => blob))
    const sweeper = new BlobSweeper({ folder, names: [names], clock, log })
    await records.hold('acme', 'shop', 'ses_1')
    await save('ses_1', first)
    await timeline.run(1_000)
    t.equal(kept.size, 6, 'a save may be under way')
    for (const id of more.slice(0, 3)) await save('ses_1', id)
    await timeline.run(1_000)
    t.notOk(kept.has(first!), 'the oldest version is not kept any more')
    await timeline.run(blobLimits.orphanKeptMs + blobLimits.sweepMs)
    t.same([...kept.keys()].sort(), more.slice(0, 3).sort())
    await records.free('acme', 'shop', 'ses_1')
    await records.restore('acme', 'shop', 2)
    await timeline.run(1_000)
    t.ok(kept.has(newestOf(await records.get('acme', 'shop'))!.blob.id), 'a copy names it too')
    await records.copy('acme', 'shop', 'copy')
    await records.remove('acme', 'shop')
    await timeline.run(1_000)
    t.equal(kept.size, 1, 'so does another profile')
    await records.remove('acme', 'copy')
    await timeline.run(1_000)
    t.equal(kept.size, 0)
    sweeper.stop()
    map.stop()
  },
)
