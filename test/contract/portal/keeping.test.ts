/**
 * Goal: access is administered by forms too: clients and their contracted scope by two admins,
 * needs, tokens that are shown once, people, codes, and emergency access with its later review.
 * Method: a real service, plain HTTP; the results are read over REST.
 */
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { dataOf } from '../../helpers/access/asking.ts'
import { password } from '../../helpers/access/people.ts'
import { PlainBrowser, textOf, type Fields } from '../../helpers/access/portal/plain-browser.ts'
import { signedInPlain } from '../../helpers/access/portal/portal.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { service, a, ada, grace, staff, client: newClient, ask } = await openWorld(t)
const signedIn = signedInPlain(service.baseUrl, '10.22.0')

const [first, second, owner] = [
  await signedIn(ada.email),
  await signedIn(grace.email),
  await signedIn(a.owner.email),
]
const reason = 'It is a test of the portal.'
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Opens a page and sends one of its forms. */
async function send(one: PlainBrowser, page: string, action: string, fields: Fields = {}) {
  return one.submit(await one.get(page), action, fields)
}

t.test('one admin adds a client and its contracted scope, another confirms them', async (t) => {
  const fields = {
    ...{ name: 'Blue Heron', slug: 'blue-heron', timezone: 'Europe/Berlin' },
    ...{ contact_name: 'Bo', contact_email: 'not an address' },
  }
  const wrong = await send(first, '/staff/clients/new', '/staff/clients/new', fields)
  t.equal(wrong.status, 422)
  t.match(wrong.html, /href="#f-contact-email"/)
  t.match(textOf(wrong), /Contact’s e-mail address must be an e-mail address/)
  const right = { ...fields, contact_email: 'bo@heron.example' }
  const made = await first.submit(wrong, '/staff/clients/new', right)
  const client = /cli_\w+/.exec(made.path)?.[0] ?? ''
  t.match(textOf(made), /There are no service scopes yet/)

  const scopeForm = '/staff/scopes/new'
  const terms = { client_id: client, name: 'Retainer', paths: ['portal', 'api'] }
  const days = { effective_from: inDays(-1), effective_to: inDays(300) }
  const noArea = await send(first, scopeForm, scopeForm, { ...terms, ...days })
  t.equal(noArea.status, 422)
  const area = ['tasks:read', 'tasks:write', 'contacts:read']
  const draft = await first.submit(noArea, scopeForm, { ...terms, ...days, area })
  const scope = /scp_\w+/.exec(draft.path)?.[0] ?? ''
  const proposed = await first.submit(draft, `/staff/scopes/${scope}/submit`)
  t.match(textOf(proposed), /Another admin must confirm this/)
  t.notMatch(proposed.html, /Confirm this proposal/)
  const path = `/staff/scopes/${scope}`
  t.match(textOf(await second.get('/staff/scopes')), /Service scopes 1 waiting/)
  t.match(
    textOf(await send(second, path, `${path}/confirm`)),
    /Confirmed\. The terms are now in force/,
  )

  const own = await first.get(`/staff/clients/${client}`)
  t.match(textOf(own), /You added this client, so another admin activates it/)
  t.notMatch(own.html, /\/activate"/)
  const active = await send(second, `/staff/clients/${client}`, `/staff/clients/${client}/activate`)
  t.match(textOf(active), /The client is now active/)
  const got = dataOf(await ask('GET', `/v1/clients/${client}`, { token: ada.token }))
  t.equal(got.status, 'active')

  const narrow = { ...terms, ...days, area: ['tasks:read'] }
  t.match(textOf(await send(first, `${path}/terms`, `${path}/terms`, narrow)), /Saved/)
  const now = dataOf<{ current: { areas: { area: string }[] } }>(
    await ask('GET', `/v1/service-scopes/${scope}`, { token: ada.token }),
  )
  t.same(now.current.areas, [{ area: 'tasks', actions: ['read'] }], 'narrower holds at once')
  const retired = await send(first, path, `${path}/retire`, { reason })
  t.match(textOf(retired), /Retired\. All access that depended on it has ended/)
})

t.test('a scope that is not contracted cannot be ticked, and says whom to ask', async (t) => {
  const client = await newClient()
  const one = await signedIn(client.owner.email)
  const areas = `/portal/ask/areas?need=${client.need}&who=${client.owner.id}`
  t.notMatch((await one.get(areas)).html, /Not in the service scope/, 'all is contracted at first')
  const path = `/staff/scopes/${client.scope}/terms`
  const shown = await first.get(path)
  const day = (name: string) =>
    new RegExp(`name="effective_${name}"[^>]* value="([^"]+)"`).exec(shown.html)?.[1] ?? ''
  const days = { effective_from: day('from'), effective_to: day('to') }
  const texts = { name: 'Delivery', summary: 'Same for all', engagement_ref: 'E-1' }
  const terms = { ...texts, paths: ['portal', 'api'], area: ['tasks:read'], ...days }
  t.match(textOf(await first.submit(shown, path, terms)), /Saved/)
  const page = await one.get(areas)
  t.match(page.html, /value="contacts:read"[^>]*disabled/)
  t.notMatch(page.html, /value="tasks:read"[^>]*disabled/)
  t.match(textOf(page), /Not in the service scope\. Ask Sam Same to have it added/)
})

t.test('a need is opened, extended by somebody else, and closed', async (t) => {
  const fields = {
    ...{ title: 'Keep the shop running', purpose: 'Somebody has to look after orders.' },
    ...{ category: 'support', reference_kind: 'ticket', reference: 'T-7' },
    ...{ owner_id: a.owner.id, expected_end_at: '2026-02-30' },
  }
  const wrong = await send(owner, '/portal/needs/new', '/portal/needs/new', fields)
  t.equal(wrong.status, 422)
  t.match(textOf(wrong), /Last day must be a time/)
  const right = { ...fields, expected_end_at: inDays(20) }
  const made = await owner.submit(wrong, '/portal/needs/new', right)
  const id = /nd_\w+/.exec(made.path)?.[0] ?? ''
  t.match(textOf(made), /Need opened\./)
  t.notMatch(made.html, new RegExp(`${id}/extend`), 'its owner cannot extend it')
  const path = `/staff/needs/${id}`
  const extended = { expected_end_at: inDays(40), reason }
  t.match(textOf(await send(second, path, `${path}/extend`, extended)), /The last day was changed/)
  const here = `/portal/needs/${id}`
  const short = await send(owner, here, `${here}/close`, { reason: 'done' })
  t.equal(short.status, 422)
  t.match(short.html, /href="#f-reason-close"/)
  t.match(
    textOf(await owner.submit(short, `${here}/close`, { reason })),
    /Closed\. All access that depended/,
  )
})

t.test('a token is shown once, replaced and revoked, and the audit records it', async (t) => {
  const grant = `/portal/access/${a.reader.id}`
  const fields = { name: 'of the portal', scopes: ['contacts:read'], expires_at: inDays(3) }
  const page = await owner.get(grant)
  const shown = await owner.submit(page, `${grant}/tokens`, fields)
  const [token = ''] = /spat_\w{36}/.exec(shown.html) ?? []
  t.ok(token)
  t.equal((await ask('GET', '/v1/access', { token, from: '10.22.9.1' })).status, 200)
  t.equal(shown.headers.get('cache-control'), 'no-store')
  const twice = await owner.submit(page, `${grant}/tokens`, fields)
  t.notMatch(twice.html, /spat_\w{36}/, 'the same form again makes and shows nothing')
  const listed = await owner.get(grant)
  t.notOk(listed.html.includes(token))
  t.match(textOf(listed), /of the portal spat_…/)
  const id = /\/portal\/tokens\/(tok_\w+)\/rotate/.exec(listed.html)?.[1] ?? ''
  const overlap = await owner.submit(listed, `/portal/tokens/${id}/rotate`)
  const next = await owner.submit(overlap, `/portal/tokens/${id}/rotate`, { overlap_hours: '1' })
  const [other = ''] = /spat_\w{36}/.exec(next.html) ?? []
  t.ok(other && other !== token)
  const revoke = await send(owner, grant, `/portal/tokens/${id}/revoke`)
  t.match(textOf(revoke), /Token revoked/)
  const refused = await ask('GET', '/v1/access', { token, from: '10.22.9.2' })
  t.equal(refused.status, 401)
  t.match(textOf(await owner.get('/portal/tokens')), /of the portal/)
  await until('the audit tells that it was shown', async () => {
    const { text } = await ask('GET', '/v1/audit-entries?action=access.secret_shown', {
      token: a.owner.token,
    })
    return text.includes(id)
  })
})

t.test('a grant is suspended, resumed by those who may, and revoked', async (t) => {
  const path = `/portal/access/${a.all.id}`
  t.match(
    textOf(await send(owner, path, `${path}/suspend`, { reason })),
    /Suspended\. Access is refused/,
  )
  const there = `/staff/access/${a.all.id}`
  const seen = await second.get(there)
  t.match(textOf(seen), /Suspended by .* Only an owner of the client can resume it/)
  t.notMatch(seen.html, /\/resume"/, 'the staff are offered no button')
  t.match(textOf(await send(owner, path, `${path}/resume`, { reason })), /Resumed\./)
  await send(second, there, `${there}/suspend`, { reason })
  const again = await owner.get(path)
  t.match(textOf(again), /Suspend as an owner/)
  await owner.submit(again, `${path}/suspend`, { reason })
  t.notMatch((await second.get(there)).html, /\/resume"/)
  t.match(textOf(await send(owner, path, `${path}/resume`, { reason })), /Resumed\./)
  await send(second, there, `${there}/suspend`, { reason })
  t.match(textOf(await send(second, there, `${there}/resume`, { reason })), /Resumed\./)
  t.match(
    textOf(await send(owner, path, `${path}/revoke`, { reason })),
    /Access revoked\. It ended immediately/,
  )
  t.notMatch((await owner.get(path)).html, /\/revoke"/, 'what is over offers nothing')
})

t.test('emergency access: one reviewer at once, another one afterwards', async (t) => {
  const step = `/staff/ask/time?client=${a.id}&need=${a.need}&who=${ada.id}&path=portal`
  const time = await first.get(`${step}&area=tasks%3Aread&emergency=1`)
  const justification = 'The shop is down, and the task list says why.'
  const given = { hours: '2', justification, area: ['tasks:read'] }
  const draft = await first.submit(time, '/staff/ask/time', given)
  const id = /acr_\w+/.exec(draft.path)?.[0] ?? ''
  const sent = await first.submit(draft, `/staff/requests/${id}/submit`)
  t.match(textOf(sent), /Emergency/)
  const review = `/staff/requests/${id}`
  const approve = { decision: 'approve', reason }
  t.notMatch(textOf(await owner.get('/portal')), /Emergency access to your data/)
  t.match(textOf(await send(second, review, `${review}/reviews`, approve)), /Granted/)
  await until('it opens the records', async () => {
    return (await first.get('/staff/records/tasks')).status === 200
  })
  const { email } = await staff('reviewer')
  const third = await signedIn(email)
  const list = await third.get('/staff/emergency')
  t.match(textOf(list), /Emergency access 1 waiting/)
  const grant = /\/staff\/access\/gr_\w+/.exec(list.html)?.[0] ?? ''
  const begun = await owner.get('/portal')
  t.match(textOf(begun), /Emergency access to your data has started .* has access from/)
  t.match(begun.html, `href="${grant.replace('/staff/', '/portal/')}"`, 'with a link to the grant')
  const member = await signedIn(a.member.email)
  t.notMatch(textOf(await member.get('/portal')), /Emergency access/, 'it is for owners')
  const path = grant.replace('/staff/', '/portal/')
  await send(owner, path, `${path}/revoke`, { reason })
  t.match(textOf(await owner.get('/portal')), /Emergency access has ended .*View what it allowed/)
  const own = await send(second, grant, `${grant}/post-review`, { reason })
  t.equal(own.status, 403, 'who allowed it does not look at it afterwards')
  const looked = await send(third, grant, `${grant}/post-review`, { reason })
  t.match(textOf(looked), /Your review of this emergency access is recorded/)
  t.notMatch(textOf(await owner.get('/portal')), /Emergency access has/, 'until it was looked at')
})

t.test('a person is invited, invited again, and removed', async (t) => {
  const fields = { name: 'Nora', email: 'nora@a.example', roles: ['member'] }
  const shown = await send(owner, '/portal/members/new', '/portal/members/new', fields)
  const secret = /spai_\w{36}/
  const [once] = secret.exec(shown.html) ?? []
  const id = /usr_\w+/.exec(shown.html)?.[0] ?? ''
  const taken = await send(owner, '/portal/members/new', '/portal/members/new', fields)
  t.equal(taken.status, 409)
  const page = `/portal/members/${id}`
  const again = await send(owner, page, `${page}/reinvite`)
  const [twice] = secret.exec(again.html) ?? []
  t.ok(once && twice && once !== twice)
  const removed = await send(owner, page, `${page}/remove`, { reason })
  t.match(textOf(removed), /Person removed\. Their sessions/)
  t.notMatch((await owner.get('/portal/members')).html, new RegExp(id))
})

t.test('an authenticator code is set up, asked for, and removed', async (t) => {
  const { email } = await staff('auditor')
  const one = await signedIn(email)
  const offer = await send(one, '/staff/profile', '/staff/profile/code')
  const confirm = '/staff/profile/code/confirm'
  const wrong = await one.submit(offer, confirm, { code: '000000' })
  t.equal(wrong.status, 400)
  const [, text = ''] = /name="secret" value="(\w+)"/.exec(wrong.html) ?? []
  const totp = new TOTP({ secret: Secret.fromBase32(text) })
  const on = await one.submit(wrong, confirm, { code: totp.generate() })
  t.match(textOf(on), /now requires a code/)
  const other = new PlainBrowser(service.baseUrl, '10.22.1.1')
  t.equal((await other.signIn(email, password)).status, 401)
  const form = await other.get('/portal/sign-in')
  // Each code is valid once; the next one is accepted already.
  const next = totp.generate({ timestamp: Date.now() + 30_000 })
  const fields = { email, password, code: next }
  t.equal((await other.submit(form, '/portal/sign-in', fields)).path, '/staff')
  t.match(
    textOf(await send(one, '/staff/profile', '/staff/profile/code/off')),
    /no longer requires a code/,
  )
  const given = { password, new_password: 'another horse battery' }
  const changed = await send(one, '/staff/profile', '/staff/profile/password', given)
  t.match(textOf(changed), /Your password was changed/)
  t.match((await other.get('/staff')).path, /sign-in/, 'the other session is over')
  const out = await send(one, '/staff/profile', '/staff/profile/everywhere')
  t.match(textOf(out), /signed out on every device/)
})

t.test('lists of staff are narrowed to a client, and stay so with further filters', async (t) => {
  for (const list of ['grants', 'scopes', 'requests', 'needs', 'members', 'webhooks', 'custom']) {
    const page = await first.get(`/staff/${list}?client=${a.id}`)
    t.equal(page.status, 200, list)
    const chosen = new RegExp(`<option value="${a.id}" selected`)
    t.match(page.html, chosen, list)
    const path = `/portal/${list}`
    t.notMatch((await owner.get(path)).html, /name="client"/, `${path} has no choice of client`)
  }
  const other = await newClient()
  const needs = await first.get(`/staff/needs?client=${other.id}`)
  t.notMatch(needs.html, a.need, 'without the needs of another client')
  t.match((await first.get(`/staff/needs?client=${a.id}`)).html, a.need)
})
