// Goal: an access sees and writes its own records and fields only, a change is one version by one
// writer, and missing, foreign and hidden records are answered alike.
import t, { type Test } from 'tap'
import { encode } from '../../../../proto/codec.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { mergePatch } from '../../../../runtime/access/records/merge-patch.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { accessTo, query, recordsOn, refusal } from '../../../helpers/access/actors/records.ts'

const client = newAccessId('client')
const other = newAccessId('client')
const all = accessTo(client)
const staff = accessTo(client, undefined, { author: { kind: 'staff', id: newAccessId('person') } })

function open(t: Test) {
  const bucket = new MemoryStore().bucket('records')
  const world = recordsOn(bucket)
  t.teardown(() => world.indexes.stop())
  return { bucket, ...world, world }
}

const message = async (call: () => Promise<unknown>) => {
  const error: unknown = await call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof Error ? error.message : 'done'
}

t.test('merge patch: the examples of RFC 7396 whose target is an object', async (t) => {
  t.same(mergePatch({ a: 'b' }, { a: 'c' }), { a: 'c' })
  t.same(mergePatch({ a: 'b' }, { b: 'c' }), { a: 'b', b: 'c' })
  t.same(mergePatch({ a: 'b', b: 'c' }, { a: null }), { b: 'c' })
  t.same(mergePatch({ a: ['b'] }, { a: 'c' }), { a: 'c' })
  t.same(mergePatch({ a: 'c' }, { a: ['b'] }), { a: ['b'] })
  t.same(mergePatch({ a: { b: 'c' } }, { a: { b: 'd', c: null } }), { a: { b: 'd' } })
  t.same(mergePatch({ a: [{ b: 'c' }] }, { a: [1] }), { a: [1] })
  t.same(mergePatch({ e: null }, { a: 1 }), { e: null, a: 1 })
  t.same(mergePatch({}, { a: { bb: { ccc: null } } }), { a: { bb: {} } })
})

t.test('a record is made, read, changed and deleted, one version after the other', async (t) => {
  const { records, world } = open(t)
  const made = await records.create(all, 'contacts', { first_name: ' Ada ', email: 'A@B.example' })
  const { id } = made.data
  t.match(id, /^con_/)
  t.match(made.data, { version: 1, first_name: 'Ada', email: 'a@b.example', tags: [] })
  t.match(made.data, { created_by: all.author.id, created_at: '2026-05-01T00:00:00.000Z' })
  t.same(await records.get(all, 'contacts', id), made)
  world.nowMs += 1_000
  const patch = { email: null, address: { city: 'Köln' } }
  const changed = await records.patch(all, 'contacts', id, () => 1, patch)
  t.match(changed.data, { version: 2, address: { city: 'Köln' } })
  t.match(changed.data, { updated_at: '2026-05-01T00:00:01.000Z' })
  t.notOk('email' in changed.data)
  const same = await records.patch(all, 'contacts', id, () => 2, { first_name: 'Ada' })
  t.equal(same.data.version, 2, 'a patch that changes nothing is no version')
  await records.remove(all, 'contacts', id, () => 2)
  t.equal(await refusal(() => records.get(all, 'contacts', id)), 'not_found')
  t.equal(await refusal(() => records.patch(all, 'contacts', id, () => 3, {})), 'not_found')
  t.same((await records.list(all, 'contacts', query())).data, [])
})

t.test('each change records its author and access, and no value of a field', async (t) => {
  const { records, store } = open(t)
  const grantId = newAccessId('grant')
  const access = { ...all, grantId, requestId: 'req-1' }
  const { data } = await records.create(access, 'contacts', { first_name: 'Ada' })
  const held = await store.get(client, 'contacts', data.id)
  t.match(held?.record._m, { action: 'create', grantId, requestId: 'req-1', by: all.author })
  t.same(held?.record._m.changed, ['first_name', 'lifecycle_stage', 'tags'])
  await records.remove(access, 'contacts', data.id, () => 1)
  const tombstone = await store.get(client, 'contacts', data.id)
  t.match(tombstone?.record, { _m: { action: 'delete' }, version: 2 })
  t.same(tombstone?.record.fields, {}, 'personal data is not kept in it')
})

t.test('absent, foreign, hidden and malformed ids are refused in the same words', async (t) => {
  const { records } = open(t)
  const foreign = (await records.create(accessTo(other), 'contacts', { first_name: 'B' })).data.id
  const hidden = (
    await records.create(all, 'contacts', { email: 'a@b.example', lead_status: 'secret' })
  ).data.id
  const narrow = accessTo(client, [
    {
      area: 'contacts',
      actions: ['read', 'write', 'delete'],
      where: [{ field: 'lead_status', equals: ['open'] }],
    },
  ])
  const wrong = ['..', 'a..b', '*', '>', 'con_%2e', '\0', 'con_'.padEnd(2_000, '0'), 'CON_1', ' ']
  const ids = [newRecordId('contacts'), foreign, hidden, newRecordId('tasks'), ...wrong]
  const never = () => {
    throw new Error('If-Match was looked at')
  }
  const messages = new Set<string>()
  for (const id of ids) {
    messages.add(await message(() => records.get(narrow, 'contacts', id)))
    messages.add(await message(() => records.patch(narrow, 'contacts', id, never, {})))
    messages.add(await message(() => records.remove(narrow, 'contacts', id, never)))
  }
  t.equal(messages.size, 1, [...messages].join('; '))
})

t.test('what a permission does not include cannot be seen, queried or written', async (t) => {
  const { records } = open(t)
  const { id } = (
    await records.create(all, 'contacts', { first_name: 'Ada', email: 'a@b.example', source: 'x' })
  ).data
  const narrow = accessTo(client, [
    { area: 'contacts', actions: ['read', 'write'], fields: ['first_name', 'source'] },
  ])
  const { data } = await records.get(narrow, 'contacts', id)
  t.same(Object.keys(data).sort(), [
    'created_at',
    'first_name',
    'id',
    'source',
    'updated_at',
    'version',
  ])
  const refused = [
    () => records.list(narrow, 'contacts', query({ 'filter[email]': 'a@b.example' })),
    () => records.list(narrow, 'contacts', query({ sort: 'email' })),
    () => records.list(narrow, 'contacts', query({ fields: 'email' })),
    () => records.patch(narrow, 'contacts', id, () => 1, { email: 'x@y.example' }),
    () => records.create(narrow, 'contacts', { email: 'x@y.example' }),
  ]
  for (const call of refused) t.equal(await refusal(call), 'unknown_field')
  const hidden = await message(refused[3]!)
  const absent = await message(() => records.patch(narrow, 'contacts', id, () => 1, { nothing: 1 }))
  t.equal(hidden.replace('email', 'nothing'), absent, 'hidden and absent read the same')
  const some = await records.list(narrow, 'contacts', query({ fields: 'source' }))
  t.same(some.data, [{ id, source: 'x' }])
  const writeOnly = accessTo(client, [{ area: 'contacts', actions: ['write'] }])
  const changed = await records.patch(writeOnly, 'contacts', id, () => 1, { first_name: 'Eve' })
  t.notOk(
    'first_name' in changed.data,
    'without read access the answer only says that it was written',
  )
})

t.test('an action that is not granted is refused, whatever else is granted', async (t) => {
  const { records } = open(t)
  const reader = accessTo(client, [{ area: 'contacts', actions: ['read'] }])
  const none = accessTo(client, [])
  const id = newRecordId('contacts')
  const calls = [
    () => records.create(reader, 'contacts', {}),
    () => records.patch(reader, 'contacts', id, () => 1, {}),
    () => records.remove(reader, 'contacts', id, () => 1),
    () => records.list(none, 'contacts', query()),
    () => records.get(none, 'contacts', id),
    () => records.create(none, 'domains', {}),
  ]
  for (const call of calls) t.equal(await refusal(call), 'insufficient_scope')
})

t.test('conditions hold for lists, for what is written and for the result', async (t) => {
  const { records } = open(t)
  const narrow = accessTo(client, [
    {
      area: 'tasks',
      actions: ['read', 'write'],
      where: [{ field: 'status', equals: ['waiting', 'deferred'] }],
    },
  ])
  await records.create(all, 'tasks', { title: 'theirs', status: 'completed' })
  const mine = await records.create(narrow, 'tasks', { title: 'mine', status: 'waiting' })
  t.match((await records.list(narrow, 'tasks', query())).data, [{ title: 'mine' }])
  const out = { status: 'completed' }
  t.equal(
    await refusal(() => records.patch(narrow, 'tasks', mine.data.id, () => 1, out)),
    'validation_failed',
  )
  t.equal(await refusal(() => records.create(narrow, 'tasks', { title: 'x' })), 'validation_failed')
  const unjudged = accessTo(client, [
    { area: 'tasks', actions: ['read'], where: [{ field: 'title', equals: ['mine'] }] },
  ])
  t.same((await records.list(unjudged, 'tasks', query())).data, [])
  t.equal(await refusal(() => records.get(unjudged, 'tasks', mine.data.id)), 'not_found')
})

t.test('invalid bodies are refused with the kind of mistake', async (t) => {
  const { records } = open(t)
  const make = (body: unknown) => refusal(() => records.create(all, 'opportunities', body))
  for (const name of ['client_id', 'id', 'version', 'created_by', 'grant_id', '_m', 'deleted_at']) {
    t.equal(await make({ name: 'x', [name]: 1 }), 'unknown_field', name)
  }
  t.equal(await make({ name: 'x', last_stage_change_at: '2026-01-01T00:00:00Z' }), 'unknown_field')
  t.equal(await make({ name: 'x', amount: { value: 1, currency: 'EUR', vat: 1 } }), 'unknown_field')
  t.equal(await make({}), 'validation_failed')
  t.equal(await make({ name: 'x', probability: Infinity }), 'validation_failed')
  t.equal(await make({ name: 'x', probability: '5' }), 'validation_failed')
  t.equal(await make([]), 'bad_request')
  const texts = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`f${i}`, 'x'.repeat(9_000)]),
  )
  t.equal(await make({ name: 'x', custom_fields: texts }), 'too_large')
})

t.test('a dangling reference and one to a hidden record are answered alike', async (t) => {
  const { records, people } = open(t)
  const mine = (await records.create(all, 'contacts', { first_name: 'Ada' })).data.id
  const foreign = (await records.create(accessTo(other), 'contacts', { first_name: 'Ada' })).data.id
  const gone = (await records.create(all, 'contacts', { first_name: 'Ada' })).data.id
  await records.remove(all, 'contacts', gone, () => 1)
  const make = (contact_id: string) => () =>
    records.create(all, 'opportunities', { name: 'x', contact_id })
  const texts = new Set<string>()
  for (const id of [foreign, gone, newRecordId('contacts')]) {
    t.equal(await refusal(make(id)), 'validation_failed')
    texts.add(await message(make(id)))
  }
  t.equal(texts.size, 1)
  t.equal(await refusal(make(mine)), 'done')
  const noContacts = accessTo(client, [{ area: 'tasks', actions: ['read', 'write'] }])
  const task = { title: 'x', related: { area: 'contacts', id: mine } }
  t.equal(await refusal(() => records.create(all, 'tasks', task)), 'done')
  t.equal(await refusal(() => records.create(noContacts, 'tasks', task)), 'validation_failed')
  const owner_id = newAccessId('person')
  people.add(`${other}.${owner_id}`)
  const owned = () => records.create(all, 'contacts', { first_name: 'Ada', owner_id })
  t.equal(await refusal(owned), 'validation_failed')
  people.add(`${client}.${owner_id}`)
  t.equal(await refusal(owned), 'done')
})

t.test('a valid reference is kept, and only new ones are checked', async (t) => {
  const { records } = open(t)
  const contact = (await records.create(all, 'contacts', { first_name: 'Ada' })).data.id
  const made = await records.create(all, 'opportunities', { name: 'x', contact_id: contact })
  await records.remove(all, 'contacts', contact, () => 1)
  const { data } = await records.patch(all, 'opportunities', made.data.id, () => 1, { name: 'y' })
  t.match(data, { name: 'y', contact_id: contact })
})

t.test('read-only fields are derived from what is written', async (t) => {
  const { records, world } = open(t)
  const deal = (await records.create(all, 'opportunities', { name: 'x', stage_id: 'a' })).data
  world.nowMs += 60_000
  const patched = await records.patch(all, 'opportunities', deal.id, () => 1, { stage_id: 'b' })
  t.match(patched.data, {
    last_stage_change_at: '2026-05-01T00:01:00.000Z',
    last_status_change_at: '2026-05-01T00:00:00.000Z',
  })
  const task = (await records.create(all, 'tasks', { title: 'x', status: 'completed' })).data
  t.equal(task['completed_at'], '2026-05-01T00:01:00.000Z')
  const again = await records.patch(all, 'tasks', task.id, () => 1, { status: 'waiting' })
  t.notOk('completed_at' in again.data)
  const steps = ['completed', 'blocked'].map((status, i) => {
    return { key: `s${i}`, title: 'x', owner: 'client', status }
  })
  t.match((await records.create(all, 'onboarding', { name: 'x', steps })).data, { progress: 0.5 })
})

t.test('If-Match: another version is refused, and `*` is for staff', async (t) => {
  const { records } = open(t)
  const { id } = (await records.create(all, 'tasks', { title: 'x' })).data
  const patch = (access: typeof all, expected: number | '*') =>
    refusal(() => records.patch(access, 'tasks', id, () => expected, { title: 'y' }))
  t.equal(await patch(all, 2), 'precondition_failed')
  t.equal(await patch(all, '*'), 'forbidden')
  t.equal(await patch(staff, '*'), 'done')
})

t.test('of many writers of one version one wins', async (t) => {
  const { records } = open(t)
  const { id } = (await records.create(all, 'tasks', { title: 'x' })).data
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      refusal(() => records.patch(all, 'tasks', id, () => 1, { title: `by ${i}` })),
    ),
  )
  t.equal(outcomes.filter((outcome) => outcome === 'done').length, 1)
  t.equal(outcomes.filter((outcome) => outcome === 'precondition_failed').length, 7)
})

t.test('technical areas are changed elsewhere, and job areas cannot be written', async (t) => {
  const { records } = open(t)
  for (const area of ['projects', 'deployments', 'domains', 'monitoring'] as const) {
    t.equal(await refusal(() => records.create(all, area, {})), 'change_required', area)
    const id = newRecordId(area)
    t.equal(await refusal(() => records.patch(all, area, id, () => 1, {})), 'change_required')
    t.equal(await refusal(() => records.remove(all, area, id, () => 1)), 'change_required')
  }
  t.equal(await refusal(() => records.create(all, 'seo-audits', {})), 'method_not_allowed')
  t.equal(await refusal(() => records.create(all, 'reports', {})), 'method_not_allowed')
})

t.test('a stored value that names another client is an error and never returned', async (t) => {
  const { records, bucket, store } = open(t)
  const { id } = (await records.create(accessTo(other), 'tasks', { title: 'foreign' })).data
  const held = await store.get(other, 'tasks', id)
  await bucket.put(`${client}.tasks.${id}`, encode(held!.record))
  await t.rejects(records.get(all, 'tasks', id), { name: 'MisplacedRecord' })
  t.same((await records.list(all, 'tasks', query())).data, [])
})
