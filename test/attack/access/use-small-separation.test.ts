/**
 * Two people are enough in an agency of two. One of them, or somebody who makes the agency look
 * smaller than it is, tries to do with one. Method: a real service with such an agency.
 */
import t from 'tap'
import { newAccessId } from '../../../proto/access/ids.ts'
import { askAt, dataOf, errorOf } from '../../helpers/access/asking.ts'
import { password, type Person } from '../../helpers/access/people.ts'
import { openSmallAgency, type Decided } from '../../helpers/access/small-agency.ts'
import { until } from '../../helpers/lib/until.ts'

const agency = await openSmallAgency(t)
const { ask, ada, grace, a, request, change, approve, schedule, start, tell, from } = agency
const writing = [{ area: 'tasks', actions: ['read', 'write'] }]
const isOwn = { code: 403, type: 'self_review' }

t.test('who proposes a change, or asks for access, approves it herself', async (t) => {
  for (const seen of [await change(ada), await request(ada, writing)]) {
    t.match(errorOf(await approve(ada, seen)), isOwn)
  }
  const named = await change(ada, { implementer_id: grace.id })
  t.match(errorOf(await approve(grace, named)), isOwn, 'or as the one who is to implement it')
  t.match(named.policy.slots, [{ role: 'client_owner', count: 1 }], 'so the owner decides')
})

t.test('one person fills two slots, or approves a change and implements it', async (t) => {
  const asked = await request(ada, writing)
  t.match(dataOf(await approve(grace, asked)), { status: 'pending' })
  t.match(errorOf(await approve(grace, asked)), { type: 'already_reviewed' })
  const seen = await change(ada)
  t.match(dataOf(await approve(grace, seen)), { status: 'approved' })
  t.equal((await schedule(grace, seen)).status, 200)
  t.match(errorOf(await start(grace, seen)), isOwn)
})

t.test('the client is not asked where a rule wants its consent', async (t) => {
  const asked = await request(ada, [{ area: 'contacts', actions: ['read', 'write'] }])
  t.match(dataOf(await approve(grace, asked)), { status: 'pending' })
  t.match(errorOf(await approve(ada, asked)), isOwn)
  t.match(dataOf(await approve(a.owner, asked)), { status: 'fulfilled' })
})

t.test('an owner whom she invites fills what is missing', async (t) => {
  const body = {
    ...{ email: `${newAccessId('person')}@sock.example`, name: 'Sock' },
    ...{ client_id: a.id, roles: ['owner'] },
  }
  const made = dataOf<{ id: Person['id']; invitation: string }>(
    await tell(ada, '/v1/members', body),
  )
  const accept = { invitation: made.invitation, password }
  const entered = await ask('POST', '/v1/sign-in/invitations', { from: from(), body: accept })
  const { token } = dataOf<{ token: string }>(entered)
  t.equal((await tell(grace, `/v1/members/${made.id}/confirm`)).status, 200)
  const asked = await until('the gateway knows her as an owner', async () => {
    const seen = await request(ada, writing)
    return seen.open_slots.some(({ cannot }) => cannot.some(({ id }) => id === made.id)) && seen
  })
  const owner = asked.open_slots.find(({ role }) => role === 'client_owner')
  t.match(owner, { can: [{ id: a.owner.id }], cannot: [{ id: made.id, why: /not independent/ }] })
  t.match(errorOf(await approve({ token }, asked)), { ...isOwn, message: /not independent/ })
})

t.test('wrong passwords for the other lower what is required', async (t) => {
  const once = askAt(agency.service.baseUrl)
  const wrong = () =>
    once('POST', '/v1/sign-in', {
      from: from(),
      body: { email: grace.email, password: 'not hers' },
    })
  for (let i = 0; i < 12; i++) await wrong()
  const asked = await request(ada, writing)
  t.match(asked.policy.slots, [
    { role: 'staff_reviewer', count: 1 },
    { role: 'client_owner', count: 1 },
  ])
})

t.test('a caller sends their own idea of who is there', async (t) => {
  const drafted = {
    ...{ client_id: a.id, scope_id: a.scope, need_id: a.need, permissions: writing },
    subject: { kind: 'integration', id: 'newsletter' },
    ends_at: new Date(Date.now() + 86_400_000).toISOString(),
    justification: 'To see who can decide on it.',
  }
  const { id } = dataOf(await tell(ada, '/v1/access-requests', drafted))
  const staffing = { free: { staff_reviewer: [] }, owners: [], dependent: [] }
  const answer = await tell(ada, `/v1/access-requests/${id}/submit`, { staffing })
  if (answer.status === 200) t.equal(dataOf<Decided>(answer).policy.slots.length, 2)
  else t.equal(answer.status, 400)
})
