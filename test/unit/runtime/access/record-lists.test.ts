// Goal: a list with any sort, filter and page equals sorting and filtering all records, and a
// cursor is valid for its own list only. Method: random records against a naive model; every single
// edit of a cursor.
import fc from 'fast-check'
import t from 'tap'
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { Cursors, type ListIdentity } from '../../../../runtime/access/records/index/cursor.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import {
  accessTo,
  cursorSecret,
  query,
  recordsOn,
  refusal,
} from '../../../helpers/access/actors/records.ts'

const client = newAccessId('client')

const body = fc.record(
  {
    name: fc.constantFrom('a', 'B', 'b', 'ä', 'Z', 'a b'),
    status: fc.constantFrom('open', 'won', 'lost'),
    probability: fc.integer({ min: 0, max: 3 }),
    stage_id: fc.constantFrom('one', 'two'),
    tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
  },
  { requiredKeys: ['name', 'status', 'tags'] },
)
const asked = fc.record({
  sort: fc.constantFrom('name', 'probability', 'created_at', 'updated_at'),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 4 }),
  status: fc.option(fc.constantFrom('open', 'won,lost', 'abandoned'), { nil: undefined }),
  tags: fc.option(fc.constantFrom('x', 'y,z'), { nil: undefined }),
})

type Made = Readonly<Record<string, unknown>> & { readonly id: string; readonly version: number }

t.test('every list equals that of a naive model, through all its pages', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { maxLength: 14 }),
      fc.array(asked, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat({ max: 13 }), { maxLength: 4 }),
      async (bodies, lists, touched) => {
        const world = recordsOn(new MemoryStore().bucket('records'))
        const access = accessTo(client)
        const made: Made[] = []
        for (const one of bodies) {
          world.nowMs += made.length % 2
          made.push((await world.records.create(access, 'opportunities', one)).data)
        }
        // Once before the changes, so that the sort orders exist and have to be maintained.
        for (const list of lists) await pages(world, list)
        for (const nth of touched) {
          const known = made[nth]
          if (!known) continue
          world.nowMs++
          if (nth % 3 === 0) {
            await world.records.remove(access, 'opportunities', known.id, () => known.version)
            made.splice(nth, 1)
          } else {
            const patch = { name: 'moved', probability: null, tags: ['z'] }
            const version = () => known.version
            const next = await world.records.patch(
              access,
              'opportunities',
              known.id,
              version,
              patch,
            )
            made[nth] = next.data
          }
        }
        for (const list of lists) t.same(await pages(world, list), naive(made, list))
        world.indexes.stop()
      },
    ),
    { numRuns: 60 },
  )
})

type Asked = typeof asked extends fc.Arbitrary<infer A> ? A : never

async function pages({ records }: ReturnType<typeof recordsOn>, list: Asked): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { data, page } = await records.list(
      accessTo(client),
      'opportunities',
      query({
        sort: `${list.descending ? '-' : ''}${list.sort}`,
        limit: `${list.limit}`,
        ...(list.status !== undefined && { 'filter[status]': list.status }),
        ...(list.tags !== undefined && { 'filter[tags]': list.tags }),
        ...(cursor !== '' && { cursor }),
      }),
    )
    ids.push(...data.map(({ id }) => String(id)))
    cursor = page.next_cursor
  }
  return ids
}

function naive(made: readonly Made[], { sort, descending, status, tags }: Asked): string[] {
  const isIn = (wanted: string | undefined, values: readonly unknown[]) =>
    wanted === undefined || values.some((value) => wanted.split(',').includes(String(value)))
  const found = made.filter(
    (record) => isIn(status, [record['status']]) && isIn(tags, [record['tags']].flat()),
  )
  const sorted = found.toSorted((a, b) => before(a[sort], b[sort]) || before(a.id, b.id))
  return (descending ? sorted.reverse() : sorted).map(({ id }) => id)
}

function before(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined) return -1
  if (b === undefined) return 1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : 1
}

t.test('a cursor edited anywhere, cut or extended is refused with one text', async (t) => {
  const cursors = new Cursors(cursorSecret)
  const list: ListIdentity = { client, area: 'tasks', sort: 'title', digest: 'd' }
  const position = { value: 'Ärger', id: 'wrk_1' }
  const text = cursors.write(list, position)
  t.same(cursors.read(list, text), position)
  const edited = [...text].map((letter, i) => {
    return `${text.slice(0, i)}${letter === 'A' ? 'B' : 'A'}${text.slice(i + 1)}`
  })
  const wrong = [...edited, text.slice(1), text.slice(0, -1), `${text}A`, `${text}=`, '', '§', 'A']
  const messages = new Set<string>()
  for (const one of wrong) {
    try {
      cursors.read(list, one)
      t.fail(`${one} was taken`)
    } catch (error) {
      t.match(error, { type: 'invalid_cursor', status: 400 })
      messages.add((error as Error).message)
    }
  }
  t.equal(messages.size, 1)
})

t.test('a cursor of another client, area, sort, filter or secret is refused', async (t) => {
  const cursors = new Cursors(cursorSecret)
  const list: ListIdentity = { client, area: 'tasks', sort: 'title', digest: 'd' }
  const text = cursors.write(list, { value: undefined, id: 'wrk_1' })
  t.same(cursors.read(list, text), { value: undefined, id: 'wrk_1' })
  const others: readonly ListIdentity[] = [
    { ...list, client: newAccessId('client') },
    { ...list, area: 'contacts' },
    { ...list, sort: '-title' },
    { ...list, digest: 'e' },
  ]
  for (const other of others)
    t.equal(await refusal(() => cursors.read(other, text)), 'invalid_cursor')
  const stranger = new Cursors(() => '8'.repeat(32))
  t.equal(await refusal(() => stranger.read(list, text)), 'invalid_cursor')
})

t.test('paging continues at its place although its last record is gone', async (t) => {
  const { records, indexes } = recordsOn(new MemoryStore().bucket('records'))
  t.teardown(() => indexes.stop())
  const access = accessTo(client)
  for (const title of ['a', 'b', 'c']) await records.create(access, 'tasks', { title })
  const first = await records.list(access, 'tasks', query({ sort: 'title', limit: '2' }))
  await records.remove(access, 'tasks', String(first.data[1]!['id']), () => 1)
  const cursor = first.page.next_cursor ?? ''
  const next = await records.list(access, 'tasks', query({ sort: 'title', limit: '2', cursor }))
  t.match(next, { data: [{ title: 'c' }], page: { has_more: false, next_cursor: null } })
})

t.test('invalid queries are refused with the reason', async (t) => {
  const { records, indexes } = recordsOn(new MemoryStore().bucket('records'))
  t.teardown(() => indexes.stop())
  const list = (text: string) => records.list(accessTo(client), 'tasks', new URLSearchParams(text))
  for (const limit of ['0', '-1', '101', '1e1', '', '25.0', ' 5']) {
    t.equal(await refusal(() => list(`limit=${encodeURIComponent(limit)}`)), 'bad_request', limit)
  }
  t.equal(await refusal(() => list('sort=body')), 'unknown_field')
  t.equal(await refusal(() => list('filter[title]=a')), 'unknown_field')
  t.equal(await refusal(() => list('filter[__proto__]=a')), 'unknown_field')
  t.equal(await refusal(() => list('fields=nothing')), 'unknown_field')
  t.equal(await refusal(() => list('updated_since=yesterday')), 'bad_request')
  t.equal(await refusal(() => list('limit=1&limit=2')), 'bad_request')
  t.equal(await refusal(() => list('client_id=cli_1')), 'bad_request')
})

t.test('a filter value that a field never has is refused, with the values there are', async (t) => {
  const { records, indexes } = recordsOn(new MemoryStore().bucket('records'))
  t.teardown(() => indexes.stop())
  const list = (area: AreaKey, text: string) =>
    records.list(accessTo(client), area, new URLSearchParams(text))
  const message = async (area: AreaKey, text: string) =>
    list(area, text).then(
      () => 'listed',
      (error: unknown) => (error instanceof ServiceError ? error.message : String(error)),
    )
  const statuses = 'not_started, in_progress, waiting, completed, deferred, cancelled'
  const none = `filter[status] has no value "nope"; the values are: ${statuses}.`
  t.equal(await message('tasks', 'filter[status]=nope'), none)
  t.equal(await message('tasks', 'filter[status]=waiting,nope'), none)
  t.match(await message('domains', 'filter[auto_renew]=yes'), 'the values are: true, false')
  t.match(await message('reports', 'filter[audience_areas]=nope'), 'the values are: contacts, ')
  t.equal(await message('tasks', 'filter[status]=waiting,completed'), 'listed')
  t.equal(await message('contacts', 'filter[tags]=anything'), 'listed')
})

t.test('lists take ranges of numbers, days and times, and sort by rank', async (t) => {
  const world = recordsOn(new MemoryStore().bucket('records'))
  t.teardown(() => world.indexes.stop())
  const access = accessTo(client)
  const tasks = [
    { title: 'a', priority: 'medium', due_at: '2026-12-01T00:00:00Z' },
    { title: 'b', priority: 'high', due_at: '2026-12-31T23:30:00Z' },
    { title: 'c', priority: 'low' },
    { title: 'd', priority: 'high', due_at: '2027-01-01T00:00:00Z' },
  ]
  for (const one of tasks) {
    await world.records.create(access, 'tasks', one)
    world.nowMs += 60_000
  }
  for (const probability of [5, 40, 100]) {
    const fields = { name: `${probability}`, probability, expected_close_on: '2026-12-31' }
    await world.records.create(access, 'opportunities', fields)
  }
  const list = async (area: AreaKey, text: string) => {
    const { data } = await world.records.list(access, area, new URLSearchParams(text))
    return data.map((one) => one['title'] ?? one['name'])
  }
  t.same(await list('tasks', 'sort=due_at&filter[due_at][lte]=2026-12-31'), ['a', 'b'])
  t.same(await list('tasks', 'filter[due_at][gte]=2026-12-31T23:30:01Z'), ['d'])
  t.same(await list('tasks', 'sort=due_at&filter[due_at][gte]=2020-01-01'), ['a', 'b', 'd'])
  const created = new Date(world.nowMs - 2 * 60_000).toISOString()
  t.same(await list('tasks', `sort=title&filter[created_at][gte]=${created}`), ['c', 'd'])
  const between = 'filter[probability][gte]=5.5&filter[probability][lte]=99'
  t.same(await list('opportunities', between), ['40'])
  t.same(await list('opportunities', 'filter[expected_close_on][gte]=2027-01-01'), [])
  t.same(await list('tasks', 'sort=priority').then((all) => all[0]), 'c')
  const ranked = await list('tasks', 'sort=-priority')
  t.same(
    [ranked.slice(0, 2).toSorted(), ranked.slice(2)],
    [
      ['b', 'd'],
      ['a', 'c'],
    ],
  )

  const path = 'sort=priority&limit=2&filter[due_at][gte]=2020-01-01'
  const first = await world.records.list(access, 'tasks', new URLSearchParams(path))
  const cursor = `&cursor=${first.page.next_cursor}`
  t.equal((await list('tasks', path + cursor)).length, 1)
  for (const wrong of [
    `${path.replace('2020', '2021')}${cursor}`,
    'filter[due_at][gte]=soon',
    'filter[due_at][from]=2026-12-31',
    'filter[probability][gte]=5',
    'filter[status][gte]=waiting',
  ]) {
    t.match(await refusal(() => list('tasks', wrong)), /invalid_cursor|bad_request|unknown_field/)
  }
  const narrow = accessTo(client, [{ area: 'tasks', actions: ['read'], fields: ['title'] }])
  const hidden = query({ 'filter[due_at][gte]': '2020-01-01' })
  t.equal(await refusal(() => world.records.list(narrow, 'tasks', hidden)), 'unknown_field')
})

t.test('a contact needs something to know it by', async (t) => {
  const { records, indexes } = recordsOn(new MemoryStore().bucket('records'))
  t.teardown(() => indexes.stop())
  const access = accessTo(client)
  for (const fields of [{}, { tags: ['vip'] }, { first_name: null }]) {
    await t.rejects(records.create(access, 'contacts', fields), {
      type: 'validation_failed',
      message: /at least one of the fields first_name, last_name, email, phone, company_name/,
    })
  }
  const { data } = await records.create(access, 'contacts', { email: 'ada@example.com' })
  const patch = (fields: object) => records.patch(access, 'contacts', data.id, () => 1, fields)
  t.equal(await refusal(() => patch({ email: null })), 'validation_failed')
  await patch({ email: null, phone: '+15550100' })
})

t.test('updated_since gives the records changed since then', async (t) => {
  const world = recordsOn(new MemoryStore().bucket('records'))
  t.teardown(() => world.indexes.stop())
  const access = accessTo(client)
  await world.records.create(access, 'tasks', { title: 'old' })
  world.nowMs += 60_000
  await world.records.create(access, 'tasks', { title: 'new' })
  const since = new Date(world.nowMs).toISOString()
  const { data } = await world.records.list(access, 'tasks', query({ updated_since: since }))
  t.match(data, [{ title: 'new' }])
  t.equal(data.length, 1)
})
