/**
 * Goal: people find sessions and pages from everywhere in the console, by keyboard, by mouse and without
 * scripts; the list below the field is accessible, light, dark and on a phone. Method: a real gateway
 * with views that the test sets, in a real Chromium.
 */
import t from 'tap'
import { newId } from '../../../proto/ids.ts'
import { isGood } from '../../helpers/access/portal/pages.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { playService, playedView } from '../../helpers/gateway/gateway.ts'
import { keyOf } from '../../helpers/gateway/played/keys.ts'
import { until } from '../../helpers/lib/until.ts'

const key = keyOf('shop')
const service = await playService({ keys: [key.record] })
t.teardown(() => service.close())
const base = service.gateway.url
const browser = await launchChromium()
t.teardown(() => browser.close())

const ids = ['checkout', 'checkout', 'nightly'].map((tag) => {
  const view = { ...playedView(newId('ses')), tenant: 'shop', tags: [tag], createdAtMs: Date.now() }
  service.views.set(view)
  return view.id
})

t.test('by keyboard: typed, chosen with the arrows, opened with Enter', async (t) => {
  const { context, page } = await openConsoleIn(browser, base, key.text)
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(String(error)))
  await page.goto(`${base}/console/profiles`)
  const field = page.locator('#find')
  const options = page.locator('#find-list [role=option]')
  await page.keyboard.press('/')
  await until('pages are offered', async () => (await options.count()) > 5)
  await page.keyboard.type('check')
  await until('both are found', async () => (await options.count()) === 3)
  t.equal(await field.getAttribute('aria-expanded'), 'true')
  await isGood(t, page, 'the list below the field')
  await field.focus()
  await until('it is open', () => options.first().isVisible())
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  const active = await field.getAttribute('aria-activedescendant')
  t.equal(await options.first().getAttribute('id'), active)
  t.equal(await options.first().getAttribute('aria-selected'), 'true')
  const href = await options.first().getAttribute('href')
  t.ok(ids.slice(0, 2).some((id) => href === `/console/sessions/${id}`))
  await page.keyboard.press('Enter')
  await page.waitForURL(base + href)
  await page.keyboard.press('Control+k')
  await until('it is open', () => options.first().isVisible())
  await page.keyboard.press('Escape')
  t.notOk(await page.locator('#find-list').isVisible())
  t.equal(await field.getAttribute('aria-expanded'), 'false')
  t.same(wrong, [])
  await context.close()
})

t.test('by mouse; and Enter without a choice leads to all that was found', async (t) => {
  const { context, page } = await openConsoleIn(browser, base, key.text)
  await page.click('#find')
  await page.keyboard.type('new session')
  await page.getByRole('option', { name: 'New session', exact: true }).click()
  await page.waitForURL(`${base}/console/sessions/new`)
  await page.click('#find')
  await page.keyboard.type('nightly')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${base}/console/find?q=nightly`)
  t.match(await page.textContent('#hits [role=status]'), '1 place for “nightly”')
  await page.evaluate('document.activeElement.blur()')
  await isGood(t, page, 'what was found')
  await page.goto(`${base}/console/find?q=qqzzxx`)
  await isGood(t, page, 'nothing found')
  await context.close()
})

t.test('without scripts', async (t) => {
  const { context, page } = await openConsoleIn(browser, base, key.text, {
    javaScriptEnabled: false,
  })
  await page.fill('#find', 'nightly')
  await page.press('#find', 'Enter')
  await page.click(`#hits a[href$="${ids[2]}"]`)
  t.equal(page.url(), `${base}/console/sessions/${ids[2]}`)
  await context.close()
})
