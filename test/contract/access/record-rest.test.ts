/**
 * Goal: over REST, with real tokens, records are read and written within the grant and once for
 * each Idempotency-Key; nothing of another client can be used; and texts that would run in a page
 * come back as text. Method: two clients, each with a grant of everything, and some narrower ones.
 */
import t, { type Test } from 'tap'
import type { Permission } from '../../../proto/access/permissions.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { dataOf, errorOf, withoutRequestId, type Heard } from '../../helpers/access/asking.ts'
import { grantTo, mint, type Granted } from '../../helpers/access/clients.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { ask, a, b, deciders, insider } = await openWorld(t)
/** Everything of A. A new token for each test: the requests per minute of one are limited. */
let all = a.all
let { token } = all
t.beforeEach(async () => {
  all = { ...all, ...(await mint(insider.directory, a.all.id, deciders.first)) }
  token = all.token
  await known(all)
})

type Json = Readonly<Record<string, unknown>> & { readonly id: string; readonly version: number }
interface PageJson {
  readonly data: readonly Json[]
  readonly page: { readonly next_cursor: string | null }
}
const pageOf = ({ body }: Heard) => body as PageJson

async function grantOf(...permissions: readonly Permission[]): Promise<Granted> {
  const granted = await grantTo(insider.directory, a, deciders, { permissions })
  await known(granted)
  return granted
}

const known = ({ token }: Pick<Granted, 'token'>) =>
  until('the gateway knows it', async () => {
    return (await ask('GET', '/v1/access', { token })).status === 200
  })

const make = async (of: Granted, area: string, body: object) =>
  dataOf<Json>(await ask('POST', `/v1/${area}`, { token: of.token, body }))

const refused = (t: Test, answer: Heard, code: number, type: string, what: string) =>
  t.match(errorOf(answer), { code, type }, what)

t.test(
  'technical areas: 409 for those who may read, 403 for others, with or without If-Match',
  async (t) => {
    const areas = ['domains', 'deployments', 'projects', 'monitoring'] as const
    for (const area of areas) {
      const one = `/v1/${area}/${newRecordId(area)}`
      const writes = [
        ['POST', `/v1/${area}`, { body: {} }],
        ['PATCH', one, { body: {} }],
        ['PATCH', one, { body: {}, seen: 1 }],
        ['DELETE', one, {}],
        ['DELETE', one, { seen: 1 }],
      ] as const
      for (const [method, path, asked] of writes) {
        const what = `${method} ${area}`
        refused(t, await ask(method, path, { token, ...asked }), 409, 'change_required', what)
        const elsewhere = await ask(method, path, { token: a.elsewhere.token, ...asked })
        refused(t, elsewhere, 403, 'insufficient_scope', `${what} without a grant of it`)
      }
      t.equal((await ask('PUT', one, { token, body: {} })).status, 405, `PUT ${area}`)
    }
  },
)

t.test('a field outside the grant is treated as a field that does not exist', async (t) => {
  const fields = ['first_name', 'email']
  const narrow = await grantOf({ area: 'contacts', actions: ['read', 'write'], fields })
  const { id } = await make(all, 'contacts', {
    ...{ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@lovelace.example' },
    ...{ company_name: 'Engines', phone: '+15550100' },
  })
  const say = (method: string, path: string, body?: object) =>
    ask(method, path, { token: narrow.token, ...(body && { body }), ...(body && { seen: 1 }) })
  const hidden = ['last_name', 'company_name', 'phone']
  for (const read of [`/v1/contacts/${id}`, '/v1/contacts', '/v1/contacts?fields=email']) {
    const answer = await say('GET', read)
    t.equal(answer.status, 200, answer.text)
    t.match(answer.text, 'ada@lovelace.example')
    for (const name of [...hidden, 'Lovelace', 'Engines', '+15550100', 'created_by']) {
      t.notOk(answer.text.includes(name), `${name} is not in ${read}`)
    }
  }
  const queries = [
    ['fields=last_name', 'fields=no_such'],
    ['fields=email,created_by', 'fields=email,no_such'],
    ['filter[company_name]=Engines', 'filter[no_such]=Engines'],
    ['sort=last_name', 'sort=no_such'],
    ['sort=-company_name', 'sort=-no_such'],
  ] as const
  const alike = (one: Heard, other: Heard, name: string) =>
    t.equal(withoutRequestId(one).replaceAll(name, 'no_such'), withoutRequestId(other), name)
  for (const [outside, never] of queries) {
    const answer = await say('GET', `/v1/contacts?${outside}`)
    refused(t, answer, 400, 'unknown_field', outside)
    const name = `${errorOf(answer)['field']}`
    alike(answer, await say('GET', `/v1/contacts?${never}`), name)
  }
  for (const name of hidden) {
    for (const [method, path] of [
      ['PATCH', `/v1/contacts/${id}`],
      ['POST', '/v1/contacts'],
    ] as const) {
      const answer = await say(method, path, { first_name: 'Eve', [name]: 'x' })
      refused(t, answer, 400, 'unknown_field', `${method} ${name}`)
      alike(answer, await say(method, path, { first_name: 'Eve', no_such: 'x' }), name)
    }
  }
  const changed = dataOf<Json>(await say('PATCH', `/v1/contacts/${id}`, { first_name: 'Eve' }))
  t.equal(changed.version, 2, 'nothing that was refused was written')
  t.notOk('last_name' in changed)
  const whole = dataOf<Json>(await ask('GET', `/v1/contacts/${id}`, { token }))
  t.match(whole, { first_name: 'Eve', last_name: 'Lovelace', phone: '+15550100' })
})

t.test('records outside a condition appear in no list and by no id, nor in writes', async (t) => {
  const where = [{ field: 'status', equals: ['waiting'] }]
  const narrow = await grantOf({ area: 'tasks', actions: ['read', 'write', 'delete'], where })
  const seen = await make(all, 'tasks', { title: 'Seen', status: 'waiting' })
  const { id } = await make(all, 'tasks', { title: 'Unseen', status: 'completed' })
  const list = pageOf(await ask('GET', '/v1/tasks', { token: narrow.token }))
  t.same(
    list.data.map((one) => one.id),
    [seen.id],
  )
  const unknown = newRecordId('tasks')
  for (const [method, more] of [
    ['GET', {}],
    ['PATCH', { body: { title: 'x' } }],
    ['DELETE', {}],
  ] as const) {
    const [hidden, never] = await Promise.all(
      [id, unknown].map((one) => ask(method, `/v1/tasks/${one}`, { token: narrow.token, ...more })),
    )
    t.equal(hidden!.status, 404, method)
    t.equal(withoutRequestId(hidden!), withoutRequestId(never!))
  }
  const body = { title: 'Out', status: 'completed' }
  const made = await ask('POST', '/v1/tasks', { token: narrow.token, body })
  refused(t, made, 422, 'validation_failed', 'nothing is written that is not seen')
})

t.test('Idempotency-Key: the same answer again, and one record', async (t) => {
  const count = async () => {
    const page = pageOf(await ask('GET', '/v1/tasks?filter[status]=deferred', { token }))
    return page.data.length
  }
  const task = (key: string, title = 'Once') =>
    ask('POST', '/v1/tasks', {
      ...{ token, headers: { 'idempotency-key': key } },
      body: { title, status: 'deferred' },
    })
  const first = await task('key-1')
  const again = await task('key-1')
  t.same([first.status, again.status], [201, 201])
  t.equal(again.text, first.text)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.equal(await count(), 1)
  refused(t, await task('key-1', 'Another'), 422, 'idempotency_key_reused', 'another body')

  const parallel = await Promise.all(Array.from({ length: 8 }, () => task('key-2')))
  const made = parallel.filter(({ status }) => status === 201)
  t.ok(made.length >= 1)
  t.equal(new Set(made.map((answer) => dataOf(answer).id)).size, 1)
  for (const answer of parallel.filter(({ status }) => status !== 201)) {
    refused(t, answer, 409, 'idempotency_in_progress', 'while the first is under way')
  }
  t.equal(await count(), 2)

  const other = await ask('POST', '/v1/tasks', {
    ...{ token: b.all.token, headers: { 'idempotency-key': 'key-1' } },
    body: { title: 'Once', status: 'deferred' },
  })
  t.equal(other.headers.get('idempotent-replayed'), null, 'the key of another client is another')
  t.not(dataOf(other).id, dataOf(first).id)
})

t.test('Idempotency-Key: a secret is not shown again', async (t) => {
  const { id } = await grantOf({ area: 'tasks', actions: ['read'] })
  const mint = (name = 'once') =>
    ask('POST', `/v1/grants/${id}/tokens`, {
      ...{ token: a.owner.token, headers: { 'idempotency-key': 'mint-1' }, body: { name } },
    })
  const made = dataOf<{ readonly id: string; readonly secret: string }>(await mint())
  const again = await mint()
  refused(t, again, 409, 'secret_already_shown', 'sent again')
  t.equal(errorOf(again)['id'], made.id, 'what was made then')
  t.notOk(again.text.includes(made.secret))
  t.notOk(again.text.includes('spat_'))
  refused(t, await mint('another'), 422, 'idempotency_key_reused', 'another body')
  const list = await ask('GET', `/v1/grants/${id}/tokens`, { token: a.owner.token })
  t.equal(dataOf<readonly unknown[]>(list).length, 2, 'the first one of the grant, and this')
})

t.test('a cursor is valid for its client, filter and order only', async (t) => {
  for (const of of [all, b.all]) {
    for (const name of ['1', '2', '3']) await make(of, 'opportunities', { name })
  }
  const page = (of: Granted, query: string) =>
    ask('GET', `/v1/opportunities?limit=2${query}`, { token: of.token })
  const { next_cursor: own } = pageOf(await page(all, '')).page
  const { next_cursor: other } = pageOf(await page(b.all, '')).page
  t.equal(pageOf(await page(all, `&cursor=${own}`)).data.length, 1)
  const middle = own!.length >> 1
  const edited = own!.slice(0, middle) + (own![middle] === 'A' ? 'B' : 'A') + own!.slice(middle + 1)
  const bad = [
    ['of another client', `&cursor=${other}`],
    ['of another filter', `&cursor=${own}&filter[status]=open`],
    ['of another order', `&cursor=${own}&sort=name`],
    ['edited', `&cursor=${edited}`],
    ['cut', `&cursor=${own!.slice(0, -1)}`],
    ['longer', `&cursor=${own}A`],
    ['empty', '&cursor='],
  ] as const
  const texts = new Set<string>()
  for (const [what, query] of bad) {
    const answer = await page(all, query)
    refused(t, answer, 400, 'invalid_cursor', what)
    texts.add(withoutRequestId(answer))
  }
  t.equal(texts.size, 1, 'in one text')
  const elsewhere = await ask('GET', `/v1/contacts?limit=2&cursor=${own}`, { token })
  refused(t, elsewhere, 400, 'invalid_cursor', 'of another area')
})

t.test('an ETag of A’s does not match a record of B’s', async (t) => {
  const own = await make(all, 'contacts', { first_name: 'Ada' })
  const other = await make(b.all, 'contacts', { first_name: 'Ada' })
  const etag = { 'if-none-match': '"1"' }
  const read = (id: string) => ask('GET', `/v1/contacts/${id}`, { token, headers: etag })
  t.equal((await read(own.id)).status, 304)
  const [theirs, never] = [await read(other.id), await read(newRecordId('contacts'))]
  t.equal(theirs.status, 404)
  t.equal(withoutRequestId(theirs), withoutRequestId(never))
  for (const seen of [undefined, 1, 7] as const) {
    for (const method of ['PATCH', 'DELETE']) {
      const asked = { token, ...(method === 'PATCH' && { body: { first_name: 'Eve' } }) }
      const answer = await ask(method, `/v1/contacts/${other.id}`, {
        ...asked,
        ...(seen && { seen }),
      })
      t.equal(answer.status, 404, `${method}, If-Match ${seen}`)
    }
  }
  const refer = (contact: string) =>
    ask('POST', '/v1/opportunities', { token, body: { name: 'x', contact_id: contact } })
  const [foreign, unknown] = [await refer(other.id), await refer(newRecordId('contacts'))]
  refused(t, foreign, 422, 'validation_failed', 'a reference to it')
  t.equal(withoutRequestId(foreign), withoutRequestId(unknown))
})

const scripts = ['<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>']
const hostile = [...scripts, '\u202Egnp.exe\u202C', 'javascript:alert(1)', '=HYPERLINK("x")']

t.test('texts that would run in a page are stored and returned as JSON strings', async (t) => {
  for (const text of hostile) {
    const fields = {
      first_name: text,
      company_name: text,
      tags: [text],
      custom_fields: { x: text },
    }
    const made = await ask('POST', '/v1/contacts', { token, body: fields })
    t.match(dataOf<Json>(made), fields, text)
    const { id } = dataOf(made)
    const task = await make(all, 'tasks', { title: text, body: text })
    const reads = [`/v1/contacts/${id}`, '/v1/contacts?limit=1', `/v1/tasks/${task.id}`]
    for (const path of reads) {
      const answer = await ask('GET', path, { token, headers: { accept: 'text/html' } })
      t.equal(answer.headers.get('content-type'), 'application/json', path)
      t.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
      t.ok(answer.text.includes(JSON.stringify(text)), path)
    }
  }
})

t.test('a refusal that repeats the input is JSON too', async (t) => {
  const answer = await ask('GET', `/v1/contacts?fields=${encodeURIComponent(scripts[0]!)}`, {
    token,
  })
  refused(t, answer, 400, 'unknown_field', 'a field of such a name')
  t.equal(answer.headers.get('content-type'), 'application/json')
  t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
})

t.test('a URL must be http or https', async (t) => {
  const bad = [
    ...[
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      ' javascript:alert(1)',
      'java\tscript:alert(1)',
    ],
    ...['data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'ftp://a.example/', '//a.example/'],
  ]
  for (const website of bad) {
    const answer = await ask('POST', '/v1/contacts', { token, body: { website } })
    t.match(errorOf(answer), { type: 'validation_failed', fields: ['/website'] }, website)
  }
  const { website } = await make(all, 'contacts', {
    last_name: 'Bo',
    website: 'https://a.example/?q=<b>',
  })
  t.match(website, /^https:/)
})

t.test('the history of a record: versions, authors and changes, within the access', async (t) => {
  const made = await make(all, 'tasks', { title: 'Call Rosa', status: 'not_started' })
  const path = `/v1/tasks/${made.id}`
  const change = (seen: number, body: object) => ask('PATCH', path, { token, seen, body })
  t.equal((await change(1, { status: 'waiting', due_at: '2026-06-01T09:00:00.000Z' })).status, 200)
  t.equal((await change(2, { due_at: null })).status, 200)
  const [third, second, first, ...more] = dataOf<readonly Json[]>(
    await ask('GET', `${path}/history`, { token }),
  )
  t.same(more, [])
  t.match(first, { version: 1, action: 'create', by: String, at: String })
  t.notOk('changes' in first!, 'nothing was before')
  t.match(second, { version: 2, action: 'update' })
  const status = { field: 'status', from: 'not_started', to: 'waiting' }
  const changes = second!['changes'] as readonly { readonly field: string }[]
  t.match(
    changes.find(({ field }) => field === 'status'),
    status,
  )
  t.same(third!['changed_fields'], ['due_at'])
  t.notOk('to' in (third!['changes'] as readonly object[])[0]!, 'it was taken away')

  const narrow = await grantOf({ area: 'tasks', actions: ['read'], fields: ['title', 'due_at'] })
  const seen = await ask('GET', `${path}/history`, { token: narrow.token })
  t.notMatch(seen.text, /status|not_started|waiting|"by"/, 'what is hidden now was hidden then')
  const waiting = { field: 'status', equals: ['waiting'] }
  const where = await grantOf({ area: 'tasks', actions: ['read'], where: [waiting] })
  const shown = dataOf<readonly Json[]>(await ask('GET', `${path}/history`, { token: where.token }))
  t.same(
    shown.map(({ version }) => version),
    [3, 2],
    'a version that it would not have seen',
  )
  t.notOk('changes' in shown[1]!)

  const foreign = await ask('GET', `${path}/history`, { token: b.all.token })
  const unknown = await ask('GET', `/v1/tasks/${newRecordId('tasks')}/history`, {
    token: b.all.token,
  })
  t.match(errorOf(foreign), { code: 404 })
  t.equal(withoutRequestId(foreign), withoutRequestId(unknown))
  t.equal(
    (await ask('GET', `/v1/reports/${newRecordId('reports')}/history`, { token })).status,
    404,
  )
})

t.test('of a record that changes often the latest versions are kept', async (t) => {
  const made = await make(all, 'tasks', { title: 'Version 1' })
  const path = `/v1/tasks/${made.id}`
  for (let version = 1; version < 20; version++) {
    const body = { title: `Version ${version + 1}` }
    t.equal((await ask('PATCH', path, { token, seen: version, body })).status, 200)
  }
  const kept = dataOf<readonly Json[]>(await ask('GET', `${path}/history`, { token }))
  t.same([kept[0]!.version, kept.at(-1)!.version], [20, 5])
  t.match(kept.at(-1), { changed_fields: ['title'] })
  t.notOk('changes' in kept.at(-1)!, 'the one before is gone')
})

t.test('a filter says what it takes, and a contact what it needs', async (t) => {
  const list = (query: string) => ask('GET', `/v1/tasks?${query}`, { token })
  const unknown = await list('filter[status]=nope')
  refused(t, unknown, 400, 'bad_request', 'an unknown value')
  t.match(unknown.text, 'no value \\"nope\\"; the values are: not_started, in_progress')
  for (const [title, priority, due_at] of [
    ['Later', 'low', '2031-05-02T08:00:00Z'],
    ['Soon', 'high', '2031-05-01T22:00:00Z'],
  ]) {
    await make(all, 'tasks', { title, priority, due_at })
  }
  const titles = async (query: string) =>
    pageOf(await list(`filter[due_at][gte]=2031-01-01&${query}`)).data.map(({ title }) => title)
  t.same(await titles('sort=-priority'), ['Soon', 'Later'])
  t.same(await titles('sort=-due_at&filter[priority]=low,high'), ['Later', 'Soon'])
  t.same(await titles('filter[due_at][lte]=2031-05-01'), ['Soon'])
  const nobody = await ask('POST', '/v1/contacts', { token, body: { tags: ['vip'] } })
  refused(t, nobody, 422, 'validation_failed', 'a contact without a name')
  t.match(nobody.text, 'needs at least one of the fields first_name, last_name, email')
})
