// Goal: events are recorded once and in order, without secrets, and a chain that was modified is
// detected, with its first wrong entry.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { pino } from 'pino'
import t from 'tap'
import { actorKinds, type ActorDeps } from '../../../../actors/registry.ts'
import { auditId, readAuditId, type AuditCheckpoint } from '../../../../proto/access/audit/audit.ts'
import { newAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import { encode } from '../../../../proto/codec.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { AuditChain } from '../../../../runtime/access/audit/chain/chain.ts'
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
import { factsOfLog } from '../../../../runtime/access/audit/sources/from-log.ts'
import { AuditSequencer } from '../../../../runtime/access/audit/chain/sequencer.ts'
import {
  logSources,
  noteSource,
  recordSource,
} from '../../../../runtime/access/audit/sources/sources.ts'
import { auditTable } from '../../../../runtime/access/audit/sources/table.ts'
import { verifyChain, type ChainVerdict } from '../../../../runtime/access/audit/chain/verify.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { MemoryLog } from '../../../helpers/runtime/memory-store.ts'
import type { SharedLog } from '../../../../runtime/store/store.ts'
import { openSigner } from '../../../../runtime/accounts/seal/signer.ts'
import { AccessStage } from '../../../helpers/access/actors/stage.ts'
import { AccessLogs, logEntry, staffAuthor } from '../../../helpers/access/actors/log.ts'

const silent = pino({ level: 'silent' })
const client = newAccessId('client')
const sealKey = Buffer.alloc(32, 7).toString('base64')
const signer = openSigner({ SEAL_KEY: sealKey, DATA_DIR: '/nowhere' }, checkpointPurpose)

const stage = () => stageOver(new MemoryLog())

function stageOver(logs: SharedLog) {
  const notes = new MemoryLog()
  const records = new MemoryLog()
  const audit = new MemoryLog()
  const checkpoints = new MemoryLog()
  const sources = [...logSources(logs), noteSource(notes), recordSource(records, 'records')]
  const sequencer = (positions: Readonly<Record<string, number>> = {}) =>
    new AuditSequencer({
      chain: new AuditChain(audit, systemClock),
      sources,
      log: silent,
      positions,
    })
  const entries = async (of: string = client) => {
    const found = []
    for await (const { data } of audit.read(subjects.audit(of))) found.push(decodeEntry(data)!)
    return found
  }
  return { logs, notes, records, audit, checkpoints, sequencer, entries }
}

async function drain(sequencer: AuditSequencer): Promise<void> {
  while (!(await sequencer.round()).isDrained);
}

t.test('each command of each kind has a row, so a new verb needs one', async (t) => {
  const kinds = actorKinds({} as ActorDeps).map(({ protocol }) => protocol.kind)
  // Commands of jobs are recorded as changes of their record.
  const others = ['session', 'task', 'job']
  t.same(Object.keys(auditTable).sort(), kinds.filter((kind) => !others.includes(kind)).sort())
  for (const [kind, { protocol, rows }] of Object.entries(auditTable)) {
    for (const [verb, { mode }] of Object.entries(protocol.verbs)) {
      if (mode === 'command') t.ok(rows[verb], `${kind} ${verb}`)
    }
  }
})

t.test('no row contains a secret, a name or an address', async (t) => {
  const secret = 'S3CRET'
  const hidden = Object.fromEntries(
    ['hash', 'password', 'totp', 'invitationHash', 'hint', 'email', 'sessionId', 'title'].map(
      (name) => [name, secret],
    ),
  )
  for (const [kind, { rows }] of Object.entries(auditTable)) {
    for (const type of [...Object.keys(rows), 'of_a_later_version']) {
      const patch = { name: secret, contact: { email: secret } }
      const event = { type, by: staffAuthor, ...hidden, patch, terms: hidden }
      const context = { ...hidden, contact: hidden, sessions: [hidden] }
      const entry = logEntry({ kind, id: 'x_1', client, n: 1, event, context })
      t.notMatch(JSON.stringify(factsOfLog(encode(entry))), secret, `${kind} ${type}`)
    }
  }
})

t.test('an entry has its author, object, reason and request', async (t) => {
  const id = newAccessId('grant')
  const event = {
    type: 'mint',
    by: staffAuthor,
    tokenId: newAccessId('token'),
    name: 'reports',
    scopes: ['contacts:read'],
    hash: 'never',
  }
  const context = { needId: 'nd_1', scopeId: 'scp_1', requestId: 'acr_1' }
  const { facts } = factsOfLog(
    encode(logEntry({ kind: 'grant', id, client, n: 3, event, context })),
  )
  t.match(facts, {
    client,
    actor: { kind: 'staff', id: staffAuthor.id, roles: ['admin'] },
    action: 'grant.token_created',
    owasp: 'authn_token_created',
    object: { kind: 'grant', id, version: 3 },
    grantId: id,
    needId: 'nd_1',
    scopeId: 'scp_1',
    accessRequestId: 'acr_1',
    tokenId: event.tokenId,
    requestId: 'req_1',
    changes: [
      { field: 'name', to: 'reports' },
      { field: 'scopes', to: ['contacts:read'] },
    ],
  })
})

t.test('a decision of one person alone is marked, a deadline is by the clock', async (t) => {
  const facts = (event: { type: string }, context: Record<string, unknown>) =>
    factsOfLog(encode(logEntry({ kind: 'need', id: 'nd_1', client, n: 2, event, context }))).facts
  t.equal(facts({ type: 'extend' }, { extension: { selfReviewed: true } })?.selfReviewed, true)
  t.equal(facts({ type: 'extend' }, { extension: {} })?.selfReviewed, undefined)
  t.match(facts({ type: 'deadline.abandoned' }, {}), {
    action: 'need.closed',
    actor: { kind: 'system', id: 'clock' },
  })
})

t.test('logs, notes and records become one chain per client, each message once', async (t) => {
  const { logs, notes, records, sequencer, entries } = stage()
  const other = newAccessId('client')
  const happened = new AccessLogs(logs)
  for (let at = 1; at <= 100; at++) await happened.happen(at % 2 ? client : other, at)
  const note = { action: 'authorization_denied', outcome: 'denied', requestId: 'r' } as const
  await notes.add(subjects.note(client), encode({ ...note, tenant: client, atMs: 50 }), '1')
  await notes.add(subjects.note('x'), encode({ ...note, tenant: 'a.b.>', atMs: 60 }), '2')
  const made = { at: 70, by: staffAuthor, action: 'update', changed: ['email'] }
  const value = { version: 2, client, email: 'ada@example.com', _m: made }
  await records.append(`$KV.records.${client}.contacts.con_1`, encode(value), 0)
  const first = sequencer()
  await drain(first)
  await drain(sequencer(first.positions))
  await drain(sequencer())
  const chain = await entries()
  t.same(
    chain.map(({ n }) => n),
    Array.from({ length: 52 }, (_, i) => i + 1),
  )
  t.match(
    chain.find(({ action }) => action === 'record.update'),
    { object: { kind: 'contacts', id: 'con_1', version: 2 }, changedFields: ['email'] },
  )
  t.notMatch(JSON.stringify(chain), 'ada@example.com')
  t.notMatch(JSON.stringify(chain), other)
  t.ok(chain.some(({ owasp }) => owasp === 'authz_fail'))
  t.equal((await entries(other)).length, 50)
  t.equal((await entries(platformTenant)).length, 1, 'what is no tenant')
})

t.test(
  'all events of an access from request to end are recorded, readable and without a gap',
  async (t) => {
    const stage = await AccessStage.begin()
    const { audit, sequencer, entries } = stageOver(stage.store.log)
    await drain(sequencer())
    const chains = await audit.subjects(subjects.auditAll)
    const told = (
      await Promise.all(chains.map((subject) => entries(subject.split('.').at(-1))))
    ).flat()
    const actions = told.map(({ action }) => action)
    t.notOk(
      actions.some((action) => action.startsWith('audit.')),
      `${actions}`,
    )
    for (const action of ['client.created', 'scope.confirmed', 'client.activated', 'need.opened']) {
      t.ok(actions.includes(action), action)
    }
  },
)

t.test('two sequencers together write what one would write', async (t) => {
  const { logs, sequencer, entries } = stage()
  const clients = [client, newAccessId('client'), newAccessId('client')]
  const happened = new AccessLogs(logs)
  for (let at = 1; at <= 300; at++) await happened.happen(clients[at % 3]!, at)
  await Promise.all([drain(sequencer()), drain(sequencer()), drain(sequencer())])
  for (const each of clients) {
    const chain = await entries(each)
    t.same(
      chain.map(({ src }) => src.n),
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
  }
})

t.test('messages dropped before they were read are recorded as lost, once', async (t) => {
  const { logs, sequencer, entries } = stage()
  const id = newAccessId('need')
  const append = async (n: number, before: number) => {
    const event = { type: n === 1 ? 'created' : 'update', by: staffAuthor }
    const data = encode(logEntry({ kind: 'need', id, client, n, event }))
    return logs.append(subjects.log('need', id), data, before)
  }
  let seq = await append(1, 0)
  const first = sequencer()
  await drain(first)
  seq = await append(4, seq)
  await append(5, seq)
  await drain(first)
  await drain(sequencer())
  const told = (await entries()).map(({ action, reason = '' }) => `${action} ${reason}`.trim())
  t.same(told, [
    'need.opened',
    'audit.gap entries 2 to 3 of its log were dropped before they were read',
    'need.updated',
    'need.updated',
  ])
})

t.test('an unreadable message is recorded as such, and blocks nothing', async (t) => {
  const { logs, sequencer, entries } = stage()
  await logs.append(subjects.log('grant', 'gr_x'), Buffer.from('garbage'), 0)
  await new AccessLogs(logs).happen(client)
  await drain(sequencer())
  t.match(await entries(platformTenant), [{ action: 'audit.unreadable', outcome: 'failed' }])
  t.equal((await entries()).length, 1)
})

/** A chain of `length`, as messages, with a checkpoint at its end. */
async function chainOf(length: number) {
  const { logs, audit, checkpoints, sequencer } = stage()
  const happened = new AccessLogs(logs)
  for (let at = 1; at <= length; at++) await happened.happen(client, at)
  await drain(sequencer())
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
  const { logs, audit, checkpoints, sequencer } = stage()
  await new AccessLogs(logs).happen(client, 1)
  await drain(sequencer())
  const copies: string[] = []
  const copy = async (line: string) => void copies.push(line)
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

t.test('an id contains the place of its entry', async (t) => {
  t.same(readAuditId(auditId(client, 12)), { client, n: 12 })
  t.same(readAuditId(auditId(platformTenant, 1)), { client: platformTenant, n: 1 })
  const noIds: readonly string[] = ['', 'aud_', `aud_${client}_1`, 'aud_platform_0', 'aud_>_1']
  for (const text of noIds) t.equal(readAuditId(text), undefined, text)
})
