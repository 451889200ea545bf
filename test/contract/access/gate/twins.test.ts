/**
 * Goal: whatever client A requests, no answer to it and nothing stored about it contains an id or
 * an address of client B. Method: two clients with the same names and texts; random requests as
 * people and tokens of A, with ids of B wherever an id may be; then a check of every place.
 */
import { defined } from '../../../../proto/defined.ts'
import fc from 'fast-check'
import t from 'tap'
import { areaKeys, areaRules, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { buckets, subjects } from '../../../../proto/subjects.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import type { LogStore } from '../../../../runtime/store/store.ts'
import { errorOf, type Asked, type Heard } from '../../../helpers/access/asking.ts'
import { entryOfRequest } from '../../../helpers/access/audit/audit.ts'
import { mint } from '../../../helpers/access/clients.ts'
import { leaksIn, marksOf, type Place } from '../../../helpers/access/leaks.ts'
import { rows } from '../../../helpers/access/matrix/matrix.ts'
import { makePerson } from '../../../helpers/access/people.ts'
import { openWorld, type Twin } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const world = await openWorld(t)
const { a, b, ask, service, insider, ada } = world

/** These would end the credentials that A's requests use, and later requests would be refused. */
const endings: readonly string[] = [
  ...['DELETE /v1/sign-in', 'PUT /v1/me/password', 'DELETE /v1/tokens/{id}'],
  ...['POST /v1/needs/{id}/close', 'POST /v1/members/{id}/remove'],
]
const routes = Object.keys(rows).filter((route) => !endings.includes(route))

/** A record of each area, with the same content for both. */
const recordsOf = { a: await recordsIn(a), b: await recordsIn(b) }
const recordRoutes = areaKeys.flatMap((area) => {
  const { actions, sensitivity } = areaRules[area]
  const [many, one] = [`/v1/${area}`, `/v1/${area}/{id}`]
  const reads = [`GET ${many}`, `GET ${one}`]
  // Left out where they are not allowed, because a 405 repeats the path.
  if (!actions.includes('write') && sensitivity !== 'technical') return reads
  return [...reads, `POST ${many}`, `PATCH ${one}`, `DELETE ${one}`]
})

/** Matching objects of both clients: A's, and B's to replace it with. */
const pairs: readonly (readonly [string, string])[] = [
  ...(['id', 'scope', 'need'] as const).map((name) => [a[name], b[name]] as const),
  ...(['owner', 'member'] as const).map((name) => [a[name].id, b[name].id] as const),
  ...(['all', 'reader', 'elsewhere', 'ended'] as const).flatMap((name) => grantPairs(a, b, name)),
  ...areaKeys.map((area) => [recordsOf.a[area], recordsOf.b[area]] as const),
]
const cursorOfB = await cursorOf(b)
const idsOfB = pairs.map(([, other]) => other)

function grantPairs(one: Twin, other: Twin, name: 'all' | 'reader' | 'elsewhere' | 'ended') {
  return (['id', 'request', 'tokenId'] as const).map(
    (part) => [one[name][part], other[name][part]] as const,
  )
}

/**
 * Written into the store directly: records of technical areas and jobs cannot be made over REST.
 */
async function recordsIn({ id: client }: Twin): Promise<Readonly<Record<AreaKey, string>>> {
  const store = new RecordStore(insider.store.bucket(buckets.records))
  const made = areaKeys.map(async (area) => {
    const [createdAtMs, by] = [Date.now(), systemAuthor('test')]
    const id = newRecordId(area, createdAtMs)
    const written = { createdAtMs, createdBy: by.id, updatedAtMs: createdAtMs, updatedBy: by.id }
    const change = { by, at: createdAtMs, action: 'create', changed: ['name'] } as const
    const fields = { name: 'Same' }
    await store.create({ v: 1, client, area, id, version: 1, ...written, fields, _m: change })
    return [area, id] as const
  })
  return Object.fromEntries(await Promise.all(made)) as Record<AreaKey, string>
}

/** Several of each kind, because the requests per minute of one are limited. */
async function callersOfA(): Promise<readonly string[]> {
  const people = (['owner', 'member'] as const).flatMap((role) =>
    [1, 2, 3, 4].map((n) => ({ role, email: `${role}-${n}@a.example` })),
  )
  const made = people.map(({ role, email }) =>
    makePerson(insider.directory, { tenant: a.id, email, roles: [role], by: ada.author }),
  )
  const more = [1, 2, 3, 4].map(() => mint(insider.directory, a.all.id, ada.author))
  const minted = (await Promise.all(more)).map(({ token }) => token)
  const tokens = [a.all.token, a.reader.token, a.elsewhere.token, ...minted]
  return [...(await Promise.all(made)).map(({ token }) => token), ...tokens]
}

const callers = await callersOfA()
/** A person that no command names: commands may sign the others out and end their grants. */
const witness = await makePerson(insider.directory, {
  ...{ tenant: a.id, email: 'witness@a.example', roles: ['member'], by: ada.author },
})
const marks = [...(await marksOf(insider.store, b.id, a.id)), ...Object.values(recordsOf.b)]

const command = fc.record({
  route: fc.oneof(fc.constantFrom(...routes), fc.constantFrom(...recordRoutes)),
  caller: fc.constantFrom(...callers),
  /** An id of the route's kind (A's, or B's in its place), or any id of either client. */
  id: fc.oneof(fc.constantFrom('own', 'other'), fc.constantFrom(...pairs.flat())),
  /** The ids in the body that are replaced by B's. */
  swapped: fc.subarray([...pairs]),
  query: fc.dictionary(
    fc.constantFrom('client_id', 'cursor', 'limit', 'status', 'filter[client_id]', 'fields'),
    fc.constantFrom(...idsOfB, cursorOfB, '1', 'active', 'id'),
    { maxKeys: 2 },
  ),
  headers: fc.dictionary(
    fc.constantFrom('if-match', 'if-none-match', 'x-client-id', 'idempotency-key'),
    fc.constantFrom('"1"', '"3"', b.id, a.id),
    { maxKeys: 2 },
  ),
})
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

async function cursorOf({ all: { token } }: Twin): Promise<string> {
  const record = { title: 'Same' }
  await ask('POST', '/v1/tasks', { token, body: record })
  return nextCursor(await ask('GET', '/v1/tasks?limit=1', { token })) ?? ''
}

function nextCursor({ body }: Heard): string | undefined {
  const { page } = (body ?? {}) as { readonly page?: { readonly next_cursor: string | null } }
  return page?.next_cursor ?? undefined
}

/** One command of each kind, so that each kind of answer occurs whatever the random ones do. */
const plain = { caller: callers[0]!, id: a.need, swapped: [], query: {}, headers: {} }
const certain: Command[] = [
  { ...plain, route: 'GET /v1/needs/{id}' },
  { ...plain, route: 'GET /v1/needs/{id}', id: b.need },
  { ...plain, route: 'POST /v1/needs/{id}/close' },
  { ...plain, route: 'POST /v1/needs' },
  // Lists of every area whole and by pages, and every record of both clients by its id.
  ...areaKeys.flatMap((area): Command[] => {
    const asToken = { ...plain, caller: a.all.token }
    const one = `GET /v1/${area}/{id}`
    return [
      { ...asToken, route: `GET /v1/${area}` },
      { ...asToken, route: one, caller: callers.at(-1)!, id: 'own' },
      { ...asToken, route: one, caller: callers.at(-2)!, id: 'other' },
    ]
  }),
  { ...plain, caller: a.all.token, route: 'GET /v1/tasks', query: { limit: '1' } },
  { ...plain, caller: a.all.token, route: 'GET /v1/tasks', query: { cursor: cursorOfB } },
]

const answers: Heard[] = []
let heard = 0
let lines = service.output().length

const places: readonly Place[] = [
  {
    name: 'answers',
    look() {
      const since = answers.slice(heard)
      heard = answers.length
      return since.map(textOf).join('\n')
    },
  },
  {
    name: 'log lines',
    look() {
      const since = service.output().slice(lines)
      lines = service.output().length
      return since
    },
  },
  { name: 'audit', look: () => newIn(insider.store.audit, subjects.audit(a.id)) },
  { name: 'notes', look: () => newIn(insider.store.notes, subjects.note(a.id)) },
  { name: 'reads', look: () => newIn(insider.store.reads, subjects.reads(a.id)) },
  { name: 'metrics', look: async () => (await ask('GET', '/metrics')).text },
]

/** The answer with its cursor decoded, because a cursor contains an id. */
function textOf(answer: Heard): string {
  const cursor = Buffer.from(nextCursor(answer) ?? '', 'base64url').toString('latin1')
  return [JSON.stringify([...answer.headers]), answer.text, cursor].join('\n')
}

const lookedAt = new Map<string, number>()

/** What was written to a subject since the last call. */
async function newIn(log: Pick<LogStore, 'read'>, subject: string): Promise<string> {
  const texts: string[] = []
  for await (const { data, seq } of log.read(subject, (lookedAt.get(subject) ?? 0) + 1)) {
    lookedAt.set(subject, seq)
    // The raw bytes: ids appear in them character by character in any encoding.
    texts.push(Buffer.from(data).toString('latin1'))
  }
  return texts.join('\n')
}

function idFor(route: string, id: string): string {
  const area = areaKeys.find((each) => route.includes(`/v1/${each}/{id}`))
  const own = area ? recordsOf.a[area] : (rows[route]?.id?.(world) ?? a.id)
  const [, other = b.id] = pairs.find(([one]) => one === own) ?? []
  return id === 'own' ? own : id === 'other' ? other : id
}

/** Bodies that name other objects of the same client. */
const [contact, task] = [recordsOf.a.contacts, { area: 'tasks', id: recordsOf.a.tasks }]
const recordBodies: Readonly<Record<string, object>> = {
  'POST /v1/contacts': { first_name: 'Sam', owner_id: a.member.id },
  'PATCH /v1/contacts/{id}': { owner_id: a.member.id },
  'POST /v1/opportunities': { name: 'Same', contact_id: contact, owner_id: a.owner.id },
  'PATCH /v1/opportunities/{id}': { contact_id: contact },
  'POST /v1/tasks': { title: 'Same', related: task },
  'PATCH /v1/tasks/{id}': { title: 'Same', related: task, assignee_id: a.member.id },
}

async function send({ route, caller, id, swapped, query, headers }: Command): Promise<void> {
  const [method = '', path = ''] = route.split(' ')
  const body = rows[route]?.body?.(world, 'owner') ?? recordBodies[route]
  const text = body === undefined ? undefined : JSON.stringify(body)
  const spelt = swapped.reduce((now, [own, other]) => now?.replaceAll(own, other), text)
  // Left out because an unknown field is repeated in the error.
  const { fields: _, ...others } = query
  const search = new URLSearchParams(recordRoutes.includes(route) ? others : query).toString()
  const asked: Asked = { token: caller, headers, ...defined({ body: spelt }) }
  const address = path.replace('{id}', idFor(route, id)) + (search === '' ? '' : `?${search}`)
  answers.push(await ask(method, address, asked))
}

t.test('neither A’s answers nor what is stored about A contain ids of B', async (t) => {
  t.ok(marks.length >= idsOfB.length, `${marks.length} ids and addresses of B`)
  const runs = fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 12 }), async (all) => {
    for (const each of all) await send(each)
    const found = await leaksIn(places, marks)
    if (found.length > 0) throw new Error(found.join('\n'))
  })
  await fc.assert(runs, { numRuns: 60, examples: [[certain]] })
})

t.test('nor does A’s whole audit, in the store and over REST', async (t) => {
  const { token } = await makePerson(insider.directory, {
    ...{ tenant: a.id, email: 'reader@a.example', roles: ['owner'], by: ada.author },
  })
  await until('the gateway knows them', async () => {
    return (await ask('GET', '/v1/me', { token })).status === 200
  })
  const other = await ask('GET', `/v1/needs/${b.need}`, { token })
  const requestId = `${errorOf(other)['request_id']}`
  const last = await entryOfRequest(insider.store, a.id, requestId)
  t.equal(last.action, 'access.cross_client_attempt')
  const pages: Heard[] = []
  for (
    let cursor: string | undefined = '';
    cursor !== undefined;
    cursor = nextCursor(pages.at(-1)!)
  ) {
    const more = cursor === '' ? '' : `&cursor=${cursor}`
    pages.push(await ask('GET', `/v1/audit-entries?limit=100${more}`, { token }))
    t.equal(pages.at(-1)!.status, 200)
  }
  const rest: Place = { name: 'audit over REST', look: () => pages.map(textOf).join('\n') }
  t.match(rest.look(), last.id)
  lookedAt.clear()
  t.same(await leaksIn([...places, rest], marks), [])
  lookedAt.clear()
  for (const name of ['audit', 'notes', 'reads']) {
    const text = await places.find((place) => place.name === name)!.look()
    t.match(text, a.all.id, `there is something in ${name}`)
  }
})

t.test('A’s requests were served, and a person no command names is still let in', async (t) => {
  const statuses = new Set(answers.map(({ status }) => status))
  for (const status of [200, 201, 404, 428]) t.ok(statuses.has(status), `${status}`)
  t.notOk([...statuses].some((status) => status >= 500))
  t.equal((await ask('GET', '/v1/me', { token: witness.token })).status, 200)
})
