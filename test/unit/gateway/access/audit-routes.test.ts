// Goal: each person reads exactly the part of the audit that they may read, page by page.
import { text } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import { pino } from 'pino'
import t from 'tap'
import { isStreamed } from '../../../../gateway/server/reply-body.ts'
import { auditRoutes } from '../../../../gateway/access/audit/routes.ts'
import { auditId } from '../../../../proto/access/audit/audit.ts'
import { digestOf } from '../../../../proto/access/digest.ts'
import type { AccessRole } from '../../../../proto/access/author.ts'
import { newAccessId, type Tenant } from '../../../../proto/access/ids.ts'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { AuditChain } from '../../../../runtime/access/audit/chain/chain.ts'
import { Checkpoints } from '../../../../runtime/access/audit/chain/checkpoints.ts'
import { auditSigner } from '../../../../runtime/access/audit/open.ts'
import { AuditSequencer } from '../../../../runtime/access/audit/chain/sequencer.ts'
import { logSources } from '../../../../runtime/access/audit/sources/sources.ts'
import { readExport } from '../../../../runtime/access/audit/export/read-export.ts'
import { verifyChain } from '../../../../runtime/access/audit/chain/verify.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { MemoryLog, MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { AccessLogs, staffAuthor } from '../../../helpers/access/actors/log.ts'

const client = newAccessId('client')
const other = newAccessId('client')
const each = 60
const signer = auditSigner({ SEAL_KEY: Buffer.alloc(32, 7).toString('base64'), DATA_DIR: '' })

async function stage() {
  const logs = new MemoryLog()
  const memory = new MemoryStore()
  const store = {
    ...{ audit: new MemoryLog(), checkpoints: new MemoryLog() },
    bucket: (name: string) => memory.bucket(name),
  }
  const happened = new AccessLogs(logs)
  for (let i = 0; i < 2 * each; i++) await happened.happen(i % 2 ? client : other, 1_000 + i)
  const chain = new AuditChain(store.audit, systemClock)
  const log = pino({ level: 'silent' })
  const sequencer = new AuditSequencer({ chain, sources: logSources(logs), log, positions: {} })
  while (!(await sequencer.round()).isDrained);
  await new Checkpoints(store, signer, systemClock).signAll()
  const exported: string[] = []
  const notes = { auditExported: (_: unknown, of: string) => void exported.push(of) }
  const routes = auditRoutes({ store, signer }, notes)
  const get = async (who: Who, path: string, query = '', params = {}) => {
    const route = routes.find((one) => one.path === path)!
    const request = {
      method: 'GET',
      path,
      query: new URLSearchParams(query),
      headers: new Map<string, string>(),
    }
    const caller = personOf(who)
    const reply = await route.run({ request: request as never, requestId: 'r', caller, params })
    if (isStreamed(reply.body)) return text(reply.body.stream)
    return JSON.parse(`${reply.body}`)
  }
  return { get, store, exported }
}

interface Who {
  readonly tenant: Tenant
  readonly roles: readonly AccessRole[]
  readonly id?: string
}
const auditor: Who = { tenant: 'platform', roles: ['auditor'] }
const owner: Who = { tenant: client, roles: ['owner'] }
const reviewer: Who = { tenant: 'platform', roles: ['reviewer'] }

const personOf = ({ tenant, roles, id = 'usr_x' }: Who) => {
  const kind = tenant === 'platform' ? 'staff' : 'member'
  const person = { id, tenant, roles, kind } as PersonView
  return {
    kind: 'person',
    keyId: id,
    person,
    session: {} as never,
    requestId: '',
    address: '',
  } as const
}

const list = '/v1/audit-entries'
const one = '/v1/audit-entries/{id}'
const refused = (type: string) => (error: unknown) => {
  if (!(error instanceof ServiceError) || error.type !== type) throw error
}
const notRefused = () => {
  throw new Error('it was not refused')
}

t.test(
  'the pages of a list contain every entry once, newest first, for each person who may see it',
  async (t) => {
    const { get } = await stage()
    const all = async (who: Who, query = '') => {
      const found: { n: number; client_id: string }[] = []
      let cursor = ''
      for (let page = 0; page < 20; page++) {
        const { data, page: place } = await get(who, list, `limit=17${query}${cursor}`)
        found.push(...data)
        if (!place.has_more) return found
        cursor = `&cursor=${place.next_cursor}`
      }
      throw new Error('it does not end')
    }
    const own = await all(owner)
    t.same(
      own.map(({ n }) => n),
      Array.from({ length: each }, (_, i) => each - i),
    )
    t.ok(own.every(({ client_id: id }) => id === client))
    t.equal((await all(auditor)).length, 2 * each)
    t.equal((await all(auditor, `&client_id=${other}`)).length, each)
    t.equal((await all(reviewer)).length, 0, 'what others did')
    t.equal((await all({ ...reviewer, id: staffAuthor.id })).length, 2 * each, 'what they did')
    t.equal((await all(owner, '&action=need.opened')).length, 1)
    t.equal((await all(owner, '&since=1970-01-01T00:00:01.100Z')).length, 10)
  },
)

t.test('another client’s audit is answered like one that does not exist', async (t) => {
  const { get } = await stage()
  await get(owner, list, `client_id=${other}`).then(notRefused, refused('not_found'))
  await get(owner, list, `client_id=${newAccessId('client')}`).then(
    notRefused,
    refused('not_found'),
  )
  for (const id of [
    auditId(other, 3),
    auditId(client, each + 1),
    'aud_x',
    auditId('platform', 1),
  ]) {
    await get(owner, one, '', { id }).then(notRefused, refused('not_found'))
  }
  await get(reviewer, one, '', { id: auditId(client, 3) }).then(notRefused, refused('not_found'))
  for (const n of [1, 2, 31, each]) {
    t.match(await get(owner, one, '', { id: auditId(client, n) }), { data: { n } })
  }
})

t.test('a cursor is valid for its own list only', async () => {
  const { get } = await stage()
  const { next_cursor: theirs } = (await get(auditor, list, `limit=5&client_id=${other}`)).page
  const { next_cursor: own } = (await get(owner, list, 'limit=5')).page
  for (const query of [
    `cursor=${theirs}`,
    `cursor=${own}&action=need.opened`,
    `cursor=${own}x`,
    `cursor=9${own}`,
    'cursor=',
  ]) {
    await get(owner, list, query).then(notRefused, refused('invalid_cursor'))
  }
})

t.test('a chain is verified from the start, or from where a verification stopped', async (t) => {
  const { get } = await stage()
  const verify = '/v1/audit-entries/verify'
  const good = {
    client_id: client,
    ok: true,
    to: each,
    complete: true,
    checkpoints: { matched: 1 },
  }
  t.match(await get(owner, verify), { data: { ...good, from: 1 } })
  t.match(await get(owner, verify, 'from=31'), { data: { ...good, from: 31 } })
  t.match(await get(auditor, verify, `client_id=${client}&from=${each + 1}`), {
    data: good.ok && {},
  })
  await get(owner, verify, `from=${each + 2}`).then(notRefused, refused('not_found'))
  await get(owner, verify, `client_id=${other}`).then(notRefused, refused('not_found'))
  t.match(await get(owner, '/v1/audit-checkpoints'), { data: [{ client_id: client, n: each }] })
})

const file = '/v1/audit-entries/export'
const allLines = (ndjson: string) =>
  ndjson
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
/** Without the closing line. */
const linesOf = (ndjson: string) => allLines(ndjson).slice(0, -1)

t.test('an export has all entries of the list, oldest first, for each reader', async (t) => {
  const { get, exported } = await stage()
  const own = linesOf(await get(owner, file))
  t.same(
    own.map(({ n }) => n),
    [...Array.from({ length: each }, (_, i) => i + 1), each],
    'and the checkpoint of the chain',
  )
  t.match(own.at(-1), { client, signature: String })
  const listed = (await get(owner, list, 'limit=100')).data as readonly { readonly n: number }[]
  t.same(own.slice(0, -1), [...listed].reverse())
  t.notMatch(JSON.stringify(own), /positions|prevSeq|"src"/, 'nothing of how much others do')
  t.equal(linesOf(await get(auditor, file)).length, 2 * each + 2)
  t.equal(linesOf(await get(auditor, file, `client_id=${other}`)).length, each + 1)
  t.equal(linesOf(await get(owner, file, 'action=need.opened')).length, 2)
  t.same(linesOf(await get(reviewer, file)), [], 'what others did')
  await get(owner, file, `client_id=${other}`).then(notRefused, refused('not_found'))
  t.same(exported, [client, 'platform', other, client, 'platform'], 'each is in the audit')
})

/** What a reader of the file finds out, whose lines were `changed` on the way. */
async function readBack(
  ndjson: string,
  changed: (lines: string[]) => string[] = (lines) => lines,
  by = signer,
) {
  async function* lines() {
    yield* changed(ndjson.trim().split('\n'))
  }
  return readExport(lines(), by)
}

t.test('an export that is whole is known as such, filtered or not, for each reader', async (t) => {
  const { get } = await stage()
  const all = await readBack(await get(auditor, file))
  t.match(all, { fault: undefined, entries: 2 * each, at: /^\d{4}-/ })
  t.same(
    [...all.chains.values()].map(({ size }) => size),
    [each, each],
  )
  t.equal(all.checkpoints.length, 2)
  t.match(await readBack(await get(owner, file)), { fault: undefined, entries: each })
  const since = 'since=1970-01-01T00:00:01.100Z'
  t.match(await readBack(await get(owner, file, since)), { fault: undefined, entries: 10 })
  t.match(await readBack(await get(owner, file, 'action=need.opened')), { fault: undefined })
  t.match(await readBack(await get(reviewer, file)), { fault: undefined, entries: 0 })
})

t.test('an export that was changed on the way is found out', async (t) => {
  const { get } = await stage()
  const own: string = await get(owner, file)
  const faultAfter = async (changed: (lines: string[]) => string[], text = own) =>
    (await readBack(text, changed)).fault
  const of = client
  t.equal(await faultAfter((all) => all.toSpliced(6, 1)), `entry 7 of ${of} is missing`)
  t.equal(await faultAfter((all) => all.toSpliced(9, 11)), `entries 10 to 20 of ${of} are missing`)
  t.equal(await faultAfter((all) => all.slice(1)), `entry 1 of ${of} is missing`)
  const swapped = (all: string[]) => all.with(3, all[4]!).with(4, all[3]!)
  t.equal(await faultAfter(swapped), `entry 4 of ${of} stands after entry 5`)
  const twice = (all: string[]) => all.toSpliced(8, 0, all[8]!)
  t.equal(await faultAfter(twice), `entry 9 of ${of} stands after entry 9`)
  const cut = /closing line is missing, so its end was cut off/
  t.match(await faultAfter((all) => all.slice(0, -1)), cut)
  t.match(await faultAfter((all) => all.slice(0, 30)), cut)
  const changedLines = /lines were removed, added, moved or changed/
  t.match(await faultAfter((all) => all.toSpliced(each - 1, 1)), changedLines, 'the last entry')
  t.match(await faultAfter((all) => all.toSpliced(each, 1)), changedLines, 'the checkpoint')
  const edited = (all: string[]) => all.with(5, all[5]!.replace('"outcome":"', '"outcome": "'))
  t.match(await faultAfter(edited), changedLines)
  t.match(await faultAfter((all) => [...all, all[0]!]), /lines follow its closing line/)

  const some: string = await get(owner, file, 'since=1970-01-01T00:00:01.100Z')
  t.match(await faultAfter((all) => all.toSpliced(4, 1), some), changedLines, 'of a filtered one')

  const closing = allLines(own).at(-1)!
  const closedWith = (change: object) => (all: string[]) =>
    all.with(-1, JSON.stringify({ ...closing, ...change }))
  t.match(await faultAfter(closedWith({ filtered: true })), /signature .* does not match/)
  t.match(await faultAfter(closedWith({ signature: undefined })), /is not signed/)
  const stranger = auditSigner({ SEAL_KEY: Buffer.alloc(32, 9).toString('base64'), DATA_DIR: '' })
  t.match((await readBack(own, undefined, stranger)).fault, /a key that this host does not have/)
  await t.rejects(
    readBack(own, (all) => ['not a line of it', ...all]),
    /has a line that is not an entry: not a line/,
  )
})

t.test('in CSV every cell is text, and none is a formula', async (t) => {
  const { get, store } = await stage()
  const name = subjects.audit(client)
  const head = (await store.audit.last(name))!
  const entry = JSON.parse(Buffer.from(head.data).toString())
  const made = { ...entry, n: each + 1, reason: '=HYPERLINK("https://evil.example")' }
  await store.audit.append(name, Buffer.from(JSON.stringify(made)), head.seq)
  const csv = await get(owner, file, 'format=csv')
  const rows = parse(csv, { columns: true }) as readonly Readonly<Record<string, string>>[]
  t.equal(rows.length, each + 1)
  t.match(rows[0], { n: '1', client_id: client, action: 'need.opened', actor_kind: 'staff' })
  t.equal(rows.at(-1)!['reason'], `'=HYPERLINK("https://evil.example")`)
})

t.test('an export is checked against its chain, entry by entry', async (t) => {
  const { get, store } = await stage()
  const entries = linesOf(await get(owner, file)).slice(0, -1)
  const verdict = (copies: readonly Readonly<Record<string, unknown>>[]) =>
    verifyChain({
      ...{ client, signer, checkpoints: [] },
      entries: store.audit.read(subjects.audit(client)),
      exported: new Map(copies.map((copy) => [Number(copy['n']), digestOf(copy)])),
    })
  t.match(await verdict(entries), { exported: each, firstBad: undefined })
  t.match(await verdict(entries.slice(10, 20)), { exported: 10, firstBad: undefined })
  const edited = entries.with(6, { ...entries[6]!, reason: 'another reason' })
  t.match(await verdict(edited), { firstBad: { n: 7, why: /the export has different content/ } })
  const longer = [...entries, { ...entries[0]!, n: each + 5 }]
  t.match(await verdict(longer), { firstBad: { n: each + 1, why: /the export has entry 65/ } })
})
