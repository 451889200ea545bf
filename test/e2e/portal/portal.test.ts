/**
 * Goal: the portal is accessible. In a real Chromium: axe-core finds nothing on any page and state,
 * light and dark; nothing is wider than a phone; the two main tasks work by keyboard alone, and
 * without scripts too; and the content of records is shown as text everywhere.
 */
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { needActor } from '../../../proto/access/engagement/need.ts'
import { buckets } from '../../../proto/subjects.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { grantTo } from '../../helpers/access/clients.ts'
import { furnish } from '../../helpers/access/world.ts'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { isSideways, opener, press, tabTo } from '../../helpers/access/portal/pages.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

t.setTimeout(600_000)

const service = await startService({ env: { POOL_HEADLESS: '0', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const world = await furnish(insider, service.baseUrl)
const { a, grace, deciders } = world
const browser = await launchChromium()
t.teardown(() => browser.close())

const hostile = '<script>globalThis.taken = 1</script><img src=x onerror="globalThis.taken = 1">'
const bidi = '\u202Egnp.exe'

/** Records and a need whose fields contain markup and scripts. */
async function furnishHostile() {
  const { directory, store } = insider
  const records = new RecordStore(store.bucket(buckets.records))
  const by = systemAuthor('test')
  const make = async (area: 'contacts' | 'tasks', fields: Readonly<Record<string, unknown>>) => {
    const id = newRecordId(area)
    const order = { client: a.id, area, id, fields, action: 'create' } as const
    await records.create(createdRecord(order, { by }, Date.now()))
    return id
  }
  const contact = await make('contacts', {
    ...{ first_name: hostile, last_name: bidi, company_name: hostile, tags: [hostile] },
    ...{ email: 'x@example.com', lifecycle_stage: 'lead', lead_status: hostile, source: hostile },
    custom_fields: { note: hostile, link: 'javascript:globalThis.taken=1' },
    consent: { basis: hostile, at: '2026-01-01T00:00:00.000Z' },
  })
  for (let n = 0; n < 30; n++) {
    await make('contacts', { first_name: 'Rosa', last_name: `Nr ${n}`, tags: [] })
  }
  const task = await make('tasks', {
    ...{ title: hostile, body: `${hostile}\n${'long'.repeat(400)}`, status: 'waiting' },
    ...{ priority: 'high', checklist: [{ title: hostile, done: true }] },
  })
  const need = newAccessId('need')
  await directory.create(
    needActor,
    need,
    {
      ...{ id: need, tenant: a.id, by: deciders.first, createdAtMs: Date.now() },
      ...{ title: hostile, purpose: hostile, category: 'support', ownerId: a.owner.id },
      ...{ reference: { kind: 'ticket', id: hostile } },
      expectedEndAtMs: Date.now() + 86_400_000 * 300,
    },
    { tenant: a.id },
  )
  const update = { type: 'update', by: deciders.first, patch: { name: `Same ${hostile}` } } as const
  await directory.ask(clientActor, a.id, update)
  const { id: grant } = await grantTo(directory, a, deciders, {
    ...{ path: 'portal', subject: { kind: 'person', id: a.member.id }, needId: need },
    justification: `${hostile} and so on`,
    permissions: [
      { area: 'contacts', actions: ['read'] },
      { area: 'tasks', actions: ['read'] },
    ],
  })
  await grantTo(directory, a, deciders, {
    ...{ emergency: true, endsAtMs: Date.now() + 3_600_000, needId: need },
    permissions: [{ area: 'contacts', actions: ['read'] }],
  })
  return { contact, task, need, grant }
}
const made = await furnishHostile()

const open = opener(browser, service.baseUrl)

const at = (page: Page, path: string) => page.goto(service.baseUrl + path)

const shared = (base: '/portal' | '/staff') =>
  [
    ...['', '/records', '/access', '/ask', '/requests', '/needs', '/grants', '/profile', '/help'],
    ...['/members', '/unknown', `/needs/${made.need}`, `/access/${made.grant}`],
    `/requests/${a.reader.request}`,
    `/access/${a.all.id}`,
  ].map((path) => base + path)

const ofMember = [
  ...shared('/portal'),
  ...['/portal/tokens', '/portal/records/contacts', '/portal/records/tasks'],
  '/portal/records/contacts?filter[lifecycle_stage]=customer&sort=last_name',
  ...[`/portal/records/contacts/${made.contact}`, `/portal/records/tasks/${made.task}`],
  ...['/portal/records/projects', `/portal/members/${a.owner.id}`],
  `/portal/ask/areas?need=${a.need}&who=${a.member.id}`,
  `/portal/ask/time?need=${a.need}&who=${a.member.id}&path=portal&area=tasks%3Aread`,
]
const ofOwner = [
  ...['/portal/reviews', '/portal/audit', '/portal/audit/verify', '/portal/needs/new'],
  ...['/portal/members/new', `/portal/members/${a.member.id}`, '/portal', '/portal/tokens'],
  `/portal/clients/${a.id}/who`,
]
const ofStaff = [
  ...shared('/staff'),
  ...['/staff/reviews', '/staff/clients', '/staff/clients/new', `/staff/clients/${a.id}`],
  ...['/staff/scopes', '/staff/scopes/new', `/staff/scopes/${a.scope}`, '/staff/emergency'],
  ...[`/staff/scopes/${a.scope}/terms`, '/staff/people', `/staff/people/${grace.id}`],
  ...['/staff/people/new', '/staff/members/new', '/staff/audit', `/staff/ask?client=${a.id}`],
  ...['/staff/ask?emergency=1', `/staff/clients/${a.id}/who`],
]
const beforeSignIn = [
  ...['/', '/portal/sign-in', '/portal/invitation', '/portal/reset', '/portal/sign-in?told=idle'],
]

/** A missing page is 404; projects are not granted to anybody here, so they are 403. */
const statusOf = (path: string) =>
  path.endsWith('/unknown') ? 404 : path.endsWith('/records/projects') ? 403 : 200

const visitors = [
  ['nobody', undefined, beforeSignIn],
  ['a member', a.member.email, ofMember],
  ['an owner', a.owner.email, ofOwner],
  ['staff', grace.email, ofStaff],
] as const

async function contextOf(
  email: string | undefined,
): Promise<{ context: BrowserContext; page: Page }> {
  if (email !== undefined) return open(email)
  const context = await browser.newContext()
  return { context, page: await context.newPage() }
}

t.test('every page: axe, 320 px, one heading, nothing that runs', async (t) => {
  // Side by side, because a page is mostly waited for; each visitor has a browser context.
  t.jobs = visitors.length
  for (const [name, email, paths] of visitors) {
    t.test(name, async (t) => {
      const { context, page } = await contextOf(email)
      const complaints: string[] = []
      page.on('console', (message) => {
        // The browser's own message about the status of a page is expected.
        if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text())
      })
      for (const path of paths) {
        await page.setViewportSize({ width: 1280, height: 800 })
        const answer = await at(page, path)
        t.equal(answer?.status(), statusOf(path), path)
        t.equal(await page.locator('h1').count(), 1, `${path} has one heading`)
        await isAccessible(t, page, path)
        await page.setViewportSize({ width: 320, height: 640 })
        t.notOk(await isSideways(page), `${path} fits 320 px`)
        t.equal(await page.evaluate('globalThis.taken'), undefined, `${path} runs nothing`)
        const links = await page.locator('a[href^="javascript:" i]').count()
        t.equal(links, 0, `${path} links to no script`)
      }
      t.same(complaints, [], 'the policy stopped nothing, for there was nothing to stop')
      await context.close()
    })
  }
})

t.test('the content of records is shown as text', async (t) => {
  const { context, page } = await open(a.member.email)
  await at(page, `/portal/records/contacts/${made.contact}`)
  const shown = (await page.locator('main').textContent()) ?? ''
  for (const text of [hostile, bidi, 'javascript:globalThis.taken=1']) t.ok(shown.includes(text))
  t.ok((await page.title()).includes(hostile))
  await at(page, `/portal/needs/${made.need}`)
  t.equal(await page.locator('h1').textContent(), hostile)
  await context.close()
})

t.test('axe: the menu and a list on a phone, and a form with an error', async (t) => {
  const { context, page } = await open(a.owner.email, { viewport: { width: 320, height: 640 } })
  t.notOk(await page.isVisible('nav#menu'))
  await page.click('.menu-button')
  t.ok(await page.isVisible('nav#menu'))
  await isAccessible(t, page, 'the open menu')
  await page.keyboard.press('Escape')
  t.notOk(await page.isVisible('nav#menu'))
  await at(page, '/portal/records/contacts')
  await isAccessible(t, page, 'a list that can be sorted')
  await at(page, '/portal/needs/new')
  await page.fill('#f-title', 'too short'.slice(0, 5))
  await page.fill('#f-purpose', 'A purpose that is long enough for it.')
  await page.fill('#f-reference', 'T-1')
  await page.click('main button[type=submit]')
  await page.waitForSelector('.notice.bad')
  await isAccessible(t, page, 'a form with an error')
  t.notOk(await isSideways(page))
  const focused = await page.evaluate<string>('document.activeElement.className')
  t.match(focused, /notice bad/, 'the summary has the focus')
  await page.click('.notice.bad a')
  t.equal(await page.evaluate('document.activeElement.id'), 'f-title')
  await context.close()
})

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
  t.test(`asking and reviewing work by keyboard alone, ${how}`, async (t) => {
    const asker = await open(a.member.email, { javaScriptEnabled })
    const { page } = asker
    await at(page, '/portal')
    await page.keyboard.press('Tab')
    if (javaScriptEnabled) {
      t.equal(
        await page.evaluate('document.activeElement.className'),
        'skip',
        'the skip link is first',
      )
    }
    const byKeys = javaScriptEnabled
      ? (selector: string) => tabTo(page, selector)
      : (selector: string) => page.focus(selector)
    await byKeys('main a[href="/portal/ask"]')
    await press(page, 'Enter')
    await byKeys('input[name=need]')
    await page.keyboard.press('Space')
    await byKeys('main button[type=submit]')
    await press(page, 'Enter')
    await byKeys('input[value="onboarding:read"]')
    await page.keyboard.press('Space')
    await byKeys('main button[type=submit]')
    await press(page, 'Enter')
    await byKeys('textarea[name=justification]')
    await page.keyboard.type('To see how far we have come with it.')
    await byKeys('main button[type=submit]')
    await press(page, 'Enter')
    t.equal(await page.locator('h1').textContent(), 'Check your answers')
    await byKeys('form[action$="/submit"] button')
    await press(page, 'Enter')
    const id = /acr_\w+/.exec(page.url())?.[0] ?? ''
    t.match(await page.locator('main').textContent(), /Waiting for review/)
    await asker.context.close()

    const judge = await open(grace.email, { javaScriptEnabled })
    const other = judge.page
    const byKeysToo = javaScriptEnabled
      ? (selector: string) => tabTo(other, selector)
      : (selector: string) => other.focus(selector)
    await at(other, '/staff/reviews')
    await byKeysToo(`a[href$="${id}"]`)
    await press(other, 'Enter')
    await byKeysToo('input[name=decision]')
    await other.keyboard.press('Space')
    await byKeysToo('textarea[name=reason]')
    await other.keyboard.type('It is what their work needs.')
    await byKeysToo('form[action$="/reviews"] button')
    await press(other, 'Enter')
    t.match(await other.locator('main').textContent(), /Access granted\. Yours was the last review/)
    await judge.context.close()
  })
}

t.test('a session about to end shows a warning, and one press extends it', async (t) => {
  const { context, page } = await open(a.member.email)
  await page.clock.install()
  await at(page, '/portal/needs')
  t.notOk(await page.isVisible('#stay'))
  await page.clock.fastForward('29:00')
  t.ok(await page.isVisible('#stay'))
  await isAccessible(t, page, 'the warning')
  await page.click('#stay button')
  await page.waitForSelector('.notice.good')
  t.match(await page.locator('.notice.good').textContent(), /You are still signed in/)
  t.match(page.url(), /\/portal\/needs\?told=still-here/)
  await context.close()
})

t.test('a link to an invitation fills it in, and removes it from the address', async (t) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await at(page, '/portal/invitation#spai_0123456789abcdefghijABCDEFGHIJ000000')
  t.match(await page.inputValue('#f-invitation'), /^spai_0123/)
  t.notMatch(page.url(), /spai_/)
  await context.close()
})

t.test('pages of the portal cannot be framed by another site', async (t) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.route('http://evil.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${service.baseUrl}/portal/sign-in"></iframe>`,
    }),
  )
  await page.goto('http://evil.example/')
  const frame = page.frames()[1]
  await until('the frame has been refused', async () => frame?.url().startsWith('chrome-error:'))
  t.equal(await frame!.locator('form').count(), 0)
  await context.close()
})
