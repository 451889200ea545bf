/**
 * Goal: lists are usable in any window: on a phone filters are folded until one is in use, without
 * scripts too; no choice is cut at 1280 px; lines and the page of who can do what fit all widths.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { furnish } from '../../helpers/access/world.ts'
import { grantTo } from '../../helpers/access/clients.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { isGood, opener } from '../../helpers/access/portal/pages.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

t.setTimeout(300_000)

const service = await startService({ env: { POOL_HEADLESS: '0', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const { a, grace, deciders } = await furnish(insider, service.baseUrl)
await grantTo(insider.directory, a, deciders, {
  ...{ path: 'portal', subject: { kind: 'person', id: a.member.id } },
  permissions: [{ area: 'contacts', actions: ['read'] }],
})
const browser = await launchChromium()
t.teardown(() => browser.close())
const open = opener(browser, service.baseUrl)
const at = (page: Page, path: string) => page.goto(service.baseUrl + path)
const contacts = '/portal/records/contacts'

/** The selects that are narrower than their choices. */
const cut = `[...document.querySelectorAll('.filters select')].filter((select) => {
  const width = select.getBoundingClientRect().width
  select.style.width = 'max-content'
  select.style.maxWidth = 'none'
  const whole = select.getBoundingClientRect().width
  select.style.width = select.style.maxWidth = ''
  return whole > width + 1
}).map(({ name }) => name)`

for (const javaScriptEnabled of [true, false]) {
  t.test(`a phone folds the filters, scripts: ${javaScriptEnabled}`, async (t) => {
    const viewport = { width: 320, height: 640 }
    const { context, page } = await open(a.member.email, { viewport, javaScriptEnabled })
    await until('the grant is known', async () => (await at(page, contacts))?.status() === 200)
    t.notOk(await page.isVisible('.filters'), 'the list is on the first screen')
    await page.click('.filter-fold summary')
    await page.selectOption('#f-filter-lifecycle-stage-', 'customer')
    await page.click('.filters button')
    t.ok(await page.isVisible('.filters'), 'open while one is in use')
    await page.click('.filters a')
    t.notOk(await page.isVisible('.filters'))
    await context.close()
  })
}

t.test('wide windows show the filters, with whole choices', async (t) => {
  const { context, page } = await open(a.member.email, { viewport: { width: 1280, height: 800 } })
  await at(page, contacts)
  t.ok(await page.isVisible('#f-sort'))
  t.notOk(await page.isVisible('.filter-fold'))
  t.same(await page.evaluate(cut), [])
  await isGood(t, page, 'a list with filters')
  await context.close()
})

for (const [name, email, base] of [
  ['an owner', a.owner.email, '/portal'],
  ['staff', grace.email, '/staff'],
] as const) {
  t.test(`lists of access and of who can do what: ${name}`, async (t) => {
    const { context, page } = await open(email)
    for (const path of ['/grants', '/requests', '/members', `/clients/${a.id}/who`]) {
      t.equal((await at(page, base + path))?.status(), 200)
      await isGood(t, page, path)
    }
    await context.close()
  })
}
