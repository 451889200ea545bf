// Goal: a chain that was modified is detected, with its first wrong entry, and so are checkpoints
// that were removed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { AuditCheckpoint } from '../../../../proto/access/audit/audit.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { subjects } from '../../../../proto/subjects.ts'
import {
  Checkpoints,
  checkpointPurpose,
  readCheckpoint,
  readCheckpoints,
} from '../../../../runtime/access/audit/chain/checkpoints.ts'
import {
  decodeEntry,
  encodeEntry,
  entryHashOf,
} from '../../../../runtime/access/audit/chain/entry.ts'
import { verifyChain, type ChainVerdict } from '../../../../runtime/access/audit/chain/verify.ts'
import { openSigner } from '../../../../runtime/accounts/seal/signer.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { AccessLogs } from '../../../helpers/access/actors/log.ts'
import {
  auditSealKey as sealKey,
  auditSigner as signer,
  auditStage,
  drainAudit,
} from '../../../helpers/access/audit/audit-stage.ts'

const client = newAccessId('client')

/** A chain of `length`, as messages, with a checkpoint at its end. */
async function chainOf(length: number) {
  const { logs, audit, checkpoints, sequencer } = auditStage()
  const happened = new AccessLogs(logs)
  for (let at = 1; at <= length; at++) await happened.happen(client, at)
  await drainAudit(sequencer())
  await new Checkpoints({ audit, checkpoints }, signer, systemClock).signAll()
  const entries: Uint8Array[] = []
  for await (const { data } of audit.read(subjects.audit(client))) entries.push(data)
  const signed: AuditCheckpoint[] = []
  for await (const one of readCheckpoints(checkpoints, client)) signed.push(one)
  return { entries, signed }
}

async function* messages(entries: readonly Uint8Array[]) {
  for (const data of entries) yield { data }
}

const verify = (
  entries: readonly Uint8Array[],
  checkpoints: readonly AuditCheckpoint[],
  by = signer,
): Promise<ChainVerdict> =>
  verifyChain({ client, entries: messages(entries), checkpoints, signer: by })

const edited = (data: Uint8Array, change: object): Uint8Array =>
  encodeEntry({ ...decodeEntry(data)!, ...change })

type Tamper = (entries: readonly Uint8Array[], i: number) => readonly Uint8Array[]
const tampers: Readonly<Record<string, Tamper>> = {
  changed: (entries, i) => entries.with(i, edited(entries[i]!, { reason: 'another' })),
  dropped: (entries, i) => entries.toSpliced(i, 1),
  swapped: (entries, i) => entries.with(i, entries[i + 1]!).with(i + 1, entries[i]!),
  inserted: (entries, i) => entries.toSpliced(i, 0, entries[(i + 3) % entries.length]!),
  cut: (entries, i) => entries.slice(0, i),
  garbage: (entries, i) => entries.with(i, Buffer.from('{')),
}

t.test('an unmodified chain verifies', async (t) => {
  const { entries, signed } = await chainOf(40)
  t.match(await verify(entries, signed), {
    entries: 40,
    n: 40,
    firstBad: undefined,
    checkpoints: { matched: 1, unknownKey: 0 },
  })
})

t.test('after any modification the first bad entry is named', async () => {
  const { entries, signed } = await chainOf(40)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(tampers)),
      fc.integer({ min: 0, max: entries.length - 2 }),
      async (how, i) => {
        const { firstBad } = await verify(tampers[how]!(entries, i), signed)
        return firstBad?.n === i + 1
      },
    ),
    { numRuns: 300 },
  )
})

t.test('a change of any byte is detected', async () => {
  const { entries, signed } = await chainOf(10)
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 9 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (i, where, xor) => {
        const bytes = Uint8Array.from(entries[i]!)
        const at = where % bytes.length
        bytes[at] = bytes[at]! ^ xor
        const { firstBad } = await verify(entries.with(i, bytes), signed)
        return firstBad?.n === i + 1
      },
    ),
    { numRuns: 500 },
  )
})

t.test('a chain whose checkpoints were removed is found out', async (t) => {
  const { entries, signed } = await chainOf(40)
  const written = entries.map((data) => decodeEntry(data)!.writtenAt)
  const verdict = async (of: readonly AuditCheckpoint[], checkpointsDueMs: number, most?: number) =>
    verifyChain({
      ...{ client, entries: messages(entries), checkpoints: of, signer, checkpointsDueMs },
      ...(most !== undefined && { most }),
    })
  const afterAll = written.at(-1)! + 1
  t.match(await verdict(signed, afterAll), { firstBad: undefined, entries: 40 })
  const missing = /a checkpoint that covers it was due, and is missing/
  t.match(await verdict([], afterAll), { firstBad: { n: 1, why: missing } })
  t.match(await verdict([], afterAll, 10), { firstBad: { n: 1, why: missing } }, 'in parts, too')
  t.match(await verdict(signed, afterAll, 10), { firstBad: undefined }, 'one comes later')
  t.match(await verdict([], written[0]!), { firstBad: undefined }, 'none is due yet')
  const kept = await verifyChain({
    ...{ client, entries: messages(entries), checkpoints: [], kept: signed, signer },
    checkpointsDueMs: afterAll,
  })
  t.match(kept.firstBad, { why: missing }, 'a copy elsewhere does not replace it')
  const [wrong] = signed.map((one) => ({ ...one, hash: 'another', keyId: 'unknown' }))
  t.match(await verdict([wrong!], afterAll), { firstBad: { n: 1, why: missing } })
})

t.test('each checkpoint is also given to where copies are kept', async (t) => {
  const { logs, audit, checkpoints, sequencer } = auditStage()
  await new AccessLogs(logs).happen(client, 1)
  await drainAudit(sequencer())
  const copies: string[] = []
  const copy = (line: string) => void copies.push(line)
  const signing = new Checkpoints({ audit, checkpoints }, signer, systemClock, copy)
  await signing.signAll()
  await signing.signAll()
  t.equal(copies.length, 1)
  t.match(readCheckpoint(copies[0]!), { client, n: 1 })
})

t.test('a text is a checkpoint only if it is whole', async (t) => {
  const [signed] = (await chainOf(1)).signed
  t.same(readCheckpoint(JSON.stringify(signed)), signed)
  const { signature: _, ...unsigned } = signed!
  const others = [unsigned, { ...signed, n: 1.5 }, { ...signed, keyId: 7 }, null, 'text']
  for (const other of others) t.equal(readCheckpoint(JSON.stringify(other)), undefined)
  t.equal(readCheckpoint('{'), undefined)
})

t.test('a chain rewritten with valid hashes is detected by its checkpoint', async (t) => {
  const { entries, signed } = await chainOf(10)
  let prev = decodeEntry(entries[3]!)!.prev
  const anew = entries.map((data, i) => {
    if (i < 3) return data
    const entry = { ...decodeEntry(data)!, reason: 'another', prev }
    prev = entryHashOf(entry)
    return encodeEntry({ ...entry, hash: prev })
  })
  t.equal((await verify(anew, [])).firstBad, undefined, 'the chain alone does not show it')
  t.match(await verify(anew, signed), { firstBad: { n: 10, why: /checkpoint/ } })
  const ofNoUse = openSigner(
    { SEAL_KEY: Buffer.alloc(32, 8).toString('base64'), DATA_DIR: '' },
    'x',
  )
  t.match(await verify(anew, signed, ofNoUse), {
    firstBad: undefined,
    checkpoints: { matched: 0, unknownKey: 1 },
  })
  const kept = await verifyChain({
    client,
    entries: messages(anew),
    checkpoints: [],
    kept: signed,
    signer: ofNoUse,
  })
  t.equal(kept.firstBad?.n, 10, 'a copy that was kept elsewhere proves it without the key')
})

t.test('a modified checkpoint is reported as modified, and proves nothing else', async (t) => {
  const { entries, signed } = await chainOf(5)
  const forged = signed.map((one) => ({ ...one, n: 4, hash: decodeEntry(entries[3]!)!.hash }))
  t.match(await verify(entries, forged), { firstBad: { n: 4, why: /signature of its checkpoint/ } })
})

t.test('keys derive from the seal keys: equal everywhere, different for others', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-audit-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const older = Buffer.alloc(32, 9).toString('base64')
  writeFileSync(join(dir, 'seal.key'), `${older}\n${sealKey}\n`, { mode: 0o600 })
  const elsewhere = openSigner({ SEAL_KEY: '', DATA_DIR: dir }, checkpointPurpose)
  const signed = signer.sign('text')!
  t.equal(elsewhere.isSigned('text', signed), true)
  t.equal(elsewhere.isSigned('other', signed), false)
  t.equal(signer.isSigned('text', elsewhere.sign('text')!), undefined, 'of a key not known here')
  const noKey = openSigner({ SEAL_KEY: '', DATA_DIR: join(dir, 'none') }, checkpointPurpose)
  t.equal(noKey.sign('text'), undefined)
})
