/**
 * Goal: those who administer people change the roles of others, with effect from their next request;
 * nobody changes their own. Method: a real service, over REST and in the portal.
 */
import t from 'tap'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { dataOf, patient } from '../../../helpers/access/asking.ts'
import { makePerson, password } from '../../../helpers/access/people.ts'
import { PlainBrowser, textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, service, a, b, ada, grace } = world
const ask = patient(world.ask)
let addresses = 0
const elsewhere = () => `10.42.0.${++addresses}`

interface ShownPerson {
  readonly version: number
  readonly roles: readonly string[]
}

const shown = async (id: string, kind = 'members') =>
  dataOf<ShownPerson>(await ask('GET', `/v1/${kind}/${id}`, { token: ada.token }))

async function member() {
  const email = `${newAccessId('person')}@a.example`
  const made = await makePerson(insider.directory, {
    ...{ tenant: a.id, roles: ['member'], by: ada.author, email },
  })
  await until('the gateway knows them', async () => {
    return (await ask('GET', '/v1/me', { token: made.token, from: elsewhere() })).status === 200
  })
  return made
}

/** Names the version that it has just seen. */
async function setRoles(id: string, token: string, roles: readonly string[], kind = 'members') {
  const { version: seen } = await shown(id, kind)
  return ask('POST', `/v1/${kind}/${id}/roles`, { token, seen, body: { roles } })
}

t.test('new roles hold from the next request, and the audit has them', async (t) => {
  const who = await member()
  const invite = () =>
    ask('POST', '/v1/members', {
      ...{ token: who.token, from: elsewhere() },
      body: { email: `${newAccessId('person')}@a.example`, name: 'New' },
    })
  t.equal((await invite()).status, 403)
  const answer = await setRoles(who.id, a.owner.token, ['owner', 'member'])
  t.match(answer, { status: 200, body: { data: { roles: ['owner', 'member'] } } })
  t.equal((await invite()).status, 201, 'as an owner')
  t.equal((await setRoles(who.id, ada.token, ['member'])).status, 200, 'by an admin')
  t.equal((await invite()).status, 403, 'signed in still, as a member')
  await until('the audit has both', async () => {
    const path = `/v1/audit-entries?object=${who.id}&limit=100`
    const entries = dataOf<readonly { action: string; actor: { id: string } }[]>(
      await ask('GET', path, { token: ada.token }),
    )
    const changes = entries.filter(({ action }) => action === 'person.roles_changed')
    return changes.map(({ actor }) => actor.id).join() === [ada.id, a.owner.id].join()
  })
})

t.test('administrators of people change roles, but not their own', async (t) => {
  const who = await member()
  const owner = ['owner'] as const
  const refused = [
    ['a member, of another', await setRoles(a.owner.id, who.token, owner), 403],
    ['an owner, of themselves', await setRoles(a.owner.id, a.owner.token, owner), 403],
    ['an owner of another client', await setRoles(who.id, b.owner.token, owner), 404],
    ['an owner, of staff', await setRoles(ada.id, a.owner.token, ['admin'], 'staff'), 403],
    ['an admin, of themselves', await setRoles(ada.id, ada.token, ['admin'], 'staff'), 403],
    ['roles of staff, for a member', await setRoles(who.id, ada.token, ['admin']), 422],
    ['no role', await setRoles(who.id, ada.token, []), 422],
  ] as const
  for (const [name, { status, text }, wanted] of refused)
    t.equal(status, wanted, `${name}: ${text}`)
  const body = { roles: ['owner'] }
  const unseen = await ask('POST', `/v1/members/${who.id}/roles`, { token: ada.token, body })
  t.equal(unseen.status, 428)
  const { version } = await shown(who.id)
  const stale = { token: ada.token, seen: version - 1, body }
  t.equal((await ask('POST', `/v1/members/${who.id}/roles`, stale)).status, 412)
  t.same((await shown(who.id)).roles, ['member'], 'nothing has changed')
  const staff = await world.staff('auditor')
  t.equal((await setRoles(staff.id, grace.token, ['reviewer', 'auditor'], 'staff')).status, 200)
})

t.test('in the portal an owner changes the roles of another member', async (t) => {
  const who = await member()
  const owner = new PlainBrowser(service.baseUrl, elsewhere())
  await owner.signIn(a.owner.email, password)
  const path = `/portal/members/${who.id}`
  const none = await owner.submit(await owner.get(path), `${path}/roles`, { roles: [] })
  t.equal(none.status, 422)
  t.match(none.html, /href="#f-roles"/)
  const saved = await owner.submit(none, `${path}/roles`, { roles: ['owner'] })
  t.match(textOf(saved), /Roles saved/)
  t.same((await shown(who.id)).roles, ['owner'])
  const own = await owner.get(`/portal/members/${a.owner.id}`)
  t.notMatch(own.html, `${a.owner.id}/roles`, 'not their own')
})
