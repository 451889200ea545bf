/**
 * Goal: people see the console in the colours that they choose, on every page, and
 * times in the zone of their device, also those that arrive while a page is open. Method: a real
 * gateway with views that the test sets, in a real Chromium in another zone.
 */
import type { Page } from 'playwright-core'
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

const light = 'rgb(246, 244, 241)'
const dark = 'rgb(19, 18, 23)'
const background = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor')

t.test('colours are chosen once, for all pages, and given back to the system', async (t) => {
  const { context, page } = await openConsoleIn(browser, base, key.text, { colorScheme: 'light' })
  t.equal(await background(page), light)
  await page.selectOption('#theme', 'dark')
  t.equal(await background(page), dark)
  await isGood(t, page, 'with the choice')
  for (const path of ['/console/usage', '/docs', '/docs/api', '/']) {
    await page.goto(base + path)
    t.equal(await background(page), dark, path)
  }
  const shown = `document.querySelector('picture img').currentSrc`
  await until('pictures are dark', async () =>
    (await page.evaluate<string>(shown)).includes('dark'),
  )
  await page.goto(`${base}/docs/api`)
  await until('the reference is dark', () =>
    page.evaluate<boolean>(`document.documentElement.classList.contains('dark-mode')`),
  )
  await page.goto(`${base}/console`)
  t.equal(await page.inputValue('#theme'), 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  t.equal(await background(page), dark)
  await page.selectOption('#theme', '')
  t.equal(await background(page), light)
  await page.emulateMedia({ colorScheme: 'dark' })
  t.equal(await background(page), dark)
  await context.close()
})

t.test('without scripts there is no choice that does nothing', async (t) => {
  const options = { javaScriptEnabled: false }
  const { context, page } = await openConsoleIn(browser, base, key.text, options)
  t.notOk(await page.locator('#theme').isVisible())
  await context.close()
})

t.test('times are those of the device, and stay so while the page changes', async (t) => {
  const createdAtMs = Date.parse('2026-11-30T23:45:10Z')
  const view = { ...playedView(newId('ses')), tenant: 'shop', createdAtMs }
  service.views.set(view)
  const options = { timezoneId: 'Europe/Vienna' }
  const { context, page } = await openConsoleIn(browser, base, key.text, options)
  await page.goto(`${base}/console/sessions/${view.id}`)
  const created = page.locator('time[datetime="2026-11-30T23:45:10.000Z"]')
  t.equal(await created.textContent(), '1 Dec 2026, 00:45 CET')
  t.equal(await created.getAttribute('title'), '30 Nov 2026, 23:45 UTC')
  await page.waitForSelector('.liveness.is-live')
  service.views.set({ ...view, tags: ['renamed'] })
  await page.getByText('renamed').first().waitFor()
  t.equal(await created.textContent(), '1 Dec 2026, 00:45 CET')
  const forms = `import('/web/console/local-times.js').then(({ showLocalTimes }) => {
    const box = document.createElement('div')
    box.innerHTML = ['23:45:10 UTC', '2026-11-30 23:45:10 UTC', 'yesterday']
      .map((text) => '<time datetime="2026-11-30T23:45:10Z">' + text + '</time>').join('')
    showLocalTimes(box)
    return [...box.children].map((time) => time.textContent)
  })`
  t.same(await page.evaluate(forms), ['00:45:10 CET', '2026-12-01 00:45:10 CET', 'yesterday'])
  await context.close()
})
