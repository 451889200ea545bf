/**
 * Goal: one complete engagement: a member asks for access, two people review it, its token reads
 * records, a webhook arrives and verifies, a change is completed and shows in a report, and
 * everything is in the audit. Method: people in a real Chromium on the portal, programs over REST,
 * a real receiver; only the first people, client and monitor are made directly.
 */
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { auditOf } from '../../helpers/access/audit/audit.ts'
import { dataOf, patient, type Heard } from '../../helpers/access/asking.ts'
import { password, type Person } from '../../helpers/access/people.ts'
import { recordsOf, staffWithGrant } from '../../helpers/access/report-people.ts'
import { loopbackWebhooks, makeEndpoint, verifyEndpoint } from '../../helpers/access/webhooks.ts'
import { furnish } from '../../helpers/access/world.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const env = { ...loopbackWebhooks, POOL_HEADLESS: '0', POOL_HEADFUL: '0' }
const service = await startService({ env })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const world = await furnish(insider, service.baseUrl)
const { a, ada, grace } = world
const ask = patient(world.ask)
const browser = await launchChromium()
t.teardown(() => browser.close())

const hourMs = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()
const reason = 'It is what the engagement needs.'

/** Each person has a tab of the portal. */
async function portalOf({ email }: Pick<Person, 'email'>): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await until('they are signed in', async () => {
    await page.goto(`${service.baseUrl}/portal/sign-in`)
    await page.fill('#f-email', email)
    await page.fill('#f-password', password)
    await page.click('button[type=submit]')
    return !page.url().includes('sign-in')
  })
  return page
}

async function review(page: Page, path: string): Promise<string> {
  await page.goto(service.baseUrl + path)
  await page.check('input[name=decision][value=approve]')
  await page.fill('textarea[name=reason]', reason)
  await page.click('form[action$="/reviews"] button[type=submit]')
  await page.waitForSelector('.notice')
  return (await page.textContent('main')) ?? ''
}

/** A request made over REST is reviewed in the portal by each reviewer it needs. */
async function granted(terms: object): Promise<string> {
  const asked = { client_id: a.id, scope_id: a.scope, need_id: a.need, ...terms }
  const draft = dataOf<{ id: string; version: number }>(
    await ask('POST', '/v1/access-requests', { token: a.member.token, body: asked }),
  )
  const path = `/v1/access-requests/${draft.id}`
  dataOf(await ask('POST', `${path}/submit`, { token: a.member.token, seen: draft.version }))
  const staff = await portalOf(grace)
  await review(staff, `/staff/requests/${draft.id}`)
  const owner = await portalOf(a.owner)
  await review(owner, `/portal/requests/${draft.id}`)
  const done = await until('it is granted', async () => {
    const one = dataOf<{ status: string; grant_id: string }>(
      await ask('GET', path, { token: a.member.token }),
    )
    return one.status === 'fulfilled' && one
  })
  return done.grant_id
}

const program = { kind: 'integration', id: 'newsletter' }
const contacts = [{ area: 'contacts', actions: ['read'] }]
const justification = 'The newsletter tool reads them once an hour.'
const common = {
  subject: program,
  permissions: contacts,
  justification,
  ends_at: iso(Date.now() + 240 * hourMs),
}

t.test('a member asks for access, two people review it, and its token reads records', async (t) => {
  const grant = await granted({ ...common, path: 'api' })
  const minted = await ask('POST', `/v1/grants/${grant}/tokens`, {
    token: a.owner.token,
    body: { name: 'newsletter', scopes: ['contacts:read'], expires_at: iso(Date.now() + hourMs) },
  })
  const { secret } = dataOf<{ secret: string }>(minted)
  await until('the token is known', async () => {
    return (await ask('GET', '/v1/contacts', { token: secret })).status === 200
  })
  t.equal((await ask('GET', '/v1/opportunities', { token: secret })).status, 403)
  const why = dataOf(await ask('GET', '/v1/access', { token: secret }))
  t.match(why, { client: { id: a.id }, scope: { id: a.scope }, need: { id: a.need } })
})

t.test('a webhook arrives and verifies', async (t) => {
  const receiver = await startReceiver(t)
  const grant = await granted({ ...common, path: 'webhooks' })
  const endpoint = await makeEndpoint(ask, a.owner, {
    ...{ grant_id: grant, url: receiver.url, events: ['contact.*', 'change.done'] },
  })
  await verifyEndpoint(ask, a.owner, endpoint.id)
  const body = { first_name: 'Ada', last_name: 'Lovelace' }
  const { id } = dataOf(await ask('POST', '/v1/contacts', { token: a.all.token, body }))
  const [told] = await until('the contact is told of', () => {
    const found = receiver.of('contact.created')
    return found.length > 0 && found
  })
  new Webhook(endpoint.secret).verify(told!.body, told!.headers)
  t.match(told!.json.data.object, { area: 'contacts', id })

  const done = await changeDone()
  const [change] = await until('the change is told of', () => {
    const found = receiver.of('change.done')
    return found.length > 0 && found
  })
  new Webhook(endpoint.secret).verify(change!.body, change!.headers)
  t.match(change!.json.data, { object: { kind: 'change', id: done }, status: 'done' })
})

interface ChangeJson {
  readonly id: string
  readonly version: number
  readonly digest: string
}
const title = 'Ask the shop more often'

/** Three people: one proposes it, one approves it, one carries it out. */
async function changeDone(): Promise<string> {
  const [proposer, manager, doer] = [
    await world.staff('operator'),
    await world.staff('change_manager'),
    await world.staff('operator'),
  ]
  const monitor = await recordsOf(world, a.id)('monitoring', {
    ...{ name: 'Shop', kind: 'http', target: 'https://shop.example', interval_s: 300 },
  })
  const change = (heard: Heard) => dataOf<ChangeJson>(heard)
  const say = (by: Person, verb: string, { id, version }: ChangeJson, body?: object) =>
    ask('POST', `/v1/changes/${id}/${verb}`, {
      ...{ token: by.token, seen: version, ...(body && { body }) },
    })
  const body = {
    ...{ client_id: a.id, need_id: a.need, kind: 'monitoring', title },
    ...{ target: { id: monitor.id, version: 1 }, patch: { interval_s: 60 } },
    ...{ impact: 'Nobody notices it.', test_plan: 'A check comes each minute.' },
    rollback_plan: 'Set the interval back.',
  }
  const draft = change(await ask('POST', '/v1/changes', { token: proposer.token, body }))
  const proposed = change(await say(proposer, 'propose', draft))
  const decision = { decision: 'approve', reason, digest: proposed.digest }
  const approved = change(await say(manager, 'reviews', proposed, decision))
  const start = Date.now() + 500
  const window = { start: iso(start), end: iso(start + hourMs) }
  const waiting = change(await say(manager, 'schedule', approved, { window }))
  const begun = await until('its window is open', async () => {
    const answer = await say(doer, 'start', waiting)
    return answer.status !== 409 && change(answer)
  })
  const evidence = { evidence: ['https://ci.example/run/7'] }
  t.match(change(await say(doer, 'complete', begun, evidence)), { status: 'done' })
  const seen = await ask('GET', `/v1/monitoring/${monitor.id}`, { token: a.all.token })
  t.match(dataOf(seen), { interval_s: 60, version: 2 })
  return begun.id
}

t.test('the change shows in a report that a second person has published', async (t) => {
  const maker = await staffWithGrant(world, a, ['operator'])
  const publisher = await staffWithGrant(world, a, ['reviewer'])
  const today = iso(Date.now()).slice(0, 10)
  const body = { client_id: a.id, kind: 'work_summary', period: { from: today, to: today } }
  const made = await ask('POST', '/v1/reports', { token: maker.token, body })
  const draft = dataOf<ChangeJson>(made)
  const path = `/v1/reports/${draft.id}`
  const published = await ask('POST', `${path}/publish`, {
    ...{ token: publisher.token, seen: draft.version, body: { digest: draft.digest } },
  })
  t.match(dataOf(published), { status: 'published' })
  const html = await ask('GET', `${path}/content`, {
    token: a.all.token,
    headers: { accept: 'text/html' },
  })
  t.match(html.text, 'Changes done')
  t.match(html.text, title)
})

t.test('everything is in the audit, whose chain verifies', async (t) => {
  const actions = ['request.reviewed', 'grant.token_created', 'endpoint.verified', 'change.done']
  for (const action of [...actions, 'report.published']) {
    await until(`the audit has ${action}`, async () => {
      const entries = await auditOf(insider.store, a.id)
      return entries.some((entry) => entry.action === action)
    })
  }
  const verified = await ask('GET', `/v1/audit-entries/verify?client_id=${a.id}`, {
    token: ada.token,
  })
  t.match(dataOf(verified), { ok: true })
})
