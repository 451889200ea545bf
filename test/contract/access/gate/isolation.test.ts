/**
 * Goal: for one client the objects of another do not exist: not by their ids, not where a request
 * names them, and no refusal reveals them. Method: as A, with ids of its twin B, each beside an id
 * that does not exist; both answers have to be byte-identical.
 */
import t, { type Test } from 'tap'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { dataOf, errorOf, withoutRequestId, type Asked } from '../../../helpers/access/asking.ts'
import { makePerson } from '../../../helpers/access/people.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const { ask, a, b, ada, insider } = await openWorld(t)

let token = a.owner.token
/** A new owner of A for each test: the requests per minute of one person are limited. */
t.beforeEach(async () => {
  const email = `${newAccessId('person')}@a.example`
  const invited = { tenant: a.id, email, roles: ['owner'], by: ada.author } as const
  token = (await makePerson(insider.directory, invited)).token
  await until('the gateway knows them', async () => {
    return (await ask('GET', '/v1/me', { token })).status === 200
  })
})
const reason = 'as a test of isolation'
const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const changeOf = (client: string, need: string, more: object = {}) => ({
  ...{ client_id: client, need_id: need, kind: 'other', title: 'A change of one of them' },
  ...{ impact: 'Nobody notices it.', test_plan: 'There is nothing to test.' },
  ...{ rollback_plan: 'There is no way back.', ...more },
})
const changeOfB = dataOf(
  await ask('POST', '/v1/changes', { token: b.owner.token, body: changeOf(b.id, b.need) }),
).id

/** B's ids, and ids of the same kind that do not exist. */
const things = [
  ['/v1/clients', b.id, newAccessId('client')],
  ['/v1/service-scopes', b.scope, newAccessId('scope')],
  ['/v1/needs', b.need, newAccessId('need')],
  ['/v1/access-requests', b.reader.request, newAccessId('request')],
  ['/v1/grants', b.reader.id, newAccessId('grant')],
  ['/v1/members', b.member.id, newAccessId('person')],
  ['/v1/changes', changeOfB, newAccessId('change')],
] as const

async function alike(t: Test, method: string, paths: readonly string[], asked: Asked = {}) {
  const [other, unknown] = await Promise.all(
    paths.map((path) => ask(method, path, { token, ...asked })),
  )
  t.equal(other?.status, 404, `${method} ${paths[0]}`)
  t.equal(withoutRequestId(other!), withoutRequestId(unknown!))
  return other!
}

t.test('reading: another client’s id is answered like one that does not exist', async (t) => {
  for (const [path, other, unknown] of things) {
    await alike(t, 'GET', [`${path}/${other}`, `${path}/${unknown}`])
  }
  await alike(t, 'GET', [
    `/v1/grants/${b.all.id}/tokens`,
    `/v1/grants/${newAccessId('grant')}/tokens`,
  ])
})

t.test('changing: 404 comes before any check of If-Match', async (t) => {
  const verbs = [
    ['PATCH', '/v1/needs', '', { title: 'Another title' }, b.need, newAccessId('need')],
    ['POST', '/v1/needs', '/close', { reason }, b.need, newAccessId('need')],
    ['POST', '/v1/grants', '/revoke', { reason }, b.all.id, newAccessId('grant')],
    ['POST', '/v1/access-requests', '/withdraw', undefined, b.all.request, newAccessId('request')],
    ['POST', '/v1/members', '/remove', { reason }, b.member.id, newAccessId('person')],
    ['PATCH', '/v1/changes', '', { title: 'Another title' }, changeOfB, newAccessId('change')],
    ['POST', '/v1/changes', '/propose', undefined, changeOfB, newAccessId('change')],
    ['POST', '/v1/changes', '/cancel', { reason }, changeOfB, newAccessId('change')],
    ['POST', '/v1/members', '/reinvite', undefined, b.member.id, newAccessId('person')],
  ] as const
  for (const [method, path, verb, body, other, unknown] of verbs) {
    const paths = [other, unknown].map((id) => `${path}/${id}${verb}`)
    for (const seen of [undefined, 1, 99] as const) {
      await alike(t, method, paths, { ...(body && { body }), ...(seen && { seen }) })
    }
  }
  const tokens = [b.all.tokenId, newAccessId('token')]
  await alike(
    t,
    'DELETE',
    tokens.map((id) => `/v1/tokens/${id}`),
  )
  await alike(
    t,
    'POST',
    tokens.map((id) => `/v1/tokens/${id}/rotate`),
  )
})

t.test('an ETag of A’s does not match an object of B’s: 404, never 304', async (t) => {
  const own = await ask('GET', `/v1/needs/${a.need}`, { token })
  const etag = own.headers.get('etag') ?? ''
  const asked = { headers: { 'if-none-match': etag } }
  t.equal((await ask('GET', `/v1/needs/${a.need}`, { token, ...asked })).status, 304)
  await alike(t, 'GET', [`/v1/needs/${b.need}`, `/v1/needs/${newAccessId('need')}`], asked)
})

const needOf = (client: string, owner: string) => ({
  ...{ client_id: client, title: 'A need of A', purpose: 'To see whom a need may name.' },
  ...{ category: 'support', reference: { kind: 'ticket', id: 'T-9' }, owner_id: owner },
  expected_end_at: soon(3),
})
const requestOf = (more: object) => ({
  ...{ client_id: a.id, scope_id: a.scope, need_id: a.need, ends_at: soon(2) },
  subject: { kind: 'integration', id: 'other' },
  permissions: [{ area: 'tasks', actions: ['read'] }],
  justification: 'To see what a request may name.',
  ...more,
})

t.test(
  'a body may only name objects of its client: 422, in the words for ids that do not exist',
  async (t) => {
    const person = (id: string) => ({ subject: { kind: 'person', id } })
    const bodies = [
      ['/v1/needs', needOf(a.id, b.owner.id), needOf(a.id, newAccessId('person'))],
      ['/v1/changes', changeOf(a.id, b.need), changeOf(a.id, newAccessId('need'))],
      [
        '/v1/changes',
        changeOf(a.id, a.need, { implementer_id: b.member.id }),
        changeOf(a.id, a.need, { implementer_id: newAccessId('person') }),
      ],
      ['/v1/access-requests', { scope_id: b.scope }, { scope_id: newAccessId('scope') }],
      ['/v1/access-requests', { need_id: b.need }, { need_id: newAccessId('need') }],
      ['/v1/access-requests', person(b.member.id), person(newAccessId('person'))],
      [
        ...(['/v1/access-requests', { renews_grant_id: b.all.id }] as const),
        { renews_grant_id: newAccessId('grant') },
      ],
    ] as const
    for (const [path, ...pair] of bodies) {
      // Staff see both clients, but an object of A must not refer to one of B for them either.
      for (const who of [token, ada.token]) {
        const [other, unknown] = await Promise.all(
          pair.map((body) =>
            ask('POST', path, {
              ...{ token: who },
              body: path === '/v1/access-requests' ? requestOf(body) : body,
            }),
          ),
        )
        t.match(errorOf(other!), { code: 422, type: 'validation_failed' }, JSON.stringify(pair[0]))
        t.equal(withoutRequestId(other!), withoutRequestId(unknown!))
      }
    }
  },
)

t.test('client_id of B: refused in a body, empty in a list, ignored in a header', async (t) => {
  const body = { ...needOf(b.id, a.owner.id) }
  t.equal((await ask('POST', '/v1/needs', { token, body })).status, 404)
  t.equal(
    (await ask('POST', '/v1/access-requests', { token, body: requestOf({ client_id: b.id }) }))
      .status,
    400,
  )
  const invited = { client_id: b.id, email: 'new@a.example', name: 'New' }
  t.equal((await ask('POST', '/v1/members', { token, body: invited })).status, 400)
  const change = changeOf(b.id, a.need)
  t.equal((await ask('POST', '/v1/changes', { token, body: change })).status, 400)
  const patch = { title: 'Another title', client_id: b.id }
  const patched = await ask('PATCH', `/v1/needs/${a.need}`, { token, seen: 1, body: patch })
  t.match(errorOf(patched), { code: 400, type: 'unknown_field' })
  for (const [path] of things) {
    const list = await ask('GET', `${path}?client_id=${b.id}`, { token })
    t.same(dataOf(list), [], path)
  }
  const headers = { 'x-client-id': b.id, 'client-id': b.id }
  t.match((await ask('GET', '/v1/clients', { token, headers })).text, a.id)
})

t.test(
  'an Idempotency-Key of B’s, used by A: A’s request runs, B’s answer is not shown',
  async (t) => {
    const headers = { 'idempotency-key': 'the-same-key' }
    const make = (twin: typeof a) =>
      ask('POST', '/v1/needs', {
        ...{ token: twin.owner.token, headers },
        body: needOf(twin.id, twin.owner.id),
      })
    const other = dataOf(await make(b))
    const own = await make(a)
    t.equal(own.headers.get('idempotent-replayed'), null)
    t.not(dataOf(own).id, other.id)
    t.match(dataOf(own), { client_id: a.id })
  },
)

t.test('a cursor is an id of this list; another kind of id or none is refused', async (t) => {
  for (const cursor of [b.owner.id, 'x', `${a.need}x`, a.need.toUpperCase(), '..', '%00']) {
    const answer = await ask('GET', `/v1/needs?cursor=${cursor}`, { token })
    t.match(errorOf(answer), { code: 400, type: 'invalid_cursor' }, cursor)
  }
  const list = await ask('GET', `/v1/needs?cursor=${b.need}`, { token })
  t.notMatch(list.text, b.need)
})
