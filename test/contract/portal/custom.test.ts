/**
 * Goal: the portal lists the custom views of a client, explains how one is made, and shows a view's
 * content to those who were granted it, and nothing else of its area. Method: a real service, plain
 * HTTP, no script; the view is made by a change from the portal's own form.
 */
import t from 'tap'
import { dataOf, patient, type EntityJson } from '../../helpers/access/asking.ts'
import { grantTo } from '../../helpers/access/clients.ts'
import { password } from '../../helpers/access/people.ts'
import {
  PlainBrowser,
  textOf,
  unescaped,
  type PageHeard,
} from '../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { service, insider, a, b, ada, grace, deciders, staff, ask: once } = await openWorld(t)
const ask = patient(once)
let browsers = 0

async function signedIn(email: string): Promise<PlainBrowser> {
  const one = new PlainBrowser(service.baseUrl, `10.25.0.${++browsers}`)
  await until('they are signed in', async () => {
    return (await one.signIn(email, password)).status === 200
  })
  return one
}

const member = await signedIn(a.member.email)
const stranger = await signedIn(b.owner.email)
const manager = await staff('change_manager')
const doer = await staff('operator')
const reason = 'as a test of custom views'
const linkTo = ({ html }: PageHeard, part: string) =>
  unescaped(new RegExp(`href="([^"]*${part}[^"]*)"`).exec(html)?.[1] ?? '')

/** Takes a change from draft to done over REST: another test covers the portal's way. */
async function carryOut(id: string): Promise<void> {
  const path = `/v1/changes/${id}`
  let { version, digest } = dataOf(await ask('GET', path, { token: ada.token }))
  const say = async (token: string, verb: string, body?: object) => {
    const answer = await ask('POST', `${path}/${verb}`, {
      token,
      seen: version,
      ...(body && { body }),
    })
    ;({ version, digest } = dataOf<EntityJson>(answer))
  }
  await say(a.member.token, 'propose')
  for (const { token } of [manager, a.owner]) {
    await say(token, 'reviews', { decision: 'approve', reason, digest })
  }
  const start = new Date(Date.now()).toISOString()
  const end = new Date(Date.now() + 3_600_000).toISOString()
  await say(manager.token, 'schedule', { window: { start, end } })
  await say(doer.token, 'start')
  await say(doer.token, 'complete', { evidence: ['seen'] })
}

const plans = {
  ...{ impact: 'Its readers see the list.', test_plan: 'The list is read once.' },
  ...{ rollback_plan: 'Retire it again.', type: 'normal', risk: 'low' },
}
const condition = {
  ...{ 'patch.where.0.field': 'lifecycle_stage', 'patch.where.0.equals': 'subscriber, customer' },
  ...{ 'patch.where.1.field': '', 'patch.where.1.equals': '' },
}
let view = ''

t.test('with no view the page explains how one is made, with a link to do so', async (t) => {
  const empty = await member.get('/portal/custom')
  t.match(textOf(empty), /A custom view is created by a change/)
  const which = await member.get(linkTo(empty, 'kind=custom_access'))
  t.match(textOf(which), /Lists the records that your portal grants show/)
  const source = await member.get('/portal/changes/new?kind=custom_access&record=new')
  t.match(textOf(source), /A custom view shows records of one area/)
  const form = await member.get('/portal/changes/new?kind=custom_access&record=new&source=contacts')
  const wrong = {
    ...{ title: 'A list for the newsletter', need_id: a.need, ...plans, ...condition },
    ...{ 'patch.title': 'Those who get the newsletter', 'patch.slug': 'Not So' },
    ...{ 'patch.sort': 'job_title', 'patch.fields': ['first_name', 'email'] },
  }
  const refused = await member.submit(form, '/portal/changes/new', wrong)
  t.equal(refused.status, 422)
  t.match(textOf(refused), /Slug must be lower-case letters, digits and hyphens/)
  t.match(textOf(refused), /Sort order must be one of created_at/)
  t.match(refused.html, /value="email" checked/, 'what was chosen stays')
  t.match(refused.html, 'value="subscriber, customer"')
  const draft = await member.submit(refused, '/portal/changes/new', {
    ...{ ...wrong, 'patch.slug': 'newsletter-list', 'patch.sort': '-updated_at' },
  })
  t.match(textOf(draft), /Those who get the newsletter/)
  await carryOut(/chg_\w+/.exec(draft.path)?.[0] ?? '')
  const list = await until('the gateway knows the view', async () => {
    const page = await member.get('/portal/custom')
    return page.html.includes('/portal/custom/cus_') && page
  })
  t.match(textOf(list), /Contacts: First name, Email Lifecycle stage is subscriber or customer/)
  t.match(textOf(list), /No one yet A list for the newsletter/)
  view = linkTo(list, '/custom/cus_')
})

t.test('for another client the view does not exist', async (t) => {
  const page = await stranger.get(view)
  const absent = await stranger.get(view.replace(/cus_\w+/, 'cus_00000000000000000000000000'))
  t.equal(page.status, 404)
  const plain = ({ html }: PageHeard) => html.replaceAll(/req_\w+|value="[^"]*"/g, '')
  t.equal(plain(page), plain(absent))
  t.notMatch((await stranger.get('/portal/custom')).html, 'cus_')
})

async function contract(): Promise<void> {
  const scope = `/v1/service-scopes/${a.scope}`
  const { current, version } = dataOf<{ current: { areas: object[] }; version: number }>(
    await ask('GET', scope, { token: ada.token }),
  )
  const areas = [...current.areas, { area: 'custom/newsletter-list', actions: ['read'] }]
  const put = { token: ada.token, seen: version, body: { ...current, areas } }
  const wider = dataOf(await ask('PUT', `${scope}/terms`, put))
  const confirm = { token: grace.token, seen: wider.version, body: { digest: wider.digest } }
  t.equal((await ask('POST', `${scope}/confirm`, confirm)).status, 200)
}

t.test('only those granted it see its records, with its fields alone', async (t) => {
  const before = await member.get(view)
  t.match(textOf(before), /None of your portal grants includes this view/)
  const make = (fields: object) => ask('POST', '/v1/contacts', { token: a.all.token, body: fields })
  const stages = [
    ['Rosa', 'subscriber'],
    ['Gus', 'customer'],
    ['Tom', 'lead'],
  ]
  for (const [name, stage] of stages) {
    const email = `${name}@same.example`.toLowerCase()
    const fields = { first_name: name, email, job_title: 'Countess', lifecycle_stage: stage }
    t.equal((await make(fields)).status, 201)
  }
  await contract()
  const asking = await until('the gateway knows the scope', async () => {
    const page = await member.get(`/portal/ask/areas?need=${a.need}&who=${a.member.id}`)
    return page.html.includes('custom/newsletter-list:read') && page
  })
  t.match(textOf(asking), /Custom views Those who get the newsletter/)
  const time = await member.get(
    `/portal/ask/time?need=${a.need}&who=${a.member.id}&path=portal&area=custom%2Fnewsletter-list%3Aread`,
  )
  const check = await member.submit(time, '/portal/ask/time', {
    ...{ ends_at: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) },
    ...{ justification: 'To see who gets the newsletter.' },
  })
  t.match(textOf(check), /Custom access “newsletter-list” Read/)
  await grantTo(insider.directory, a, deciders, {
    ...{ path: 'portal', subject: { kind: 'person', id: a.member.id } },
    permissions: [{ area: 'custom/newsletter-list', actions: ['read'] }],
  })
  const page = await until('the gateway knows the grant, and the records', async () => {
    const found = await member.get(view)
    return /Rosa/.test(textOf(found)) && /Gus/.test(textOf(found)) && found
  })
  for (const row of [/First name Email/, /Gus gus@same\.example/, /Rosa rosa@same\.example/]) {
    t.match(textOf(page), row)
  }
  t.notMatch(page.html, /Countess|Tom|tom@same/, 'no other field and no other record')
  t.match(textOf(page), /Granted to Sam Same \(you\)/)
  t.equal((await member.get('/portal/records/contacts')).status, 403, 'its area is not opened')
})

t.test('a view is changed and retired by another change', async (t) => {
  const page = await member.get(view)
  const form = await member.get(linkTo(page, '/changes/new'))
  t.match(form.html, /value="email" checked/, 'it begins as the view is')
  t.match(form.html, 'value="subscriber, customer"')
  const draft = await member.submit(form, '/portal/changes/new', {
    ...{ title: 'Names alone will do', need_id: a.need, ...plans, ...condition },
    ...{ 'patch.title': 'Those who get the newsletter', 'patch.sort': '-updated_at' },
    'patch.fields': ['first_name'],
  })
  t.match(textOf(draft), /Fields First name, email First name/i)
  const id = /cus_\w+/.exec(view)?.[0] ?? ''
  const path = `/portal/changes/new?kind=custom_access&record=${id}&does=delete`
  const removal = await member.submit(await member.get(path), '/portal/changes/new', {
    ...{ title: 'Retire the newsletter list', need_id: a.need, ...plans },
  })
  t.match(textOf(removal), /The target is deleted/)
  await carryOut(/chg_\w+/.exec(removal.path)?.[0] ?? '')
  const gone = await until('the gateway knows', async () => {
    const found = await member.get(view)
    return /This view was retired by a change/.test(textOf(found)) && found
  })
  t.notMatch(gone.html, /rosa@same/)
})
