/**
 * Goal: a change goes from its proposal to completion by three people, each in their own browser
 * and with the deciding acts by keyboard; and its pages are accessible: axe-core finds nothing on
 * board, table, calendar, change, form and empty states, and nothing is wider than a phone.
 */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
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
const { a, b, deciders, staff } = await furnish(insider, service.baseUrl)
const manager = await staff('change_manager')
const operator = await staff('operator')
const browser = await launchChromium()
t.teardown(() => browser.close())

const target = newRecordId('monitoring')
const fields = { name: 'Shop', kind: 'http', target: 'https://shop.example', interval_s: 300 }
const made = { client: a.id, area: 'monitoring', id: target, fields, action: 'import' } as const
const records = new RecordStore(insider.store.bucket(buckets.records))
await records.create(createdRecord(made, { by: systemAuthor('import') }, Date.now()))
await grantTo(insider.directory, a, deciders, {
  ...{ path: 'portal', subject: { kind: 'person', id: a.member.id } },
  permissions: [{ area: 'monitoring', actions: ['read'] }],
})

const open = opener(browser, service.baseUrl)
const at = (page: Page, path: string) => page.goto(service.baseUrl + path)
const main = (page: Page) => page.locator('main').innerText()

/** Accessible in light and dark, and on a phone. */
async function isUsable(t: Test, page: Page, what: string): Promise<void> {
  await isAccessible(t, page, what)
  await page.setViewportSize({ width: 320, height: 640 })
  t.notOk(await isSideways(page), `${what} fits 320 px`)
  await page.setViewportSize({ width: 1280, height: 800 })
}

t.test('empty states, and the steps of proposing a change', async (t) => {
  const { context, page } = await open(b.owner.email)
  const paths = ['/changes', '/changes/table', '/changes/calendar', '/custom', '/changes/templates']
  const steps = ['/changes/new', '/changes/new?kind=domain', '/changes/new?kind=domain&record=new']
  const view = '/changes/new?kind=custom_access&record=new&source=contacts'
  for (const path of [...paths, ...steps, view]) {
    const answer = await at(page, `/portal${path}`)
    t.equal(answer?.status(), 200, path)
    await isUsable(t, page, path)
  }
  await context.close()
})

t.test('a change goes from its proposal to done', async (t) => {
  const member = await open(a.member.email)
  const { page } = member
  await until('the gateway knows grant and record', async () => {
    const answer = await at(page, `/portal/records/monitoring/${target}`)
    return answer?.status() === 200
  })
  await page.click('main a:has-text("Request a change")')
  t.equal(await page.inputValue('[name="patch.interval_s"]'), '300')
  await page.fill('#f-title', 'Ask the shop more often')
  await page.fill('[name="patch.interval_s"]', '5')
  await page.fill('#f-impact', 'Nobody notices it.')
  await page.fill('#f-test-plan', 'A check comes each minute.')
  await page.fill('#f-rollback-plan', 'Set the interval back.')
  await page.click('main button[type=submit]')
  await page.waitForSelector('.notice.bad')
  await isUsable(t, page, 'a form that was refused')
  await page.click('.notice.bad a')
  t.equal(await page.evaluate('document.activeElement.id'), 'f-patch-interval-s')
  t.equal(await page.inputValue('#f-title'), 'Ask the shop more often')
  await page.fill('[name="patch.interval_s"]', '60')
  await page.click('main button[type=submit]')
  await page.waitForSelector('text=Saved as a draft')
  await isUsable(t, page, 'a draft')
  await tabTo(page, 'form[action$="/propose"] button')
  await press(page, 'Enter')
  const id = /chg_\w+/.exec(page.url())?.[0] ?? ''
  t.match(await main(page), /You proposed this change, so someone else must approve it/)

  const deciding = await open(manager.email)
  const other = deciding.page
  await until('the gateway knows the change', async () => {
    await at(other, '/staff/changes')
    return (await main(other)).includes('Ask the shop more often')
  })
  await isUsable(t, other, 'the board')
  await tabTo(other, `a[href$="${id}"]`)
  await press(other, 'Enter')
  await isUsable(t, other, 'a change under review')
  await tabTo(other, 'input[name=decision]')
  await other.keyboard.press('Space')
  await tabTo(other, 'textarea[name=reason]')
  await other.keyboard.type('It is what was agreed on.')
  await tabTo(other, 'form[action$="/reviews"] button')
  await press(other, 'Enter')
  t.match(await main(other), /Change approved\. Yours was the last review it needed/)
  // In a window that opened a few seconds ago.
  const local = (ms: number) => new Date(ms).toISOString().slice(0, 19)
  await other.evaluate(
    `for (const one of document.querySelectorAll('[type=datetime-local]')) one.step = 1`,
  )
  await other.fill('[name=window_start]', local(Date.now()))
  await other.fill('[name=window_end]', local(Date.now() + 3_600_000))
  await other.click('form[action$="/schedule"] button')
  await other.waitForSelector('text=No other change can book')
  await deciding.context.close()

  const doing = await open(operator.email)
  const last = doing.page
  await until('the gateway knows that it is scheduled', async () => {
    await at(last, `/staff/changes/${id}`)
    return last.isVisible('form[action$="/start"]')
  })
  await last.click('form[action$="/start"] button')
  await last.waitForSelector('text=Change started.')
  await last.fill('[name=evidence]', 'https://ci.example/run/7')
  await last.click('form[action$="/complete"] button')
  await last.waitForSelector('text=Its values have been written')
  await isUsable(t, last, 'a change that is done')
  await doing.context.close()

  await until('the record has it', async () => {
    await at(page, `/portal/records/monitoring/${target}`)
    return /Checked every \(seconds\)\s+60/.test(await main(page))
  })
  await isUsable(t, page, 'a record with its changes')
  for (const path of ['/portal/changes', '/portal/changes/table', '/portal/changes/calendar']) {
    await at(page, path)
    t.match(await main(page), /Ask the shop more often/, path)
    await isUsable(t, page, path)
  }
  await member.context.close()
})
