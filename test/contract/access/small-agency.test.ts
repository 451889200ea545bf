/**
 * Goal: an agency of two gets through requests of write access and changes with the word of two
 * different people, and everybody who asks is told at once who can decide, or that nobody can.
 * Method: as these people on a real service, by REST and in the portal.
 */
import t from 'tap'
import { dataOf } from '../../helpers/access/asking.ts'
import { password } from '../../helpers/access/people.ts'
import { PlainBrowser, textOf } from '../../helpers/access/portal/plain-browser.ts'
import { openSmallAgency, type Decided } from '../../helpers/access/small-agency.ts'

const agency = await openSmallAgency(t)
const { ask, ada, grace, a, request, change, approve, schedule, start, tell, from } = agency
const writing = [{ area: 'tasks', actions: ['read', 'write'] }]

t.test('write access that one of two asks for: the other and the owner decide', async (t) => {
  const asked = await request(ada, writing)
  t.match(asked.policy, {
    rules: ['R1', 'R3', 'F1'],
    slots: [
      { role: 'staff_reviewer', count: 1 },
      { role: 'client_owner', count: 1 },
    ],
  })
  t.match(asked.open_slots, [
    {
      role: 'staff_reviewer',
      can: [{ id: grace.id, name: 'Grace' }],
      cannot: [{ id: ada.id, why: /takes part/ }],
    },
    { role: 'client_owner', can: [{ id: a.owner.id, name: 'Sam Same' }] },
  ])
  t.notOk(asked.open_slots.some(({ advice }) => advice))
  const seen = await ask('GET', `/v1/access-requests/${asked.id}`, { token: a.owner.token })
  t.match(dataOf<Decided>(seen).open_slots[0], { can: [{ name: 'Staff' }], cannot: [] })
  t.match(dataOf<Decided>(await approve(grace, asked)).open_slots, [{ role: 'client_owner' }])
  t.match(dataOf(await approve(a.owner, asked)), { status: 'fulfilled', open_slots: [] })
})

t.test('the owner asks: of three people all that are required decide', async (t) => {
  const asked = await request(a.owner, writing)
  t.match(asked.policy, { rules: ['R1', 'R3'], slots: [{ role: 'staff_reviewer', count: 2 }] })
  t.equal((await approve(ada, asked)).status, 200)
  t.match(dataOf(await approve(grace, asked)), { status: 'fulfilled' })
})

t.test('a change: one proposes and implements it, the other approves', async (t) => {
  const seen = await change(ada)
  t.match(seen, { policy: { rules: ['C1', 'F2'], slots: [{ role: 'change_manager', count: 1 }] } })
  t.match(seen.open_slots, [{ role: 'change_manager', can: [{ id: grace.id }] }])
  t.ok(seen.implementers?.can.some(({ id }) => id === ada.id))
  const approved = dataOf<Decided>(await approve(grace, seen))
  t.same(
    approved.implementers?.can.map(({ id }) => id),
    [ada.id],
    'not the one who approved',
  )
  t.equal((await schedule(ada, seen)).status, 200)
  t.match(dataOf(await start(ada, seen)), { status: 'in_progress' })
  const done = { evidence: ['The page opens.'], notes: '' }
  t.match(dataOf(await tell(ada, `/v1/changes/${seen.id}/complete`, done)), { status: 'done' })
})

t.test('a change of high risk takes the other and the owner', async (t) => {
  const seen = await change(ada, { risk: 'high' })
  t.match(seen.policy, {
    rules: ['C1', 'C3', 'F1', 'F2'],
    slots: [{ role: 'change_manager', count: 1 }, { role: 'client_owner' }],
  })
  t.equal((await approve(a.owner, seen)).status, 200)
  t.match(dataOf(await approve(grace, seen)), { status: 'approved' })
  const theirs = await change(a.owner, { risk: 'high' })
  t.match(theirs.policy.slots, [{ role: 'change_manager', count: 1 }], 'one is left to do it')
})

t.test('an emergency: both took part in it, so the owner reviews it afterwards', async (t) => {
  const seen = await change(ada, { type: 'emergency' })
  t.match(dataOf(await approve(grace, seen)), { status: 'approved' })
  t.equal((await schedule(ada, seen)).status, 200)
  t.match(dataOf(await start(ada, seen)), { status: 'in_progress' })
  const done = { evidence: ['The page opens.'], notes: '' }
  const path = `/v1/changes/${seen.id}`
  t.match(dataOf(await tell(ada, `${path}/complete`, done)), { post_review: { status: 'due' } })
  const review = async (by: typeof ada | typeof a.owner) => {
    const { version } = dataOf<Decided>(await ask('GET', path, { token: by.token, from: from() }))
    const reason = 'It was needed, and did what it says.'
    return tell(by, `${path}/post-review`, { reason }, version)
  }
  for (const one of [ada, grace]) t.match(await review(one), { status: 403 })
  t.match(await review(a.member), { status: 403 })
  const browser = new PlainBrowser(agency.service.baseUrl, from())
  await browser.signIn(a.owner.email, password)
  t.match(textOf(await browser.get(`/portal/changes/${seen.id}`)), /Complete the post-review/)
  t.match(dataOf(await review(a.owner)), {
    post_review: { status: 'done', reviewer_id: a.owner.id },
  })
})

t.test('nobody can decide: the answer and the portal say so, and what to do', async (t) => {
  const asked = await request(a.owner, [{ area: 'contacts', actions: ['read'] }])
  const advice = /Invite another one.*30 days.*troupe access confirm.*somebody else submit it/
  t.match(
    asked.open_slots.find(({ role }) => role === 'client_owner'),
    { can: [], cannot: [{ id: a.owner.id, why: /takes part/ }], advice },
  )
  const browser = new PlainBrowser(agency.service.baseUrl, from())
  await browser.signIn(ada.email, password)
  const page = textOf(await browser.get(`/staff/requests/${asked.id}`))
  t.match(page, /It needs an owner of the client Nobody can approve it now\. Too few people/)
  t.match(page, /Can approve it .*Staff reviewer: .*Grace.*Owner of the client: nobody/)
  t.match(page, /Cannot approve it .*Sam Same takes part in it/)
  const seen = await change(ada, { client_visible: true })
  const shown = textOf(await browser.get(`/staff/changes/${seen.id}`))
  t.match(shown, /Can approve it .*Change manager: Grace.*Owner of the client: Sam Same/)
  t.match(shown, /Can implement it .*Ada/)
})
