/**
 * Goal: a blob comes back as it was written, to whoever has its ticket and its key alone, and is there
 * only when it is whole. Method: the two ends over an in-memory bus, and a real folder.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { openSigner } from '../../../../runtime/accounts/seal/signer.ts'
import { BlobFolder, localBlob } from '../../../../runtime/blobs/blob-folder.ts'
import { readBlob, writeBlob } from '../../../../runtime/blobs/blob-client.ts'
import { copyBlobs, hasBlobs, placeBlobs } from '../../../../runtime/blobs/copy-blobs.ts'
import { blobLimits } from '../../../../runtime/blobs/limits.ts'
import { newBlobKey, openStream, sealStream } from '../../../../runtime/blobs/sealed-stream.ts'
import { serveBlobs } from '../../../../runtime/blobs/serve-blobs.ts'
import { BlobTickets } from '../../../../runtime/blobs/tickets.ts'
import { NoResponders, type BusHandler } from '../../../../runtime/store/bus.ts'
import { GiB, KiB, MiB } from '../../../../proto/units.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const { sealedChunkBytes } = blobLimits
const log = pino({ level: 'silent' })

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

const inChunks = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )

t.test('what is sealed opens again, however it is cut on its way', (t) =>
  fc
    .assert(
      fc.asyncProperty(
        fc.oneof(
          fc.integer({ min: 0, max: 300 }),
          fc.constantFrom(-1, 0, 1, sealedChunkBytes).map((more) => sealedChunkBytes + more),
        ),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        async (bytes, sealedBy, openedBy) => {
          const key = newBlobKey()
          const plain = randomBytes(bytes)
          const sealed = await gather(sealStream(key, inChunks(plain, sealedBy)))
          const opened = await gather(openStream(key, inChunks(sealed, openedBy)))
          if (!opened.equals(plain)) throw new Error('they differ')
        },
      ),
      { numRuns: 60 },
    )
    .then(() => t.pass()),
)

t.test('a chunk that was changed, moved, repeated or cut off is noticed', async (t) => {
  const key = newBlobKey()
  const plain = randomBytes(3 * sealedChunkBytes)
  const sealed = await gather(sealStream(key, [plain]))
  const whole = sealedChunkBytes + 16
  const [a, b, c] = inChunks(sealed, whole) as [Uint8Array, Uint8Array, Uint8Array]
  const changed = Buffer.from(sealed)
  changed[whole + 5]! ^= 1
  const cases: Readonly<Record<string, readonly Uint8Array[]>> = {
    changed: [changed],
    moved: [b, a, c],
    repeated: [a, a, b, c],
    'without its end': [a, b],
    'without its beginning': [b, c],
    longer: [a, b, c, c],
    'cut inside a chunk': [sealed.subarray(0, -20)],
    'almost nothing': [sealed.subarray(0, 3)],
    nothing: [],
  }
  for (const [name, chunks] of Object.entries(cases)) {
    await t.rejects(gather(openStream(key, chunks)), { name: 'BlobDamaged' }, name)
  }
  await t.rejects(gather(openStream(newBlobKey(), [sealed])), { name: 'BlobDamaged' }, 'a key')
})

function stage(t: Test, bytesMax = GiB) {
  const dataDir = mkdtempSync(join(tmpdir(), 'troupe-blobs-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'actors')
  const SEAL_KEY = randomBytes(32).toString('base64')
  const tickets = new BlobTickets(openSigner({ SEAL_KEY, DATA_DIR: dataDir }, 'blobs'), clock)
  const folder = BlobFolder.open({ dataDir, bytesMax })
  let handle: BusHandler | undefined
  const bus = {
    messageBytes: 8 * MiB,
    async request(subject: string, payload: Uint8Array) {
      if (!subject.startsWith(`troupe.v1.blob.${folder.store}.`)) throw new NoResponders(subject)
      return handle!(payload, subject)
    },
    serve(_: string, handler: BusHandler) {
      handle = handler
      return { stop: () => undefined }
    },
  }
  serveBlobs({ bus, folder, tickets, log })
  const place = folder.newPlace()
  const accessTo = (use: 'read' | 'write') => ({ ...place, ticket: tickets.issue(place, use) })
  const write = (bytes: Uint8Array) => writeBlob(bus, accessTo('write'), toAsync([bytes]))
  return { dataDir, timeline, tickets, folder, bus, place, accessTo, write }
}

async function* toAsync(chunks: readonly Uint8Array[]) {
  yield* chunks
}

t.test('a blob is written and read in parts', async (t) => {
  const { dataDir, bus, place, accessTo, write } = stage(t)
  const bytes = randomBytes(5 * 512 * KiB + 7)
  t.equal(await write(bytes), bytes.length)
  t.ok((await gather(readBlob(bus, accessTo('read')))).equals(bytes))
  t.ok((await gather((await localBlob(dataDir, place))!)).equals(bytes), 'and beside it')
  t.equal(await localBlob(dataDir, { ...place, store: 'other' }), undefined)
  const modes = readdirSync(join(dataDir, 'blobs')).map(
    (name) => statSync(join(dataDir, 'blobs', name)).mode & 0o777,
  )
  t.same(new Set(modes), new Set([0o600]))
})

t.test('it is there only when it is whole, and does not change then', async (t) => {
  const { bus, folder, place, accessTo, write } = stage(t)
  const missing = { name: 'ServiceError', type: 'not_found' }
  await t.rejects(gather(readBlob(bus, accessTo('read'))), missing)
  await folder.write(place.id, 0, randomBytes(10))
  await t.rejects(gather(readBlob(bus, accessTo('read'))), missing, 'while it is written')
  await t.rejects(
    folder.commit(place.id, 11),
    { name: 'ServiceError', type: 'bad_request' },
    'with less than it says',
  )
  await folder.commit(place.id, 10)
  await folder.commit(place.id, 10)
  await t.rejects(
    write(randomBytes(10)),
    { name: 'ServiceError', type: 'conflict' },
    'a second time',
  )
})

t.test('a ticket opens one blob, for one use, for a while', async (t) => {
  const { timeline, tickets, folder, bus, place, accessTo, write } = stage(t)
  const refused = { name: 'ServiceError', type: 'unauthorized' }
  const { store } = folder
  const ticket = tickets.issue(place, 'write')
  t.equal(tickets.check(ticket, store, 'write').id, place.id)
  t.throws(() => tickets.check(ticket, store, 'read'), refused)
  t.throws(() => tickets.check(ticket, 'other', 'write'), refused)
  for (const bad of ['', 'a.b.c', ticket.slice(1), ticket.replace(/.$/, 'A'), `${ticket}.x`]) {
    if (bad === ticket) continue
    const check = () => tickets.check(bad, store, 'write')
    if (bad === `${ticket}.x`) t.doesNotThrow(check)
    else t.throws(check, refused, bad)
  }
  await write(randomBytes(3))
  const read = accessTo('read')
  await timeline.run(blobLimits.ticketLifeMs + 1)
  await t.rejects(gather(readBlob(bus, read)), refused, 'expired')
  const away = { ...accessTo('read'), store: 'away' }
  await t.rejects(gather(readBlob(bus, away)), { type: 'unavailable', message: /when it is back/ })
})

t.test('without room it says what to do, and names lead nowhere else', async (t) => {
  const { folder, write } = stage(t, 1_000)
  await t.rejects(write(randomBytes(1_001)), { type: 'storage_full', message: /BLOBS_MAX_MIB/ })
  const more = () => folder.write(folder.newPlace().id, 0, randomBytes(600))
  await more()
  await more()
  await t.rejects(more(), { name: 'ServiceError', type: 'storage_full' }, 'all together')
  for (const id of ['../../etc/passwd', 'blb_', 'store']) {
    await t.rejects(folder.read(id as never, 0), { name: 'ServiceError', type: 'bad_request' }, id)
    await t.rejects(folder.remove(id as never), { name: 'ServiceError', type: 'bad_request' }, id)
  }
})

t.test('a copy has all blobs, and becomes a folder of the same name', async (t) => {
  const first = stage(t)
  await first.write(randomBytes(100))
  const copy = mkdtempSync(join(tmpdir(), 'troupe-blobs-'))
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  t.equal(await copyBlobs(first.dataDir, copy), 1)
  const { id } = first.folder.newPlace()
  await first.folder.write(id, 0, randomBytes(10))
  t.equal(await copyBlobs(first.dataDir, copy), 1, 'one that is not whole is left out')
  await first.folder.commit(id, 10)
  t.equal(await copyBlobs(first.dataDir, copy), 2)
  t.equal(await copyBlobs(join(copy, 'nowhere'), copy), 2)
  const next = mkdtempSync(join(tmpdir(), 'troupe-blobs-'))
  t.teardown(() => rmSync(next, { recursive: true, force: true }))
  t.notOk(hasBlobs(next))
  await placeBlobs(copy, next)
  t.ok(hasBlobs(next))
  const folder = BlobFolder.open({ dataDir: next, bytesMax: GiB })
  t.equal(folder.store, first.folder.store)
  t.equal((await folder.list()).length, 2)
  truncateSync(join(next, 'blobs', id), 5)
  t.equal((await folder.read(id, 0)).size, 5)
})
