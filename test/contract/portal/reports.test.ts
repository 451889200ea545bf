/**
 * Goal: reports are made, edited, published by a second person, read, superseded and withdrawn by
 * forms alone, by the people REST allows; others are told in words why not; people's texts stay
 * text; another client's reports do not exist. Method: a real service, plain HTTP, no script.
 */
import t from 'tap'
import { contracted, grantTo } from '../../helpers/access/clients.ts'
import { dataOf, patient } from '../../helpers/access/asking.ts'
import { ageSignIns } from '../../helpers/access/old-sign-ins.ts'
import { password } from '../../helpers/access/people.ts'
import {
  hiddenFields,
  textOf,
  unescaped,
  type Fields,
  type PageHeard,
} from '../../helpers/access/portal/plain-browser.ts'
import { signedInPlain } from '../../helpers/access/portal/portal.ts'
import { recordsOf, staffWithGrant } from '../../helpers/access/report-people.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { platformTenant } from '../../../proto/access/ids.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t)
const { a, b, insider, deciders, service } = world
const ask = patient(world.ask)
const signedIn = signedInPlain(service.baseUrl, '10.25.0')
const addRecord = recordsOf(world, a.id)
const made = await staffWithGrant(world, a, ['operator', 'reviewer'])
const published = await staffWithGrant(world, a, ['reviewer'])
const maker = await signedIn(made.email)
const publisher = await signedIn(published.email)
const owner = await signedIn(a.owner.email)
const other = await signedIn(b.owner.email)

const hostile = '<img src=x onerror="alert(1)">'
const today = new Date().toISOString().slice(0, 10)
const days = { from: today, to: today }
const task = await addRecord('tasks', {
  ...{ title: 'Clean the filters', status: 'completed' },
  completed_at: new Date().toISOString(),
})
const reason = 'The figures were of another month.'
const idIn = ({ html, path }: PageHeard) => /rpt_[0-9a-z]{26}/.exec(`${path} ${html}`)?.[0] ?? ''
const formFor = (kind: string, more = '') => `/staff/reports/new?client=${a.id}&kind=${kind}${more}`
const action = '/staff/reports/new'

/** Makes a draft by the maker's form. */
async function draft(fields: Fields = {}, kind = 'work_summary'): Promise<PageHeard> {
  const form = await maker.get(formFor(kind))
  const page = await maker.submit(form, action, { ...days, areas: ['tasks'], ...fields })
  t.equal(page.status, 200, textOf(page))
  return page
}

async function publishedBy(draft: PageHeard): Promise<PageHeard> {
  const path = `/staff/reports/${idIn(draft)}`
  return publisher.submit(await publisher.get(path), `${path}/publish`)
}

t.test('a person without grants is told what to ask for, without an error', async (t) => {
  const page = await owner.get('/portal/reports')
  t.equal(page.status, 200)
  t.match(textOf(page), /You have no access to reports\. People can see a report if they can read/)
  t.match(page.html, 'href="/portal/ask"')
  t.equal((await owner.get('/portal/reports/new')).status, 403, 'members make none')
  const auditor = await signedIn((await world.staff('auditor')).email)
  t.equal((await auditor.get(action)).status, 403)
  const operator = await signedIn((await world.staff('operator')).email)
  t.match(
    textOf(await operator.get(action)),
    /To create a report, you need access to what it covers/,
  )
})

t.test('a draft has a period and areas; each error is shown at its field', async (t) => {
  t.match(textOf(await maker.get('/staff/reports')), /There are no reports yet/)
  const chooser = await maker.get(`${action}?client=${a.id}`)
  for (const text of ['Audit', 'Metrics', 'Work summary', 'Work done: tasks']) {
    t.ok(textOf(chooser).includes(text), text)
  }
  const form = await maker.get(formFor('work_summary'))
  const wrong = await maker.submit(form, action, {
    from: today,
    to: '2020-01-01',
    areas: ['tasks'],
  })
  t.equal(wrong.status, 422)
  t.match(wrong.html, 'href="#f-to"')
  t.match(textOf(wrong), /Last day must not be before from/)
  const long = await maker.submit(wrong, action, {
    from: '2020-01-01',
    to: today,
    areas: ['tasks'],
  })
  t.match(textOf(long), /must be at most 400 days/)
  const none = await maker.submit(long, action, days)
  t.equal(none.status, 422)
  t.match(none.html, 'href="#f-areas"')
  const fields = { ...days, areas: ['tasks'], title: `Week ${hostile}` }
  const page = await maker.submit(none, action, fields)
  t.match(textOf(page), /Draft created\. Read it; another person must publish it/)
  t.match(textOf(page), /This is a draft/)
  t.match(textOf(page), /Tasks completed 1/, 'its figures at a glance')
  t.match(page.html, task.id, 'the record that they come from')
  t.match(textOf(page), /1 source, each pinned to the version that was read/)
  t.match(textOf(page), /Areas Tasks/)
  t.notMatch(page.html, /<img/)
  t.match(page.html, '&lt;img src=x')
  t.match(textOf(page), /by Sam Same \(you\)/)
  const listed = await maker.get('/staff/reports')
  t.match(textOf(listed), /Work summary .* Draft 1 Not yet [0-9a-f]{8} /)
  t.match(
    textOf(await maker.get('/staff/reports?status=published')),
    /No reports match this filter/,
  )
  t.match(
    textOf(await maker.get('/staff/reports?kind=audit&status=')),
    /No reports match this filter/,
  )
})

t.test('an area that the maker does not hold cannot be ticked', async (t) => {
  const some = await staffWithGrant(world, a, ['operator'], ['reports', 'tasks'])
  const one = await signedIn(some.email)
  const form = await one.get(formFor('work_summary'))
  t.match(form.html, /value="deployments"[^>]*disabled/)
  t.notMatch(form.html, /value="tasks"[^>]*disabled/)
  t.match(textOf(form), /You have no grant for all of its records/)
  const refused = await one.submit(form, action, { ...days, areas: ['tasks', 'deployments'] })
  t.equal(refused.status, 403)
  t.match(textOf(refused), /You hold no grant with deployments:read/)
  const stranger = await one.get(`${action}?client=${b.id}&kind=audit`)
  t.equal(stranger.status, 404)
})

t.test('the words of a draft are edited, and are shown as text', async (t) => {
  const page = await draft()
  const path = `/staff/reports/${idIn(page)}`
  const form = await maker.get(`${path}/edit`)
  const words = { title: `Title ${hostile}`, summary: `Quiet. ${hostile}` }
  const remarks = { remark_heading: ['Next', ''], remark_text: [`More ${hostile}`, 'No heading'] }
  const wrong = await maker.submit(form, `${path}/edit`, { ...words, ...remarks })
  t.equal(wrong.status, 422)
  t.match(wrong.html, 'href="#f-heading-1"')
  const right = { ...words, remark_heading: ['Next', ''], remark_text: [`More ${hostile}`, ''] }
  const saved = await maker.submit(wrong, `${path}/edit`, right)
  t.match(textOf(saved), /Saved\./)
  t.notMatch(saved.html, /<img/)
  t.ok(textOf(saved).includes(words.summary))
  t.match(textOf(saved), /Contents Next a remark by a person/)
  const stale = await maker.submit(form, `${path}/edit`, right)
  t.equal(stale.status, 412)
  const html = await maker.get(`${path}/content/html`)
  t.notMatch(html.html, /<img/)
  t.ok(textOf(html).includes(`More ${hostile}`))
})

t.test('the maker cannot publish it, and is told why', async (t) => {
  const page = await draft()
  const id = idIn(page)
  const path = `/staff/reports/${id}`
  t.match(textOf(page), /You edited this draft, so someone else must publish it/)
  t.notMatch(page.html, `${path}/publish`)
  const seen = hiddenFields((await publisher.get(path)).html, `${path}/publish`)
  const own = hiddenFields(page.html, '/portal/sign-out')
  const forced = await maker.post(`${path}/publish`, { ...seen, ...own })
  t.equal(forced.status, 403)
  t.match(textOf(forced), /Publishing a report requires a second person/)
  t.equal((await publisher.post(`${path}/publish`, { digest: 'x' })).status, 403, 'no token')
  const wrong = await publisher.submit(await publisher.get(path), `${path}/publish`, {
    digest: '0'.repeat(64),
  })
  t.equal(wrong.status, 412, 'nothing but exactly what was shown')
  t.match(textOf(wrong), /The draft has changed since it was shown/)
  const done = await publisher.submit(wrong, `${path}/publish`)
  t.match(textOf(done), /Report published\. It can no longer be changed/)
  t.match(textOf(done), /Published .*, by Sam Same \(you\)/)
  t.equal((await maker.get(`${path}/edit`)).status, 409)
})

const asksPassword = (page: PageHeard) => /Enter your password to continue/.test(textOf(page))

t.test('publishing asks again for a password that was given long ago', async (t) => {
  const page = await draft()
  const path = `/staff/reports/${idIn(page)}`
  const second = await staffWithGrant(world, a, ['reviewer'])
  const one = await signedIn(second.email)
  const shown = await one.get(path)
  await ageSignIns(insider, { id: second.id, tenant: platformTenant }, 2)
  await until('the gateway knows how old it is', async () => {
    // A draft cannot be withdrawn, so this changes nothing, with a fresh or an old sign-in.
    const fields = { ...hiddenFields(shown.html, `${path}/publish`), reason }
    return asksPassword(await one.post(`${path}/withdraw`, fields))
  })
  const asked = await one.submit(shown, `${path}/publish`)
  t.ok(asksPassword(asked))
  const done = await one.submit(asked, `${path}/publish`, { step_up_password: password })
  t.match(textOf(done), /Report published\. It can no longer be changed/)
})

t.test('members read reports whose areas they all hold, in each format; others none', async (t) => {
  const page = await publishedBy(await draft({ title: 'For the members' }))
  const id = idIn(page)
  const unpublished = idIn(await draft({ title: 'Not for anybody yet' }))
  const subject = { kind: 'person', id: a.owner.id } as const
  const permissions = contracted.map(({ area }) => ({
    area,
    actions: area === 'reports' ? (['read', 'export'] as const) : (['read'] as const),
  }))
  await grantTo(insider.directory, a, deciders, { permissions, subject, path: 'portal' })
  const path = `/portal/reports/${id}`
  const shown = await until('the gateway knows the grant', async () => {
    const answer = await owner.get(path)
    return answer.status === 200 && answer
  })
  t.match(textOf(shown), /For the members/)
  t.match(textOf(shown), /by Staff/, 'staff are not named to members')
  t.match(shown.html, `href="/portal/records/tasks/${task.id}"`)
  t.notMatch(shown.html, /\/withdraw"|\/publish"/)
  const list = await owner.get('/portal/reports')
  t.match(list.html, id)
  t.notMatch(list.html, unpublished)
  t.equal((await owner.get(`/portal/reports/${unpublished}`)).status, 404)

  const html = await owner.get(`${path}/content/html`)
  t.match(html.headers.get('content-security-policy'), /^sandbox; default-src 'none'/)
  t.match(html.html, '<h1>For the members</h1>')
  const csv = await owner.get(`${path}/content/csv`)
  t.match(csv.headers.get('content-disposition'), /^attachment; filename="[a-z0-9-]+\.csv"$/)
  t.match(csv.html, /At a glance,Tasks completed,Now,1,count,/)
  const json = JSON.parse((await owner.get(`${path}/content/json`)).html) as { data: object }
  t.match(json.data, { id, status: 'published' })
  t.equal((await owner.get(`${path}/content/exe`)).status, 404)
  t.match((await owner.get(`${path}/content/pdf`)).status, /^(200|503)$/)

  const plain = (heard: PageHeard) => heard.html.replaceAll(/req_\w+|value="[^"]*"/g, '')
  await grantTo(insider.directory, b, deciders, {
    ...{ permissions, path: 'portal', subject: { kind: 'person', id: b.owner.id } },
  })
  const theirs = await until('theirs is known too', async () => {
    const answer = await other.get(path)
    return answer.status === 404 && answer
  })
  t.equal(plain(theirs), plain(await other.get(`/portal/reports/rpt_${'0'.repeat(26)}`)))
  t.equal((await other.get(`${path}/content/html`)).status, 404)
  t.notMatch((await other.get('/portal/reports')).html, id)
})

t.test('a newer report supersedes it, and is withdrawn with a reason', async (t) => {
  const old = await publishedBy(await draft({ title: 'The first one' }))
  const oldId = idIn(old)
  const href = unescaped(
    /href="(\/staff\/reports\/new[^"]*supersedes[^"]*)"/.exec(old.html)?.[1] ?? '',
  )
  const form = await maker.get(href || formFor('work_summary', `&supersedes=${oldId}`))
  t.match(form.html, new RegExp(`value="${oldId}" selected`))
  const fields = { ...days, areas: ['tasks'], supersedes: oldId, title: 'The second one' }
  const next = await publishedBy(await maker.submit(form, action, fields))
  const id = idIn(next)
  const superseded = await publisher.get(`/staff/reports/${oldId}`)
  t.match(textOf(superseded), /Superseded .*This report was replaced by a newer one/)
  t.match(superseded.html, `href="/staff/reports/${id}"`)
  t.match(next.html, `href="/staff/reports/${oldId}"`)
  t.notMatch(superseded.html, '/withdraw"')

  const path = `/staff/reports/${id}`
  const short = await publisher.submit(await publisher.get(path), `${path}/withdraw`, {
    reason: 'short',
  })
  t.equal(short.status, 422)
  t.match(short.html, 'href="#f-reason-withdraw"')
  const gone = await publisher.submit(short, `${path}/withdraw`, { reason })
  t.match(textOf(gone), /Report withdrawn\. No one can see its content any more/)
  t.match(textOf(gone), new RegExp(`Do not use its content ${reason}`))
  t.notMatch(gone.html, '/content/')
  const content = await publisher.get(`${path}/content/html`)
  t.equal(content.status, 410)
  t.match(textOf(content), /This report was withdrawn/)
  await until('the audit tells of all of it', async () => {
    const query = `client_id=${a.id}&limit=100`
    const heard = await ask('GET', `/v1/audit-entries?${query}`, { token: world.ada.token })
    const actions = dataOf<readonly { readonly action: string }[]>(heard).map((one) => one.action)
    return ['report.superseded', 'report.withdrawn'].every((one) => actions.includes(one))
  })
})

t.test('a list is paged by cursors', async (t) => {
  for (let n = 0; n < 26; n++) {
    const body = { client_id: a.id, kind: 'metrics', period: days, areas: ['tasks'] }
    dataOf(await ask('POST', '/v1/reports', { token: made.token, body }))
  }
  const rows = ({ html }: PageHeard) => html.match(/reports\/rpt_\w+"/g) ?? []
  const first = await maker.get('/staff/reports?kind=metrics')
  t.equal(rows(first).length, 25)
  const next = unescaped(/href="([^"]*)">Next page/.exec(first.html)?.[1] ?? '')
  const second = await maker.get(next)
  t.equal(rows(second).length, 1)
  t.equal(new Set([...rows(first), ...rows(second)]).size, 26)
})
