/**
 * Goal: a second person confirms the removal of staff, each step is in the audit and on the pages of
 * all staff, and until then nothing ends. Method: a real service, over REST and in the portal.
 */
import t from 'tap'
import { platformTenant } from '../../../../proto/access/ids.ts'
import { dataOf, errorOf, patient } from '../../../helpers/access/asking.ts'
import { auditOf } from '../../../helpers/access/audit/audit.ts'
import { password, type Person } from '../../../helpers/access/people.ts'
import { PlainBrowser, textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, service, a, ada, grace, staff } = world
const ask = patient(world.ask)
const reason = 'they leave the agency'
const operator = await staff('operator')
const reviewer = await staff('reviewer')

type Verb = 'remove' | 'confirm-removal' | 'withdraw-removal'

/** Names the version that it has just seen. */
async function tell(by: Person, verb: Verb, id: string) {
  const path = `/v1/staff/${id}`
  const { version } = dataOf(await ask('GET', path, { token: ada.token }))
  const body = verb === 'remove' ? { body: { reason } } : {}
  return ask('POST', `${path}/${verb}`, { token: by.token, seen: version, ...body })
}
const isIn = async ({ token }: Person) => (await ask('GET', '/v1/me', { token })).status === 200

t.test('a removal is proposed, and ends nothing until another person confirms it', async (t) => {
  const gone = await staff('auditor')
  const nothing = await tell(ada, 'confirm-removal', gone.id)
  t.match(errorOf(nothing), { code: 409, message: /not proposed/ })
  const proposed = dataOf(await tell(ada, 'remove', gone.id))
  t.match(proposed, { status: 'active', removal: { proposed_by: ada.id, reason } })
  t.ok(await isIn(gone))
  t.match(errorOf(await tell(ada, 'confirm-removal', gone.id)), { code: 403, type: 'self_review' })
  t.equal((await tell(operator, 'confirm-removal', gone.id)).status, 403)
  t.equal((await tell(gone, 'withdraw-removal', gone.id)).status, 403)
  t.match(dataOf(await tell(grace, 'withdraw-removal', gone.id)), { status: 'active' })
  t.equal((await tell(reviewer, 'confirm-removal', gone.id)).status, 409, 'it was withdrawn')
  await tell(ada, 'remove', gone.id)
  const { version } = dataOf(await ask('GET', `/v1/staff/${gone.id}`, { token: ada.token }))
  const stale = { token: reviewer.token, seen: version - 1 }
  t.equal((await ask('POST', `/v1/staff/${gone.id}/confirm-removal`, stale)).status, 412)
  const removed = dataOf(await tell(reviewer, 'confirm-removal', gone.id))
  t.match(removed, { status: 'removed' })
  t.notOk('removal' in removed)
  t.notOk(await isIn(gone))
  const wanted = ['removal_proposed', 'removal_withdrawn', 'removal_proposed', 'removed']
  const said = await until('the audit has each step', async () => {
    const entries = await auditOf(insider.store, platformTenant)
    const found = entries.filter(
      ({ object, action }) => object?.id === gone.id && /remov/.test(action),
    )
    return found.length === wanted.length && found
  })
  t.same(
    said.map(({ action }) => action),
    wanted.map((step) => `person.${step}`),
  )
  t.same(
    said.map(({ actor, reason }) => [actor.id, reason]),
    [
      [ada.id, reason],
      [grace.id, undefined],
      [ada.id, reason],
      [reviewer.id, reason],
    ],
  )
})

t.test('the person may confirm it, and leave by themselves', async (t) => {
  const [agrees, leaves] = [await staff('operator'), await staff('admin')]
  await tell(ada, 'remove', agrees.id)
  t.match(dataOf(await tell(agrees, 'confirm-removal', agrees.id)), { status: 'removed' })
  t.match(dataOf(await tell(leaves, 'remove', leaves.id)), { status: 'removed' })
})

t.test('one person takes back an invitation to the staff', async (t) => {
  const body = { email: 'wrong@provider.example', name: 'Wrong', roles: ['auditor'] }
  const { id } = dataOf(await ask('POST', '/v1/staff', { token: ada.token, body }))
  t.match(dataOf(await tell(ada, 'remove', id)), { status: 'removed' })
})

t.test('in the portal it is proposed, seen by all staff, and confirmed', async (t) => {
  const gone = await staff('auditor')
  let addresses = 0
  const browser = async ({ email }: Person) => {
    const one = new PlainBrowser(service.baseUrl, `10.43.0.${++addresses}`)
    await one.signIn(email, password)
    return one
  }
  const path = `/staff/people/${gone.id}`
  const [first, second, other] = [
    await browser(ada),
    await browser(reviewer),
    await browser(operator),
  ]
  const proposed = await first.submit(await first.get(path), `${path}/remove`, { reason })
  t.match(textOf(proposed), /Removal proposed\. Another admin or reviewer must confirm it/)
  t.notMatch(proposed.html, /confirm-removal/, 'not by the same person')
  const seen = await other.get(path)
  t.match(textOf(seen), /Removal proposed .* proposed it on .* they leave the agency/)
  t.notMatch(seen.html, /(confirm|withdraw)-removal/)
  t.match(textOf(await other.get('/staff/people')), /Removal proposed/)
  t.match(textOf(await second.get('/staff')), /Removal of Sam Same/)
  const withdrawn = await second.submit(await second.get(path), `${path}/withdraw-removal`)
  t.match(textOf(withdrawn), /Proposal withdrawn/)
  await second.get(path)
  await first.submit(await first.get(path), `${path}/remove`, { reason })
  const removed = await second.submit(await second.get(path), `${path}/confirm-removal`)
  t.match(textOf(removed), /Person removed/)
})

t.test('in the portal an owner sees why the last one stays', async (t) => {
  const first = new PlainBrowser(service.baseUrl, '10.43.1.1')
  await first.signIn(ada.email, password)
  const page = await first.get(`/staff/members/${a.owner.id}`)
  t.match(textOf(page), /needed as owner\. An owner decides for the client: invite another/)
  t.notMatch(page.html, new RegExp(`${a.owner.id}/remove"`))
})
