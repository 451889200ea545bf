/**
 * Goal: the start page is good to read in light, dark and on a phone, its pictures and its icon are
 * there, and its tabs work by mouse, by keyboard and without scripts. Method: a real Chromium and a
 * real gateway; `contract/docs/guides` runs its lines.
 */
import t from 'tap'
import { isGood } from '../../helpers/access/portal/pages.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { playService } from '../../helpers/gateway/gateway.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await playService({ env: { DEV_KEY: 'dev-local-key' } })
t.teardown(() => service.close())
const base = service.gateway.url
const browser = await launchChromium()
t.teardown(() => browser.close())

const shown = `[...document.querySelectorAll('.way')]
  .filter((way) => way.checkVisibility()).map((way) => way.querySelector('code').id).join()`

t.test('it is good, with its pictures, and loads nothing that is missing', async (t) => {
  const page = await browser.newPage()
  const wrong: string[] = []
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  page.on('response', (response) => response.ok() || wrong.push(response.url()))
  await page.goto(base)
  await isGood(t, page, 'start page')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const loaded = `[...document.images].every((one) =>
      one.naturalWidth === 1200 && one.alt !== '' && one.currentSrc.endsWith('-${colorScheme}.webp'))`
    await until('the pictures are there', () => page.evaluate<boolean>(loaded))
  }
  const icon = await page.getAttribute('link[rel=icon]', 'href')
  const answer = await fetch(base + icon)
  t.match([answer.status, answer.headers.get('content-type')], [200, 'image/svg+xml'])
  t.same(wrong, [])
  await page.close()
})

t.test('tabs work by mouse and keyboard, and their code is copied', async (t) => {
  const context = await browser.newContext()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  await page.goto(base)
  t.equal(await page.evaluate(shown), 'code-curl')
  await page.locator('label', { hasText: 'Puppeteer' }).click()
  t.equal(await page.evaluate(shown), 'code-puppeteer')
  await page.keyboard.press('ArrowRight')
  t.equal(await page.evaluate(shown), 'code-python')
  await isGood(t, page, 'another tab')
  await page.locator('.way .copy:visible').click()
  await until('it says so', () => page.getByText('Copied').isVisible())
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  t.match(copied, `"${base}/v1/sessions",\n    headers={"service-api-key": "dev-local-key"}`)
  await context.close()
})

t.test('without scripts there are tabs, and no buttons that do nothing', async (t) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(base)
  await page.locator('label', { hasText: 'MCP' }).click()
  t.ok(await page.locator('#code-mcp').isVisible())
  t.notOk(await page.locator('#code-curl').isVisible())
  t.equal(await page.locator('.copy:visible').count(), 0)
  await context.close()
})

t.test('away from this machine the lines read the key from the environment', async (t) => {
  const forwarded = await fetch(base, { headers: { 'x-forwarded-for': '203.0.113.7' } })
  const html = await forwarded.text()
  t.notMatch(html, 'dev-local-key')
  t.match(html, 'export TROUPE_KEY=')
  t.match(html, 'process.env.TROUPE_KEY')
})
