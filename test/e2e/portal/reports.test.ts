/**
 * Goal: a report from its creation to a PDF: made by keyboard, its maker's publication refused,
 * published by a second person, read and downloaded, withdrawn. Every page and state is accessible:
 * axe, light and dark, a phone. Method: a real Chromium, and a browser of the pool for the PDF.
 */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { recordsOf, staffWithGrant } from '../../helpers/access/report-people.ts'
import { furnish } from '../../helpers/access/world.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { isGood, opener, pressTo, tabTo } from '../../helpers/access/portal/pages.ts'
import { startService } from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const world = await furnish(insider, service.baseUrl)
const { a } = world
const browser = await launchChromium()
t.teardown(() => browser.close())
const open = opener(browser, service.baseUrl)
const at = (page: Page, path: string) => page.goto(service.baseUrl + path)
const text = async (page: Page) => (await page.textContent('main')) ?? ''

const maker = await staffWithGrant(world, a, ['operator', 'reviewer'])
const publisher = await staffWithGrant(world, a, ['reviewer'])
await recordsOf(world, a.id)('tasks', {
  ...{ title: 'Clean the filters', status: 'completed' },
  completed_at: new Date().toISOString(),
})
let report = ''

t.test('a person without grants is told what to ask for', async (t) => {
  const { context, page } = await open(a.member.email)
  await at(page, '/portal/reports')
  await isGood(t, page, 'no access to reports')
  await context.close()
})

t.test('it is made by keyboard, and its maker cannot publish it', async (t) => {
  const { context, page } = await open(maker.email)
  await at(page, '/staff/reports')
  await isGood(t, page, 'no report yet')
  await pressTo(page, 'main a[href^="/staff/reports/new"]')
  await isGood(t, page, 'choosing a kind')
  await pressTo(page, 'main button[type=submit]')
  await isGood(t, page, 'the form')
  for (const box of await page.locator('input[name=areas]').all()) await box.uncheck()
  await pressTo(page, 'main button[type=submit]')
  await isGood(t, page, 'a form with an error')
  await tabTo(page, 'input[value=tasks]')
  await page.keyboard.press('Space')
  await tabTo(page, '#f-title')
  await page.keyboard.type('A good month')
  await pressTo(page, 'main button[type=submit]')
  report = new URL(page.url()).pathname
  t.match(await text(page), /A good month[^]*Tasks completed[^]*1/)
  t.match(await text(page), /You edited this draft, so someone else must publish it/)
  await isGood(t, page, 'a draft')
  await pressTo(page, `a[href="${report}/edit"]`)
  await isGood(t, page, 'changing its words')
  await context.close()
})

t.test('a second person publishes it by keyboard', async (t) => {
  const { context, page } = await open(publisher.email)
  await at(page, report)
  await pressTo(page, 'form[action$="/publish"] button')
  t.match(await text(page), /Report published\. It can no longer be changed/)
  for (const summary of await page.locator('main summary').all()) await summary.click()
  await isGood(t, page, 'a published report')
  await at(page, '/staff/reports')
  await isGood(t, page, 'a list of reports')
  await context.close()
})

t.test('it is read, and downloaded as a PDF', async (t) => {
  const { context, page } = await open(publisher.email, { acceptDownloads: true })
  await at(page, report)
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: 120_000 }),
    page.click('main a[href$="/content/pdf"]'),
  ])
  t.match(download.suggestedFilename(), /\.pdf$/)
  const path = await download.path()
  t.match(readFileSync(path).toString('latin1'), /^%PDF-1/)
  await page.click('main a[href$="/content/html"]')
  t.equal(await page.locator('h1').textContent(), 'A good month')
  t.match(page.url(), /\/content\/html$/)
  await page.goBack()
  await page.click('summary:has-text("Withdraw")')
  await page.fill('#f-reason-withdraw', 'It was of another month.')
  await page.click('form[action$="/withdraw"] button')
  await page.waitForURL(/told=report-withdrawn/)
  await isGood(t, page, 'a withdrawn report')
  await context.close()
})
