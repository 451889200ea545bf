/**
 * Goal: the two main tasks of the portal, asking for access and reviewing it, are done by forms
 * alone; the results are those of REST, and the audit records them in the same way. Method: a real
 * service, plain HTTP, no script; each page is reached by what the previous one offers.
 */
import t from 'tap'
import { dataOf } from '../../helpers/access/asking.ts'
import { ageSignIns } from '../../helpers/access/old-sign-ins.ts'
import { makePerson, password } from '../../helpers/access/people.ts'
import {
  textOf,
  unescaped,
  type PageHeard,
  type PlainBrowser,
} from '../../helpers/access/portal/plain-browser.ts'
import { signedInPlain } from '../../helpers/access/portal/portal.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { service, insider, a, b, ada, grace, staff, ask } = await openWorld(t)
const signedIn = signedInPlain(service.baseUrl, '10.21.0')

const member = await signedIn(a.member.email)
const owner = await signedIn(a.owner.email)
const reviewer = await signedIn(grace.email)
const other = await signedIn(b.owner.email)
const justification = 'To answer what customers ask on the telephone.'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** The four steps, up to the page that shows the answers. */
async function asked(one: PlainBrowser, areas: readonly string[], days: number, path = 'portal') {
  const first = await one.get('/portal/ask')
  const need = { need: a.need, who: a.member.id, program: '' }
  const second = await one.submitGet(first, '/portal/ask/areas', need)
  const third = await one.submitGet(second, '/portal/ask/time', { path, area: areas })
  return one.submit(third, '/portal/ask/time', {
    ends_at: inDays(days),
    justification,
    area: areas,
  })
}

const idIn = ({ path }: PageHeard) => /acr_\w+/.exec(path)?.[0] ?? ''

t.test('a member asks, a reviewer approves, and the member reads', async (t) => {
  t.match((await member.get('/portal')).html, 'href="/portal/ask"')
  const check = await asked(member, ['contacts:read'], 10)
  t.match(textOf(check), /Check your answers/)
  t.match(textOf(check), new RegExp(justification))
  const id = idIn(check)
  const action = `/portal/requests/${id}/submit`
  const sent = await member.submit(check, action)
  t.match(textOf(sent), /Request sent\. The reviewers’ decision will appear here/)
  t.match(textOf(sent), /Waiting for review/)
  t.match(textOf(sent), /You requested this access or would receive it/)
  t.notMatch(sent.html, /name="decision"/, 'who asks has no buttons')

  const queue = await reviewer.get('/staff/reviews')
  t.match(queue.html, id)
  const review = await reviewer.get(`/staff/requests/${id}`)
  for (const text of [
    justification,
    'Keep the contacts tidy',
    'Sam Same',
    'Contacts',
    'Delivery',
  ]) {
    t.ok(textOf(review).includes(text), `what is reviewed shows ${text}`)
  }
  const reviews = `/staff/requests/${id}/reviews`
  const empty = await reviewer.submit(review, reviews, { decision: 'approve', reason: 'short' })
  t.equal(empty.status, 422)
  t.match(textOf(empty), /Reason must have at least 10 characters/)
  t.match(empty.html, /href="#f-reason"/)
  t.match(empty.html, /value="approve"[^>]*checked/, 'what was chosen stays')
  const reason = 'It is what their work needs.'
  const done = await reviewer.submit(empty, reviews, { decision: 'approve', reason })
  t.match(textOf(done), /Access granted\. Yours was the last review it needed/)

  const got = dataOf(await ask('GET', `/v1/access-requests/${id}`, { token: a.owner.token }))
  t.equal(got.status, 'fulfilled')
  const seen = await member.get('/portal/records/contacts')
  t.equal(seen.status, 200)
  t.match(textOf(seen), /Why can I see this\?/)
  t.match(textOf(seen), /1 staff reviewer/)
  t.match(textOf(await member.get(`/portal/requests/${id}`)), /Approved by Staff/)
})

t.test('two reviewers are needed where the policy says so, and one denial decides', async (t) => {
  const { email } = await staff('reviewer')
  const second = await signedIn(email)
  const check = await asked(member, ['tasks:read', 'tasks:write'], 10, 'api')
  const id = idIn(check)
  await member.submit(check, `/portal/requests/${id}/submit`)
  const reviews = `/staff/requests/${id}/reviews`
  const page = await reviewer.get(`/staff/requests/${id}`)
  t.match(textOf(page), /2 staff reviewers/)
  const approve = { decision: 'approve', reason: 'It is what their work needs.' }
  t.match(textOf(await reviewer.submit(page, reviews, approve)), /Your review is recorded/)
  const twice = await reviewer.get(`/staff/requests/${id}`)
  t.notMatch(twice.html, /name="decision"/)
  t.match(textOf(twice), /You have already reviewed this request/)
  const deny = { decision: 'deny', reason: 'Reading is enough for that.' }
  const last = await second.submit(await second.get(`/staff/requests/${id}`), reviews, deny)
  t.match(textOf(last), /Denied Reading is enough for that/)
  t.match(textOf(await member.get(`/portal/requests/${id}`)), /Reading is enough for that/)
})

t.test('sent back for changes, a request is edited and has a new digest', async (t) => {
  const check = await asked(member, ['reports:read'], 5)
  const id = idIn(check)
  await member.submit(check, `/portal/requests/${id}/submit`)
  const old = await reviewer.get(`/staff/requests/${id}`)
  const fields = { decision: 'request_changes', reason: 'Say until when the campaign runs.' }
  await reviewer.submit(old, `/staff/requests/${id}/reviews`, fields)
  const back = await member.get(`/portal/requests/${id}`)
  t.match(textOf(back), /A reviewer asked for changes Say until when/)
  const href =
    /href="(\/portal\/ask\/time[^"]*)"/.exec(back.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const time = await member.get(href)
  const better = 'The campaign runs until the end of the month.'
  const sent = { ends_at: inDays(6), justification: better }
  const again = await member.submit(time, '/portal/ask/time', { ...sent, area: ['reports:read'] })
  t.match(textOf(again), new RegExp(better))
  await member.submit(again, `/portal/requests/${id}/submit`)
  const approve = { decision: 'approve', reason: 'It is what their work needs.' }
  const stale = await reviewer.submit(old, `/staff/requests/${id}/reviews`, approve)
  t.equal(stale.status, 412, 'a page that is out of date decides nothing')
  t.match(textOf(stale), new RegExp(better), 'and what it is now is shown')
  t.match(textOf(await reviewer.submit(stale, `/staff/requests/${id}/reviews`, approve)), /Granted/)
})

t.test('missing answers are asked for, and given ones are kept', async (t) => {
  const first = await member.get('/portal/ask/areas')
  t.match(textOf(first), /Choose a need/)
  const noArea = await member.get(`/portal/ask/time?need=${a.need}&who=${a.member.id}`)
  t.match(textOf(noArea), /Choose at least one area/)
  const program = await member.get(`/portal/ask/areas?need=${a.need}&who=program&program=Not+So`)
  t.match(textOf(program), /Enter a program name/)
  const step = { need: a.need, who: a.member.id, program: '' }
  const areas = await member.submitGet(await member.get('/portal/ask'), '/portal/ask/areas', step)
  const chosen = { path: 'portal', area: 'tasks:read' }
  const time = await member.submitGet(areas, '/portal/ask/time', chosen)
  const given = { ends_at: inDays(3), justification: 'too short' }
  const refused = await member.submit(time, '/portal/ask/time', given)
  t.equal(refused.status, 422)
  t.match(textOf(refused), /Reason must have at least 20 characters/)
  t.match(refused.html, /too short<\/textarea>/)
  t.match(refused.html, 'name="area" value="tasks:read"')
})

t.test('pages of another client do not exist, and the audit records the attempt', async (t) => {
  const ids = [
    `/portal/needs/${a.need}`,
    `/portal/access/${a.reader.id}`,
    `/portal/requests/${a.reader.request}`,
    `/portal/members/${a.member.id}`,
  ]
  const plain = (page: PageHeard) => page.html.replaceAll(/req_\w+|value="[^"]*"/g, '')
  for (const path of ids) {
    const page = await other.get(path)
    const absent = await other.get(path.replace(/_\w+$/, '_00000000000000000000000000'))
    t.equal(page.status, 404, path)
    t.equal(plain(page), plain(absent), 'as one that never was')
  }
  const post = await other.post(`/portal/needs/${a.need}/close`, {})
  t.equal(post.status, 403, 'a form without its token comes first')
  const listed = await other.get('/portal/needs')
  t.notOk(listed.html.includes(a.need))
  const { token } = b.owner
  await until('the attempts are in the audit', async () => {
    const { text } = await ask('GET', '/v1/audit-entries?action=access.cross_client_attempt', {
      token,
    })
    return text.includes('GET /portal/needs/{id}')
  })
})

t.test('a page that a role may not see says so', async (t) => {
  for (const path of ['/portal/audit', '/portal/reviews', '/portal/members/new']) {
    const page = await member.get(path)
    t.equal(page.status, 403, path)
    t.match(textOf(page), /You do not have permission/)
    t.match(textOf(page), /ask an owner for the role it needs/)
    t.match(page.html, /href="\/portal\/ask"/)
  }
  for (const path of ['/portal/ask', '/portal/access'])
    t.equal((await member.get(path)).status, 200)
  t.equal((await owner.get('/portal/audit')).status, 200)
})

t.test('what people do by forms is in the audit like requests over REST', async (t) => {
  const found = await until('it is told', async () => {
    const page = await owner.get(`/portal/audit?actor=${a.member.id}`)
    return /Request: submitted/.test(textOf(page)) && page
  })
  t.match(textOf(found), /Request: submitted/)
  const entry = /href="(\/portal\/audit\/aud_\w+)"/.exec(found.html)?.[1] ?? ''
  t.match(textOf(await owner.get(entry)), /Position in the chain/)
  t.match(textOf(await owner.get('/portal/audit/verify')), /The chain is intact/)
  const address = unescaped(/href="([^"]*download[^"]*csv)"/.exec(found.html)?.[1] ?? '')
  const file = await owner.get(address)
  t.match(file.headers.get('content-disposition'), /^attachment; filename="audit-cli_\w+\.csv"$/)
  const actors = file.html.trim().split('\r\n').slice(1)
  t.ok(actors.length > 0 && actors.every((line) => line.includes(a.member.id)), 'of the filter')
  t.equal((await member.get('/portal/audit/download?format=csv')).status, 403)
})

t.test('a password given long ago is asked for again, and no input is lost', async (t) => {
  const email = 'step-up@a.example'
  const invited = { tenant: a.id, email, roles: ['owner'], by: ada.author } as const
  const { id } = await makePerson(insider.directory, invited)
  const one = await signedIn(email)
  await ageSignIns(insider, { id, tenant: a.id }, 2)
  const name = 'Nora New'
  const fields = { name, email: 'nora@a.example', roles: ['member'] }
  const action = '/portal/members/new'
  await until('the gateway knows how old it is', async () => {
    // Not an address, so nobody is invited, with a fresh or an old sign-in.
    const answer = await one.submit(await one.get(action), action, { ...fields, email: 'none' })
    return answer.status === 403
  })
  const asked = await one.submit(await one.get(action), action, fields)
  t.match(textOf(asked), /Enter your password to continue/)
  t.match(asked.html, `name="name" value="${name}"`)
  const wrong = await one.submit(asked, action, { step_up_password: 'not the password' })
  t.equal(wrong.status, 401)
  t.notMatch(wrong.html, /not the password/)
  const done = await one.submit(wrong, action, { step_up_password: password })
  t.equal(done.status, 200, textOf(done))
  t.match(textOf(done), /This link is shown only once/)
  t.match(textOf(done), /https:\/\/access\.example\/portal\/invitation#spai_\w{36}/)
  const again = await one.submit(wrong, action, { step_up_password: password })
  t.match(textOf(again), /This request was already done/, 'sent twice, it is done once')
})
