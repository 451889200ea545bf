/**
 * One admin is all the people that a decision takes: she invites the others, or resets their
 * sign-in, and acts as them. Method: a real service, over REST; the invitations and resets that its
 * answers show are used by the admin herself.
 */
import t from 'tap'
import { newAccessId, platformTenant } from '../../../proto/access/ids.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import { dataOf, errorOf, patient, type Heard } from '../../helpers/access/asking.ts'
import { auditOf } from '../../helpers/access/audit/audit.ts'
import type { Client } from '../../helpers/access/clients.ts'
import { password, type Person } from '../../helpers/access/people.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, ada, grace, a, client } = world
const ask = patient(world.ask)
const reason = 'as it was agreed on'
const host = systemAuthor('host')
const requests = '/v1/access-requests'
let addresses = 0

type Signed = Pick<Person, 'id' | 'token'>
const from = () => `10.132.${addresses >> 8}.${addresses++ & 255}`
const tell = (by: Pick<Person, 'token'>, path: string, body?: object) =>
  ask('POST', path, { token: by.token, from: from(), seen: '*', ...(body && { body }) })

/** Invites someone and accepts the invitation in their place. */
async function invent(by: Signed, path: '/v1/staff' | '/v1/members', more: object) {
  const body = { email: `${newAccessId('person')}@sock.example`, name: 'Sock', ...more }
  const shown = dataOf<{ id: Person['id']; invitation: string }>(await tell(by, path, body))
  const accept = { invitation: shown.invitation, password }
  const entered = await ask('POST', '/v1/sign-in/invitations', { from: from(), body: accept })
  return { id: shown.id, token: dataOf<{ token: string }>(entered).token }
}
const inventStaff = (by: Signed, ...roles: readonly string[]) => invent(by, '/v1/staff', { roles })
const inventOwner = (by: Signed, to: Client) =>
  invent(by, '/v1/members', { client_id: to.id, roles: ['owner'] })

interface Pending {
  readonly id: string
  readonly digest: string
  readonly status: string
}

/** Of personal data, which takes a reviewer and the client's owner. */
async function pending(by: Pick<Person, 'token'>, to: Client): Promise<Pending> {
  const body = {
    ...{ client_id: to.id, scope_id: to.scope, need_id: to.need },
    subject: { kind: 'integration', id: 'newsletter' },
    permissions: [{ area: 'contacts', actions: ['read'] }],
    ends_at: new Date(Date.now() + 86_400_000).toISOString(),
    justification: 'To see who can decide on it.',
  }
  const { id } = dataOf(await tell(by, requests, body))
  const asked = dataOf<Pending>(await tell(by, `${requests}/${id}/submit`))
  t.equal(asked.status, 'pending')
  return asked
}

async function review(by: Pick<Person, 'token'>, { id }: Pending): Promise<Heard> {
  const path = `${requests}/${id}`
  const { version, digest } = dataOf(await ask('GET', path, { token: ada.token, from: from() }))
  const body = { decision: 'approve', reason, digest }
  return ask('POST', `${path}/reviews`, { token: by.token, from: from(), seen: version, body })
}

const confirm = (by: Signed, { id }: Signed, kind: 'staff' | 'members' = 'staff') =>
  tell(by, `/v1/${kind}/${id}/confirm`)

const isDependent = { code: 403, type: 'self_review', message: /not independent.*30 days/ }

t.test('an admin invites a reviewer and an owner, and approves her own request', async (t) => {
  const asked = await pending(ada, a)
  const reviewer = await inventStaff(ada, 'reviewer')
  const owner = await inventOwner(ada, a)
  for (const sock of [reviewer, owner]) {
    t.match(errorOf(await review(sock, asked)), { code: 403, type: 'forbidden' })
  }
  t.equal((await confirm(ada, reviewer)).status, 403, 'she confirms it herself')
  t.equal((await confirm(ada, owner, 'members')).status, 403)
  t.equal((await confirm(reviewer, owner, 'members')).status, 403, 'or as the other')
  const admin = await inventStaff(ada, 'admin')
  t.equal((await confirm(admin, reviewer)).status, 403, 'or as an admin that she invites')

  t.match(dataOf(await confirm(grace, reviewer)), { roles: ['reviewer'] })
  t.match(dataOf(await confirm(grace, owner, 'members')), { roles: ['owner'] })
  for (const sock of [reviewer, owner]) t.match(errorOf(await review(sock, asked)), isDependent)
  t.match(dataOf(await review(grace, asked)), { status: 'pending' }, 'others decide')
  t.match(dataOf(await review(a.owner, asked)), { status: 'fulfilled' })

  const entries = await until('the audit has the confirmations', async () => {
    const platform = await auditOf(insider.store, platformTenant)
    const found = platform.filter(({ action }) => action === 'person.rights_confirmed')
    return found.some(({ object }) => object?.id === reviewer.id) && found
  })
  t.match(entries.at(-1), { actor: { id: grace.id }, object: { id: reviewer.id } })
})

t.test('a reviewer who is an admin invites the person who asks', async (t) => {
  const other = await client()
  const asker = await inventStaff(ada, 'operator')
  const asked = await pending(asker, other)
  t.match(errorOf(await review(ada, asked)), isDependent)
  const reviewer = await inventStaff(ada, 'reviewer')
  t.equal((await confirm(grace, reviewer)).status, 200)
  t.match(errorOf(await review({ token: asker.token }, asked)), { code: 403 })
  t.equal((await review(grace, asked)).status, 200)
})

t.test('an admin resets the owner, or another reviewer, and signs in as them', async (t) => {
  const other = await client()
  for (const [kind, victim] of [
    ['members', other.owner],
    ['staff', grace],
  ] as const) {
    const made = await tell(ada, `/v1/${kind}/${victim.id}/reset`, { reason })
    const { reset, reset_waits: waits } = dataOf<{ reset: string; reset_waits?: boolean }>(made)
    const body = { reset, password: 'my own password now' }
    const used = await ask('POST', '/v1/sign-in/resets', { from: from(), body })
    if (victim.id === grace.id) {
      // No other admin could confirm it, so it works; but it makes no second person of her.
      t.equal(used.status, 201, used.text)
      const asked = await pending(ada, other)
      const { token } = dataOf<{ token: string }>(used)
      t.match(errorOf(await review({ token }, asked)), isDependent)
      t.match(dataOf(await tell(ada, `/v1/staff/${grace.id}/remove`, { reason })), { removal: {} })
      const own = [
        await tell({ token }, `/v1/staff/${grace.id}/confirm-removal`),
        await tell({ token }, `/v1/staff/${grace.id}/remove`, { reason }),
        await tell({ token }, `/v1/staff/${grace.id}/confirm-removal`),
      ]
      t.same(
        own.map(({ status }) => status),
        [403, 200, 403],
        'nor does she leave by it',
      )
      t.match(dataOf(own[1]!), { status: 'active' })
      await insider.directory.ask(personActor, grace.id, { type: 'confirm', by: host })
      Object.assign(grace, { token })
    } else {
      t.ok(waits)
      t.match(errorOf(used), { code: 401 })
      t.equal((await confirm(ada, victim, 'members')).status, 403)
      t.equal((await ask('GET', '/v1/me', { token: victim.token })).status, 200, 'she goes on')
      t.equal((await confirm(grace, victim, 'members')).status, 200)
      const later = await ask('POST', '/v1/sign-in/resets', { from: from(), body })
      const { token } = dataOf<{ token: string }>(later)
      t.match(errorOf(await review({ token }, await pending(ada, other))), isDependent)
    }
  }
})

t.test('an admin gives a role to someone she invited, or takes them from the other', async (t) => {
  const sock = await inventStaff(ada, 'operator')
  const given = await tell(ada, `/v1/staff/${sock.id}/roles`, { roles: ['operator', 'reviewer'] })
  t.match(dataOf(given), { roles: ['operator'], awaiting: { asked_by: ada.id } })
  const extra = await inventStaff(ada, 'reviewer', 'admin')
  t.equal((await confirm(grace, extra)).status, 200)
  const taken = await tell(ada, `/v1/staff/${grace.id}/roles`, { roles: ['auditor'] })
  t.match(dataOf(taken), { awaiting: { asked_by: ada.id, roles: ['auditor'] } })
  t.equal((await confirm(extra, grace)).status, 403, 'nor does someone whom she invited confirm it')
  const { roles } = dataOf<{ roles: readonly string[] }>(
    await ask('GET', `/v1/staff/${grace.id}`, { token: ada.token }),
  )
  t.ok(roles.includes('admin'), 'she is still an admin')
})

t.test('an admin proposes a scope, and confirms it as an admin that she invited', async (t) => {
  const slug = newAccessId('client').replace('_', '-')
  const contact = { name: 'Sock', email: 'sock@sock.example' }
  const made = dataOf(await tell(ada, '/v1/clients', { name: 'Sock', slug, contact }))
  const scope = dataOf(
    await tell(ada, '/v1/service-scopes', {
      ...{ client_id: made.id, name: 'All', summary: 'Everything.', engagement_ref: 'S-1' },
      ...{ paths: ['api'], areas: [{ area: 'contacts', actions: ['read'] }] },
      effective_from: new Date(Date.now() - 86_400_000).toISOString(),
      effective_to: new Date(Date.now() + 86_400_000).toISOString(),
    }),
  )
  const path = `/v1/service-scopes/${scope.id}`
  const { digest } = dataOf(await tell(ada, `${path}/submit`))
  const admin = await inventStaff(ada, 'admin')
  t.equal((await tell(admin, `${path}/confirm`, { digest })).status, 403)
  t.equal((await confirm(grace, admin)).status, 200)
  t.match(errorOf(await tell(admin, `${path}/confirm`, { digest })), isDependent)
  t.equal((await tell(grace, `${path}/confirm`, { digest })).status, 200)
  t.match(errorOf(await tell(admin, `/v1/clients/${made.id}/activate`)), isDependent)
})

t.test('the only admin invites all others, also by way of each other', async (t) => {
  const other = await client()
  const alone = { type: 'set_roles', roles: ['auditor'], by: host } as const
  const { data: people } = (await ask('GET', '/v1/staff?limit=100', { token: ada.token })).body as {
    readonly data: readonly { id: Person['id']; roles: readonly string[] }[]
  }
  for (const { id, roles } of people) {
    if (id === ada.id || !roles.includes('admin')) continue
    const { view } = await insider.directory.ask(personActor, id, alone)
    t.same(view.roles, ['auditor'])
  }
  await until('the gateway knows that she is alone', async () => {
    const { text } = await ask('GET', `/v1/staff/${grace.id}`, { token: ada.token, from: from() })
    return !text.includes('"admin"')
  })
  const asked = await pending(ada, other)
  const reviewer = await inventStaff(ada, 'reviewer')
  t.match(errorOf(await review(reviewer, asked)), isDependent, 'in effect, but not independent')
  const asker = await inventStaff(ada, 'operator')
  const theirs = await pending(asker, other)
  t.match(errorOf(await review(reviewer, theirs)), isDependent, 'both were invited by her')
  const second = await inventStaff(ada, 'admin')
  const third = await inventStaff(second, 'reviewer')
  t.match(errorOf(await review(third, asked)), isDependent, 'invited by one she invited')
  const entries = await until('the audit marks it', async () => {
    const found = (await auditOf(insider.store, platformTenant)).filter(
      ({ object, action }) => object?.id === reviewer.id && action === 'person.invited',
    )
    return found.length > 0 && found
  })
  t.match(entries, [{ selfReviewed: true }])

  await insider.directory.ask(personActor, reviewer.id, { type: 'confirm', by: host })
  await until('the operator of the host has confirmed them', async () => {
    return (await review(reviewer, asked)).status === 200
  })
})
