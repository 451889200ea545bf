/**
 * Goal: extensions belong to a tenant and have bounds, their files live as long as their record, and their
 * keys can be sealed anew. Method: records in an in-memory store, and a bus of one handler.
 */
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import t from 'tap'
import { decode, encode } from '../../../../proto/codec.ts'
import type { Reply } from '../../../../proto/envelope.ts'
import { newId } from '../../../../proto/ids.ts'
import type { BlobAccess, BlobId } from '../../../../proto/session/blob.ts'
import { resealRecords } from '../../../../runtime/accounts/seal/reseal-records.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import { blobNamesIn, BlobSweeper } from '../../../../runtime/blobs/blob-sweeper.ts'
import {
  decodeExtension,
  ExtensionRecords,
} from '../../../../runtime/extensions/extension-records.ts'
import { extensionLimits } from '../../../../runtime/extensions/limits.ts'
import { serveExtensionPlaces } from '../../../../runtime/extensions/serve-places.ts'
import type { BusHandler } from '../../../../runtime/store/bus.ts'
import { WatchedMap } from '../../../../runtime/store/watched-map.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const keyText = () => randomBytes(32).toString('base64')
const log = pino({ level: 'silent' })

function stage(SEAL_KEY = keyText(), store = new MemoryStore()) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'actors')
  const bucket = store.bucket('extensions')
  const sealer = openSealer({ SEAL_KEY, DATA_DIR: '' })
  const records = new ExtensionRecords({ bucket, sealer, clock })
  const create = (tenant = 'acme', id: BlobId = newId('blb'), key = randomBytes(32)) =>
    records.create({
      ...{ tenant, name: 'marker', chromiumId: 'abcd', guarded: [], bytes: 5, key },
      manifest: {
        ...{ name: 'Marker', version: '1', manifest_version: 3 },
        ...{ permissions: [], host_permissions: [] },
      },
      blob: { store: 's1', id },
    })
  return { timeline, clock, store, bucket, sealKey: SEAL_KEY, records, create }
}

t.test('each tenant has its own, the oldest first', async (t) => {
  const { timeline, records, create } = stage()
  const first = await create()
  await timeline.run(5)
  const second = await create()
  await create('other')
  t.same(await records.list('acme'), [first, second])
  t.same(await records.get('acme', first.id), first)
  const gone = { name: 'ServiceError', type: 'not_found' }
  for (const id of [first.id, 'ext_x', 'a.b', '*', '']) {
    await t.rejects(records.get('other', id), gone, id)
    await t.rejects(records.remove('other', id), gone, id)
  }
  await records.remove('acme', first.id)
  t.same(await records.list('acme'), [second])
})

t.test('a tenant has so many, and so many bytes', async (t) => {
  const { records, create } = stage()
  let handler: BusHandler
  const places = serveExtensionPlaces({
    bus: { serve: (_, handle) => ((handler = handle), { stop: () => undefined }) },
    records,
    folder: { newPlace: () => ({ store: 's1', id: newId('blb') }) },
    tickets: { issue: ({ id }, use) => `${use} ${id}` },
    tenantBytesMax: 12,
    log,
  })
  const ask = async (tenant: string) => decode<Reply>((await handler(encode({ tenant }), ''))!)
  const place = await ask('acme')
  t.match(place, { ok: true, value: { store: 's1' } })
  const { ticket, id } = (place as { value: BlobAccess }).value
  t.equal(ticket, `write ${id}`)
  for (let i = 0; i < 3; i++) await create()
  t.match(await ask('acme'), { ok: false, error: { type: 'storage_full' } })
  t.match(await ask('other'), { ok: true })
  places.stop()
  for (let i = 3; i < extensionLimits.extensionsPerTenant; i++) await create()
  await t.rejects(records.assertRoom('acme'), { name: 'ServiceError', type: 'quota_exceeded' })
  await records.assertRoom('other')
})

t.test('without a key of this host none is taken', async (t) => {
  const { bucket, clock } = stage()
  const sealer = openSealer({ SEAL_KEY: '', DATA_DIR: '/nowhere' })
  await t.rejects(new ExtensionRecords({ bucket, sealer, clock }).assertRoom('acme'), {
    message: /SEAL_KEY|key/,
  })
})

t.test('its files go with its record', async (t) => {
  const { timeline, clock, bucket, records, create } = stage()
  const kept = new Set<BlobId>()
  const folder = {
    store: 's1',
    list: async () => [...kept].map((id) => ({ id, bytes: 5, writtenAtMs: 0 })),
    remove: async (id: BlobId) => void kept.delete(id),
  }
  const map = await timeline.until(WatchedMap.open(bucket, decodeExtension, clock), 1_000)
  const names = [blobNamesIn('extension', map, ({ blob }) => [blob])]
  const sweeper = new BlobSweeper({ folder, names, clock, log })
  const id = newId('blb')
  kept.add(id)
  const { id: extension } = await create('acme', id)
  await timeline.run(3 * 3_600_000)
  t.ok(kept.has(id))
  await records.remove('acme', extension)
  await timeline.run(1_000)
  t.notOk(kept.has(id))
  sweeper.stop()
  map.stop()
})

t.test('its key is sealed anew with the first key', async (t) => {
  const { store, sealKey, records, create } = stage()
  const key = randomBytes(32)
  const record = await create('acme', newId('blb'), key)
  t.ok(records.openKey(record).every((byte, i) => byte === key[i]))
  const newer = keyText()
  const both = stage(`${newer},${sealKey}`, store)
  const outcomes = async () => {
    const found: unknown[] = []
    for await (const each of resealRecords(both.bucket, both.records)) found.push(each)
    return found
  }
  t.match(await outcomes(), [{ id: 'marker', tenant: 'acme', outcome: 'resealed' }])
  t.match(await outcomes(), [{ outcome: 'current' }])
  const after = stage(newer, store)
  const resealed = await after.records.get('acme', record.id)
  t.same(Buffer.from(after.records.openKey(resealed)), key)
})
