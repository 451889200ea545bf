/**
 * Goal: a refusal is in the audit of the caller's own client, and so is a request for an object of
 * another client, without its id and without any entry in the other client's audit. Method:
 * refusals over REST, then the chains as the store has them.
 */
import t, { type Test } from 'tap'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import {
  dataOf,
  errorOf,
  withoutRequestId,
  type Asked,
  type EntityJson,
  type Heard,
} from '../../../helpers/access/asking.ts'
import { auditOf, entryOfRequest } from '../../../helpers/access/audit/audit.ts'
import { openWorld } from '../../../helpers/access/world.ts'

const { ask, a, b, ada, grace, insider, staff } = await openWorld(t)
const { store } = insider
const reviewer = await staff('reviewer')
const requests = '/v1/access-requests'

const requestIdOf = (answer: Heard): string => {
  const { request_id: requestId } = errorOf(answer)
  return typeof requestId === 'string' ? requestId : ''
}

async function submitted(by: { readonly token: string }, subject: object): Promise<EntityJson> {
  const body = {
    ...{ client_id: a.id, scope_id: a.scope, need_id: a.need, subject },
    ends_at: new Date(Date.now() + 86_400_000).toISOString(),
    permissions: [{ area: 'tasks', actions: ['read'] }],
    justification: 'To see that a refusal is in the audit.',
  }
  const { id } = dataOf(await ask('POST', requests, { token: by.token, body }))
  return dataOf(await ask('POST', `${requests}/${id}/submit`, { token: by.token, seen: 1 }))
}

const review = (by: { readonly token: string }, { id, version, digest }: EntityJson) =>
  ask('POST', `${requests}/${id}/reviews`, {
    ...{ token: by.token, seen: version },
    body: { decision: 'approve', reason: 'as a test of the audit', digest },
  })

t.test('a review by somebody who must not review is in the audit of the client', async (t) => {
  const own = await submitted(reviewer, { kind: 'integration', id: 'newsletter' })
  const about = await submitted(ada, { kind: 'person', id: grace.id })
  const refused = [
    ['self_review', reviewer, own, await review(reviewer, own)],
    ['self_review', grace, about, await review(grace, about)],
    ['not_a_reviewer', a.owner, about, await review(a.owner, about)],
  ] as const
  for (const [type, person, { id }, answer] of refused) {
    t.match(errorOf(answer), { code: 403, type })
    t.match(await entryOfRequest(store, a.id, requestIdOf(answer)), {
      ...{ client: a.id, object: { kind: 'request', id } },
      ...{ action: 'access.authorization_denied', owasp: 'authz_fail', outcome: 'denied' },
      ...{ reason: type, actor: { id: person.id }, route: `POST ${requests}/{id}/reviews` },
    })
  }
})

t.test('a refusal because of the caller’s role is in the audit too', async (t) => {
  const answer = await ask('POST', `${requests}/${a.reader.request}/reviews`, {
    ...{ token: a.member.token, seen: 1, body: {} },
  })
  t.match(errorOf(answer), { code: 403, type: 'forbidden' })
  t.match(await entryOfRequest(store, a.id, requestIdOf(answer)), {
    ...{ action: 'access.authorization_denied', reason: 'forbidden' },
    ...{ actor: { id: a.member.id }, route: `POST ${requests}/{id}/reviews` },
  })
})

t.test('a token that asks for more than it has is in the audit, with its grant', async (t) => {
  const { token, id: grantId, tokenId } = a.reader
  const answer = await ask('POST', '/v1/contacts', { token, body: { first_name: 'Ada' } })
  t.match(errorOf(answer), { code: 403, type: 'insufficient_scope' })
  t.match(await entryOfRequest(store, a.id, requestIdOf(answer)), {
    ...{ action: 'access.authorization_denied', reason: 'insufficient_scope' },
    ...{ actor: { kind: 'integration', id: grantId }, grantId, tokenId, needId: a.need },
    route: 'POST /v1/contacts',
  })
})

const record = dataOf(
  await ask('POST', '/v1/contacts', { token: b.all.token, body: { first_name: 'Ada' } }),
).id

/** Paths of B's objects, ids of the same kind that do not exist, and how A asks for them. */
const attempts: readonly (readonly [string, string, string, string, Asked])[] = [
  ['GET', '/v1/contacts/{id}', record, newRecordId('contacts'), {}],
  ['PATCH', '/v1/contacts/{id}', record, newRecordId('contacts'), { body: {}, seen: 1 }],
  ['DELETE', '/v1/contacts/{id}', record, newRecordId('contacts'), { seen: 1 }],
  ['DELETE', '/v1/tokens/{id}', b.all.tokenId, newAccessId('token'), {}],
  ...(
    [
      ['clients', b.id, newAccessId('client')],
      ['service-scopes', b.scope, newAccessId('scope')],
      ['needs', b.need, newAccessId('need')],
      ['access-requests', b.all.request, newAccessId('request')],
      ['grants', b.all.id, newAccessId('grant')],
      ['members', b.member.id, newAccessId('person')],
    ] as const
  ).map(
    ([path, other, unknown]) =>
      ['GET', `/v1/${path}/{id}`, other, unknown, { token: a.owner.token }] as const,
  ),
]

async function alike(
  t: Test,
  [method, route, ...ids]: readonly [string, string, string, string],
  asked: Asked,
) {
  const [other, unknown] = await Promise.all(
    ids.map((id) => ask(method, route.replace('{id}', id), { token: a.all.token, ...asked })),
  )
  t.equal(other!.status, 404, `${method} ${route}`)
  t.equal(withoutRequestId(other!), withoutRequestId(unknown!))
  return { other: requestIdOf(other!), unknown: requestIdOf(unknown!) }
}

t.test('asking for an object of another client is recorded in A’s audit alone', async (t) => {
  const before = (await auditOf(store, b.id)).length
  const unknown: string[] = []
  for (const [method, route, other, never, asked] of attempts) {
    const asking = await alike(t, [method, route, other, never], asked)
    const entry = await entryOfRequest(store, a.id, asking.other)
    t.match(entry, {
      ...{ action: 'access.cross_client_attempt', owasp: 'malicious_direct_reference' },
      ...{ outcome: 'denied', route: `${method} ${route}`, client: a.id },
    })
    t.notMatch(JSON.stringify(entry), other, 'the other client’s id is not told')
    unknown.push(asking.unknown)
  }
  const own = await auditOf(store, a.id)
  const told = own.filter(({ requestId = '' }) => unknown.includes(requestId))
  t.same(told, [], 'an id that never was is no attempt')
  const since = (await auditOf(store, b.id)).slice(before).map(({ action }) => action)
  t.notOk(
    since.some((action) => action.startsWith('access.')),
    'B is not told',
  )
})

t.test('asking for a deleted record of the own client is not recorded as an attempt', async (t) => {
  const { token } = a.all
  const { id } = dataOf(await ask('POST', '/v1/tasks', { token, body: { title: 'Gone' } }))
  t.equal((await ask('DELETE', `/v1/tasks/${id}`, { token, seen: 1 })).status, 204)
  const gone = requestIdOf(await ask('GET', `/v1/tasks/${id}`, { token }))
  // The audit is written in order, so once the second is there the first cannot follow.
  const other = requestIdOf(await ask('GET', `/v1/contacts/${record}`, { token }))
  await entryOfRequest(store, a.id, other)
  const all = await auditOf(store, a.id)
  t.notOk(all.some(({ requestId }) => requestId === gone))
})
