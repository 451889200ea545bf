/**
 * Goal: access is decided by the right people, on the text that they were shown, once; it takes
 * effect and ends with its basis, on the next request. Method: over REST, as the people concerned.
 */
import t from 'tap'
import { dataOf, errorOf, type Heard } from '../../helpers/access/asking.ts'
import { entryOfRequest } from '../../helpers/access/audit/audit.ts'
import { grantTo, type Client } from '../../helpers/access/clients.ts'
import type { Person } from '../../helpers/access/people.ts'
import { removeStaff } from '../../helpers/access/removal.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { ask, insider, a, b, ada, grace, deciders, staff, client } = await openWorld(t)
const reason = 'as a test of decisions'
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const requests = '/v1/access-requests'

interface RequestJson {
  readonly id: string
  readonly version: number
  readonly digest: string
  readonly status: string
  readonly grant_id?: string
  readonly reviews: readonly unknown[]
  readonly policy: { readonly slots: readonly { role: string; count: number }[] }
}

const wish = (to: Client, more: object = {}) => ({
  ...{ scope_id: to.scope, need_id: to.need, ends_at: at(2 * dayMs) },
  subject: { kind: 'integration', id: 'newsletter' },
  permissions: [{ area: 'tasks', actions: ['read'] }],
  justification: 'To see how it is decided upon.',
  ...more,
})

const draft = (by: Person, to: Client, more: object = {}) =>
  ask('POST', requests, { token: by.token, body: { client_id: to.id, ...wish(to, more) } })

async function submitted(by: Person, to: Client, more: object = {}): Promise<RequestJson> {
  const { id } = dataOf<RequestJson>(await draft(by, to, more))
  return dataOf(await submit(by, id))
}

const submit = (by: Person, id: string, seen: number | '*' = 1) =>
  ask('POST', `${requests}/${id}/submit`, { token: by.token, seen })

const review = (by: Person, { id, version, digest }: RequestJson, decision = 'approve') =>
  ask('POST', `${requests}/${id}/reviews`, {
    ...{ token: by.token, seen: version, body: { decision, reason, digest } },
  })

const read = async (by: Person, { id }: Pick<RequestJson, 'id'>) =>
  dataOf<RequestJson>(await ask('GET', `${requests}/${id}`, { token: by.token }))

const requestIdOf = ({ headers }: Heard) => headers.get('x-request-id') ?? ''
const refused = (answer: Heard) => errorOf(answer)['type']
const reviewer = await staff('reviewer')
const operator = await staff('operator')

t.test('nothing can be granted wider than its source', async (t) => {
  const narrow = [{ area: 'tasks', actions: ['read'] }] as const
  const granted = await grantTo(insider.directory, a, deciders, { permissions: narrow })
  const body = { name: 'too wide', scopes: ['tasks:write'] }
  const tokens = `/v1/grants/${granted.id}/tokens`
  t.match(errorOf(await ask('POST', tokens, { token: a.owner.token, body })), {
    ...{ code: 422, type: 'not_in_scope' },
  })
  const other = await client()
  const scope = `/v1/service-scopes/${other.scope}`
  const { version } = dataOf(await ask('GET', scope, { token: grace.token }))
  const now = dataOf<{ current: Record<string, unknown> }>(
    await ask('GET', scope, { token: grace.token }),
  ).current
  const terms = { ...now, areas: [{ area: 'contacts', actions: ['read'] }] }
  const narrowed = await ask('PUT', `${scope}/terms`, {
    ...{ token: grace.token, seen: version, body: terms },
  })
  t.equal(narrowed.status, 200, narrowed.text)
  const { id } = dataOf<RequestJson>(await draft(ada, other))
  const answer = await submit(ada, id)
  t.match(errorOf(answer), { code: 422, type: 'not_in_scope' })
})

t.test('the requester, the beneficiary and people of other clients do not decide', async (t) => {
  const asked = await submitted(reviewer, a)
  t.equal(refused(await review(reviewer, asked)), 'self_review', 'who asked')
  const forGrace = { subject: { kind: 'person', id: grace.id } }
  const about = await submitted(ada, a, forGrace)
  t.equal(refused(await review(grace, about)), 'self_review', 'who gets it')
  t.equal((await review(b.owner, about)).status, 404, 'an owner of another client')
  t.equal((await review(a.member, about)).status, 403, 'no owner')
  t.equal((await review(operator, about)).status, 403, 'no reviewer')
  t.equal(refused(await review(a.owner, about)), 'not_a_reviewer', 'no slot is theirs')
  const gone = await staff('reviewer')
  await removeStaff(ask, gone, [grace, ada])
  t.equal((await review(gone, about)).status, 401, 'a reviewer who was removed')
  t.same((await read(ada, about)).reviews, [])
})

t.test('one person fills one reviewer slot', async (t) => {
  const writes = { permissions: [{ area: 'tasks', actions: ['read', 'write'] }] }
  const asked = await submitted(ada, a, writes)
  t.same(asked.policy.slots, [{ role: 'staff_reviewer', count: 2 }])
  const once = dataOf<RequestJson>(await review(reviewer, asked))
  t.equal(once.status, 'pending')
  t.equal(refused(await review(reviewer, once)), 'already_reviewed')
  t.equal(dataOf<RequestJson>(await review(grace, once)).status, 'fulfilled')
})

t.test('of two simultaneous reviews one counts, the quorum is exact, one grant', async (t) => {
  const others = await Promise.all([staff('reviewer'), staff('reviewer'), staff('reviewer')])
  const askers = await Promise.all(Array.from({ length: 4 }, () => staff('operator')))
  for (let round = 0; round < 24; round++) {
    const asked = await submitted(askers[round % 4]!, a)
    const given = await Promise.all(others.map((by) => review(by, asked)))
    t.equal(given.filter(({ status }) => status === 200).length, 1, `round ${round}`)
    t.ok(given.every(({ status }) => [200, 409, 412].includes(status)))
    const { status, reviews } = await read(askers[round % 4]!, asked)
    t.same([status, reviews.length], ['fulfilled', 1])
  }
})

t.test('a review of a request that was edited meanwhile is refused', async (t) => {
  const shown = await submitted(ada, a)
  const back = dataOf<RequestJson>(await review(reviewer, shown, 'request_changes'))
  t.equal(back.status, 'returned')
  const edited = await ask('PUT', `${requests}/${shown.id}`, {
    ...{ token: ada.token, seen: back.version, body: wish(a, { ends_at: at(5 * dayMs) }) },
  })
  const { version } = dataOf(edited)
  const again = dataOf<RequestJson>(await submit(ada, shown.id, version))
  t.not(again.digest, shown.digest)
  t.equal(refused(await review(grace, shown)), 'precondition_failed', 'the version that was seen')
  const oldDigest = { ...again, digest: shown.digest }
  t.equal(refused(await review(grace, oldDigest)), 'precondition_failed', 'the digest of it')
  t.equal(dataOf<RequestJson>(await review(grace, again)).status, 'fulfilled')
})

t.test('a decision is final', async (t) => {
  const denied = dataOf<RequestJson>(await review(reviewer, await submitted(ada, a), 'deny'))
  t.equal(denied.status, 'denied')
  t.equal(refused(await review(grace, denied)), 'invalid_transition')
  const asked = await submitted(ada, a)
  const withdrawn = dataOf<RequestJson>(
    await ask('POST', `${requests}/${asked.id}/withdraw`, {
      token: ada.token,
      seen: asked.version,
    }),
  )
  t.equal(refused(await review(grace, withdrawn)), 'invalid_transition')
})

t.test('emergency access lasts four hours, renews nothing and is reviewed later', async (t) => {
  const emergency = (more: object) => ({ emergency: true, ends_at: at(3 * hourMs), ...more })
  const long = dataOf<RequestJson>(await draft(ada, a, emergency({ ends_at: at(5 * hourMs) })))
  t.match(errorOf(await submit(ada, long.id)), { code: 422, type: 'validation_failed' })
  const asked = await submitted(ada, a, emergency({}))
  t.same(asked.policy.slots, [{ role: 'staff_reviewer', count: 1 }])
  const made = dataOf<RequestJson>(await review(reviewer, asked))
  const again = dataOf<RequestJson>(await draft(ada, a, { renews_grant_id: made.grant_id }))
  t.match(errorOf(await submit(ada, again.id)), { code: 422 })
  const look = (by: Person) =>
    ask('POST', `/v1/grants/${made.grant_id}/post-review`, {
      ...{ token: by.token, seen: '*', body: { reason } },
    })
  t.equal(refused(await look(reviewer)), 'self_review', 'who allowed it')
  t.match(dataOf(await look(grace)), { post_review: { status: 'done' } })
})

t.test('a grant can be revoked by its parties and its administrators', async (t) => {
  const { id } = a.reader
  const revoke = (by: Person, seen: number | '*') =>
    ask('POST', `/v1/grants/${id}/revoke`, { token: by.token, seen, body: { reason } })
  const { version } = dataOf(await ask('GET', `/v1/grants/${id}`, { token: a.member.token }))
  t.equal(refused(await revoke(a.member, version)), 'forbidden', 'a member')
  t.equal(refused(await revoke(operator, version)), 'forbidden', 'an operator')
  t.equal((await revoke(b.owner, version)).status, 404, 'an owner of another client')
  t.equal((await revoke(a.owner, version)).status, 200)
})

t.test('an operator closes a need of their own, and of no one else', async (t) => {
  const body = {
    ...{ client_id: a.id, title: 'A need of operators', category: 'support' },
    purpose: 'To see who may close a need.',
    reference: { kind: 'ticket', id: 'T-5' },
    ...{ owner_id: a.owner.id, expected_end_at: at(dayMs) },
  }
  const own = dataOf(await ask('POST', '/v1/needs', { token: operator.token, body }))
  const close = (id: string) =>
    ask('POST', `/v1/needs/${id}/close`, { token: operator.token, seen: 1, body: { reason } })
  t.equal(refused(await close(a.need)), 'forbidden')
  t.equal(dataOf(await close(own.id)).status, 'closed')
})

t.test('what an owner suspended, only an owner resumes, and the audit names both', async (t) => {
  const other = await client()
  const permissions = [{ area: 'tasks', actions: ['read'] }] as const
  const { id } = await grantTo(insider.directory, other, deciders, { permissions })
  const tell = (by: Person, verb: 'suspend' | 'resume', seen: number) =>
    ask('POST', `/v1/grants/${id}/${verb}`, { token: by.token, seen, body: { reason } })
  const known = () => ask('GET', `/v1/grants/${id}`, { token: other.owner.token })
  await until('the gateway knows it', async () => (await known()).status === 200)
  const { version } = dataOf(await known())
  const suspended = await tell(other.owner, 'suspend', version)
  t.match(dataOf(suspended), { suspended_by: { kind: 'member', id: other.owner.id } })
  for (const by of [reviewer, grace]) {
    const answer = await tell(by, 'resume', version + 1)
    t.match(errorOf(answer), { code: 403, message: /only an owner of the client can resume it/ })
    const { outcome } = await entryOfRequest(insider.store, other.id, requestIdOf(answer))
    t.equal(outcome, 'denied')
  }
  const resumed = await tell(other.owner, 'resume', version + 1)
  t.notMatch(dataOf(resumed), { suspended_by: {} })
  const entry = await entryOfRequest(insider.store, other.id, requestIdOf(resumed))
  t.match(entry, { action: 'grant.resumed', actor: { id: other.owner.id, roles: ['owner'] } })
  t.equal((await tell(reviewer, 'suspend', version + 2)).status, 200)
  t.equal((await tell(grace, 'resume', version + 3)).status, 200, 'of staff, a reviewer does')
})

const ends = [
  ['the need is closed', (c: Client) => `/v1/needs/${c.need}/close`],
  ['the scope is retired', (c: Client) => `/v1/service-scopes/${c.scope}/retire`],
  ['the client is suspended', (c: Client) => `/v1/clients/${c.id}/suspend`],
] as const
for (const [what, path] of ends) {
  t.test(`${what}: the next request is refused`, async (t) => {
    const other = await client()
    const permissions = [{ area: 'tasks', actions: ['read'] }] as const
    const { token } = await grantTo(insider.directory, other, deciders, { permissions })
    await until('the token is known', async () => {
      return (await ask('GET', '/v1/access', { token, from: '10.6.0.1' })).status === 200
    })
    const ended = await ask('POST', path(other), {
      token: grace.token,
      seen: '*',
      body: { reason },
    })
    t.equal(ended.status, 200, ended.text)
    const { status } = await ask('GET', '/v1/access', { token })
    t.ok([401, 403].includes(status), `${status}`)
  })
}

t.test('the scope is narrowed: the next request may do less', async (t) => {
  const other = await client()
  const permissions = [{ area: 'tasks', actions: ['read', 'write'] }] as const
  const { token } = await grantTo(insider.directory, other, deciders, { permissions })
  const held = async () => {
    const { status, text } = await ask('GET', '/v1/access', { token, from: '10.6.0.2' })
    return { status, has: text.includes('"write"') }
  }
  await until('the token is known', async () => (await held()).has)
  const scope = `/v1/service-scopes/${other.scope}`
  const asked = await ask('GET', scope, { token: grace.token })
  const { current } = dataOf<{ current: Record<string, unknown> }>(asked)
  const body = { ...current, areas: [{ area: 'tasks', actions: ['read'] }] }
  const narrowed = await ask('PUT', `${scope}/terms`, { token: grace.token, seen: '*', body })
  t.equal(narrowed.status, 200, narrowed.text)
  t.same(await held(), { status: 200, has: false })
})

t.test('what a person is told to hold is what is in force now', async (t) => {
  const other = await client()
  const subject = { kind: 'person', id: other.member.id } as const
  const permissions = [{ area: 'tasks', actions: ['read'] }] as const
  await grantTo(insider.directory, other, deciders, { permissions, subject })
  const granted = async () => {
    const { text } = await ask('GET', '/v1/areas', { token: other.member.token })
    return text.includes('"granted":["read"]')
  }
  await until('the gateway knows the grant', granted)
  const suspend = { token: grace.token, seen: '*', body: { reason } } as const
  t.equal((await ask('POST', `/v1/clients/${other.id}/suspend`, suspend)).status, 200)
  t.notOk(await granted())
})
