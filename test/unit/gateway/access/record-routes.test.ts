// Goal: records over HTTP: ETags and the preconditions of writes, pages with links, and a route for
// each area, described in /openapi.json. Method: a real server around the routes, a gate that
// admits one token.
import { recordReadOf, type RecordRead } from '../../../../runtime/access/audit/sources/reads.ts'
import t, { type Test } from 'tap'
import { noAccess, type AccessGate } from '../../../../gateway/access/gate/gate.ts'
import type { AccessCaller } from '../../../../gateway/routing/auth/access-caller.ts'
import { recordRoutes } from '../../../../gateway/access/records/routes.ts'
import { openApi } from '../../../../gateway/routing/openapi/document.ts'
import { areaKeys } from '../../../../proto/access/areas/areas.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { accessTo, recordsOn } from '../../../helpers/access/actors/records.ts'
import { serveRoutes } from '../../../helpers/gateway/own-routes.ts'

const gate: AccessGate = {
  ...noAccess,
  authenticate: async (_, { requestId }) => ({ keyId: 'tok_1', requestId }) as AccessCaller,
}
const json = { 'content-type': 'application/json' }

async function open(t: Test) {
  const { records, indexes } = recordsOn(new MemoryStore().bucket('records'))
  t.teardown(() => indexes.stop())
  const access = accessTo(newAccessId('client'))
  const reads: RecordRead[] = []
  const routes = recordRoutes({
    records,
    authorize: () => access,
    onRead: (read, area, ids) => void reads.push(recordReadOf(read, area, ids, 1)),
  })
  const { say } = await serveRoutes(t, routes, { access: gate })
  const make = (path: string, body: unknown) =>
    say('POST', path, { headers: json, body: JSON.stringify(body) })
  return { say, make, routes, reads }
}

t.test('a record is made, read, changed and deleted under its ETag', async (t) => {
  const { say, make } = await open(t)
  const made = await make('/v1/contacts', { first_name: 'Ada' })
  t.match(made, { status: 201, body: { data: { first_name: 'Ada', version: 1 } } })
  const path = made.headers.get('location') ?? ''
  t.match(path, /^\/v1\/contacts\/con_/)
  t.equal(made.headers.get('etag'), '"1"')
  const read = await say('GET', path, { headers: json })
  t.match(read, { status: 200, body: made.body })
  t.equal(read.headers.get('cache-control'), 'no-store')
  t.equal((await say('GET', path, { headers: { 'if-none-match': '"1"' } })).status, 304)
  const patch = (etag?: string) =>
    say('PATCH', path, {
      headers: {
        'content-type': 'application/merge-patch+json',
        ...(etag !== undefined && { 'if-match': etag }),
      },
      body: '{"first_name":null,"last_name":"Lovelace"}',
    })
  t.equal((await patch()).status, 428)
  t.equal((await patch('"2"')).status, 412)
  t.equal((await patch('W/"1"')).status, 412)
  t.equal((await patch('*')).status, 403)
  const changed = await patch('"1"')
  t.match(changed, { status: 200, body: { data: { last_name: 'Lovelace', version: 2 } } })
  t.equal(changed.headers.get('etag'), '"2"')
  t.equal((await say('DELETE', path, { headers: { 'if-match': '"1"' } })).status, 412)
  t.equal((await say('DELETE', path, { headers: { 'if-match': '"2"' } })).status, 204)
  t.equal((await say('GET', path)).status, 404)
})

t.test('a read is reported with its area and ids, without any content', async (t) => {
  const { say, make, reads } = await open(t)
  const { body } = await make('/v1/contacts', { first_name: 'Ada' })
  const { id } = (body as { readonly data: { readonly id: string } }).data
  await say('GET', `/v1/contacts/${id}`)
  await say('GET', '/v1/contacts?fields=first_name')
  await say('GET', `/v1/contacts/${id}x`)
  t.match(reads, [
    { area: 'contacts', ids: [id], count: 1 },
    { area: 'contacts', ids: [id], count: 1 },
  ])
  t.equal(reads.length, 2, 'what was refused is no read')
  t.notMatch(JSON.stringify(reads), 'Ada')
})

t.test('a page links to the next one', async (t) => {
  const { say, make } = await open(t)
  for (const title of ['a', 'b', 'c']) await make('/v1/tasks', { title })
  const first = await say('GET', '/v1/tasks?limit=2&sort=title')
  t.match(first.body, { data: [{ title: 'a' }, { title: 'b' }], page: { has_more: true } })
  const link = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const second = await say('GET', link)
  t.match(second.body, { data: [{ title: 'c' }], page: { has_more: false, next_cursor: null } })
  t.equal(second.headers.get('link'), null)
  t.match(await say('GET', `${link}x`), {
    status: 400,
    body: { error: { type: 'invalid_cursor' } },
  })
  t.equal((await say('GET', '/v1/tasks?filter[status]=waiting')).status, 200)
  t.equal((await say('GET', '/v1/tasks?limit=101')).status, 400)
})

t.test('invalid ids and unknown areas are 404', async (t) => {
  const { say } = await open(t)
  const paths = ['__proto__', 'constructor', 'Contacts', 'contacts/%2e%2e', 'contacts/a..b']
  for (const path of [...paths, `contacts/${newRecordId('tasks')}`, 'contacts/%00', 'contacts/*']) {
    t.equal((await say('GET', `/v1/${path}`)).status, 404, path)
  }
})

t.test('technical areas name their managed change; a broken body names its fault', async (t) => {
  const { say, make } = await open(t)
  t.match(await make('/v1/domains', {}), {
    status: 409,
    body: { error: { type: 'change_required' } },
  })
  const id = newRecordId('domains')
  t.equal((await say('DELETE', `/v1/domains/${id}`)).status, 409)
  t.equal((await say('PUT', `/v1/contacts/${newRecordId('contacts')}`)).status, 405)
  t.match(await make('/v1/tasks', { title: 'x', version: 7 }), {
    status: 400,
    body: { error: { type: 'unknown_field', field: 'version' } },
  })
  t.match(await make('/v1/tasks', { title: 'x', due_at: 'soon' }), {
    status: 422,
    body: { error: { type: 'validation_failed', fields: ['/due_at'] } },
  })
})

t.test(
  'openapi.json describes every area: its fields, and the fields that can be filtered by',
  async (t) => {
    const { routes } = await open(t)
    const text = JSON.stringify(openApi(routes, 'http://localhost'))
    for (const area of areaKeys) {
      t.match(text, `"/v1/${area}"`)
      t.match(text, `"/v1/${area}/{id}"`)
    }
    t.match(text, '"lifecycle_stage"')
    t.match(text, '"filter[lifecycle_stage]"')
  },
)
