/**
 * Goal: roles that decide, and resets of those who have them, take effect when a second person has
 * confirmed them; staff and owners see what waits, and who cannot review. Method: a real service,
 * over REST and in the portal.
 */
import t from 'tap'
import { newAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import { dataOf, errorOf, patient } from '../../../helpers/access/asking.ts'
import { auditOf } from '../../../helpers/access/audit/audit.ts'
import { makePerson, password, type Person } from '../../../helpers/access/people.ts'
import { PlainBrowser, textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, service, a, ada, grace, staff } = world
const ask = patient(world.ask)
const reason = 'they have a new telephone'
let addresses = 0
const from = () => `10.44.0.${++addresses}`

interface ShownPerson {
  readonly id: Person['id']
  readonly version: number
  readonly roles: readonly string[]
  readonly invitation?: string
}
const shown = async (path: string) =>
  dataOf<ShownPerson>(await ask('GET', path, { token: ada.token }))

async function tell(by: Person, path: string, verb: string, body?: object) {
  const { version: seen } = await shown(path)
  return ask('POST', `${path}/${verb}`, { token: by.token, seen, ...(body && { body }) })
}

async function invite(by: Person, roles: readonly string[], client?: string) {
  const email = `${newAccessId('person')}@new.example`
  const body = { email, name: `New ${roles[0]}`, roles, ...(client && { client_id: client }) }
  const path = client === undefined ? '/v1/staff' : '/v1/members'
  const made = dataOf<ShownPerson>(await ask('POST', path, { token: by.token, body }))
  return { ...made, email, path: `${path}/${made.id}` }
}

async function browser({ email }: Pick<Person, 'email'>): Promise<PlainBrowser> {
  const one = new PlainBrowser(service.baseUrl, from())
  await one.signIn(email, password)
  return one
}

t.test('roles that decide wait, for staff and for owners whom staff invite', async (t) => {
  const reviewer = await invite(ada, ['reviewer', 'operator'])
  t.match(reviewer, {
    ...{ roles: ['operator'], awaiting: { roles: ['reviewer', 'operator'], asked_by: ada.id } },
    vouched_by: [{ id: ada.id, for: 'invitation' }],
  })
  t.equal((await tell(ada, reviewer.path, 'confirm')).status, 403)
  t.match(dataOf(await tell(grace, reviewer.path, 'confirm')), {
    ...{ roles: ['reviewer', 'operator'], vouched_by: [{ confirmed_by: grace.id }] },
  })
  t.match(errorOf(await tell(grace, reviewer.path, 'confirm')), { code: 409 })
  const owner = await invite(ada, ['owner'], a.id)
  t.match(owner, { roles: ['member'], awaiting: { roles: ['owner'] } })
  t.match(dataOf(await tell(a.owner, owner.path, 'confirm')), { roles: ['owner'] })
  t.match(await invite(ada, ['auditor']), { roles: ['auditor'], awaiting: undefined })
  t.match(await invite(a.owner, ['owner'], a.id), { roles: ['owner'], awaiting: undefined })
})

t.test('a stale version is not confirmed, and what was checked is', async (t) => {
  const { path, version } = await invite(ada, ['reviewer'])
  t.equal((await tell(ada, path, 'roles', { roles: ['admin'] })).status, 200)
  const stale = { token: grace.token, seen: version }
  t.equal((await ask('POST', `${path}/confirm`, stale)).status, 412)
  t.match(dataOf(await tell(grace, path, 'confirm')), { roles: ['admin'] })
})

t.test('each step is in the audit', async (t) => {
  const { id, path } = await invite(ada, ['change_manager'])
  await tell(grace, path, 'confirm')
  await tell(ada, path, 'roles', { roles: ['auditor'] })
  await tell(grace, path, 'roles', { roles: ['auditor', 'reviewer'] })
  await tell(ada, path, 'confirm')
  const said = await until('the audit has all of them', async () => {
    const entries = await auditOf(insider.store, platformTenant)
    const found = entries.filter(
      ({ object, action }) => object?.id === id && action.startsWith('person.'),
    )
    return found.length === 5 && found
  })
  t.match(
    said.map(({ action, actor }) => [action, actor.id]),
    [
      ['person.invited', ada.id],
      ['person.rights_confirmed', grace.id],
      ['person.roles_changed', ada.id],
      ['person.roles_changed', grace.id],
      ['person.rights_confirmed', ada.id],
    ],
  )
  t.match(said[3]?.changes, [{ field: 'roles' }, { field: 'waits', to: true }])
  t.ok(said.every(({ selfReviewed }) => !selfReviewed))
})

t.test('in the portal it is seen by all staff and the owner, and confirmed', async (t) => {
  const [first, second, other, owner] = await Promise.all(
    [ada, grace, await staff('operator'), a.owner].map(browser),
  )
  const fields = { client_id: a.id, name: 'Otto New', email: 'otto@a.example', roles: ['owner'] }
  const form = await first!.get('/staff/members/new')
  const made = await first!.submit(form, '/staff/members/new', fields)
  t.match(textOf(made), /take effect when a second person confirms them/)
  const id = /usr_\w+/.exec(made.html)?.[0] ?? ''
  for (const [one, at] of [
    [other!, '/staff'],
    [owner!, '/portal'],
  ] as const) {
    t.match(textOf(await one.get(at)), /Rights that wait for a second person Otto New/)
    t.match(textOf(await one.get(`${at}/members`)), /Waiting for a second person/)
    t.match(textOf(await one.get(`${at}/members/${id}`)), /Roles: Owner, asked for by (Ada|Staff)/)
  }
  const path = `/staff/members/${id}`
  for (const one of [first!, other!]) t.notMatch((await one.get(path)).html, /\/confirm"/)
  t.match(textOf(await second!.get('/staff')), /Rights of Otto New/)
  const confirmed = await second!.submit(await second!.get(path), `${path}/confirm`)
  t.match(textOf(confirmed), /Confirmed\. It is in effect/)
  t.match(textOf(confirmed), /Invited by Ada, confirmed by Grace \(you\): until/)
})

t.test('in the portal a reset waits, and says so', async (t) => {
  const who = { tenant: a.id, roles: ['owner'], by: ada.author, email: 'reset@a.example' } as const
  const { id } = await makePerson(insider.directory, who)
  const [first, second] = [await browser(ada), await browser(grace)]
  const path = `/staff/members/${id}`
  const page = await until('the page shows them', async () => {
    const found = await first.get(path)
    return found.status === 200 && found
  })
  const made = await first.submit(page, `${path}/reset`, { reason })
  t.match(textOf(made), /It works when a second person has confirmed it/)
  const text = /spai_\w{36}/.exec(made.html)?.[0] ?? ''
  const use = () =>
    ask('POST', '/v1/sign-in/resets', { from: from(), body: { reset: text, password } })
  t.equal((await use()).status, 401)
  t.match(textOf(await second.get(path)), /A reset of the sign-in, asked for by Ada/)
  await second.submit(await second.get(path), `${path}/confirm`)
  t.equal((await use()).status, 201)
})

t.test('a request shows who cannot review it, and they are not offered to', async (t) => {
  const made = await invite(ada, ['reviewer'])
  await tell(grace, made.path, 'confirm')
  const accept = { invitation: made.invitation, password }
  const entered = await ask('POST', '/v1/sign-in/invitations', { from: from(), body: accept })
  t.equal(entered.status, 201)
  const body = {
    ...{ client_id: a.id, scope_id: a.scope, need_id: a.need },
    subject: { kind: 'integration', id: 'newsletter' },
    permissions: [{ area: 'tasks', actions: ['read'] }],
    ends_at: new Date(Date.now() + 86_400_000).toISOString(),
    justification: 'To see who can decide on it.',
  }
  const { id } = dataOf(
    await ask('POST', '/v1/access-requests', { token: ada.token, body, from: from() }),
  )
  await ask('POST', `/v1/access-requests/${id}/submit`, { token: ada.token, seen: 1 })
  const page = `/staff/requests/${id}`
  const theirs = await (await browser(made)).get(page)
  t.match(textOf(theirs), /You cannot decide on this request You are not independent/)
  t.notMatch(theirs.html, new RegExp(`${id}/reviews"`))
  const free = await (await browser(grace)).get(page)
  t.match(textOf(free), /Cannot approve it .*New reviewer.* is not independent of somebody/)
  t.match(free.html, new RegExp(`${id}/reviews"`))
})
