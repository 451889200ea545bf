/**
 * The pictures of the start page: `node dist/test/screenshots/landing.js`, which writes them to
 * `gateway/web/landing/pictures`. The live view of a desktop session, and the console with three
 * sessions, light and dark, of a real service with real browsers.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../runtime/lib/package.ts'
import { connectPlaywright } from '../helpers/browser/browsers.ts'
import { launchChromium } from '../helpers/browser/local-chromium.ts'
import { openConsoleIn } from '../helpers/console/signing-in.ts'
import { openLive } from '../helpers/gateway/live/live-page.ts'
import { until } from '../helpers/lib/until.ts'
import { serveWebPage } from '../helpers/pages/web-page.ts'
import { createSession, headless, startService } from '../helpers/service/service.ts'

const folder = join(packageRoot, 'gateway/web/landing/pictures')
mkdirSync(folder, { recursive: true })

const tableOf = (heading: string, rows: readonly (readonly [string, string])[]) =>
  serveWebPage(`<title>${heading} · Example</title>
    <body style="font:22px sans-serif;margin:3rem 12%;background:#fbfaf7;color:#222">
    <h1>${heading}</h1><table style="width:100%;border-collapse:collapse">
    ${rows
      .map(
        ([name, sum]) => `<tr style="border-top:2px solid #cdd">
      <td style="padding:1rem 0">${name}<td style="text-align:right">${sum}`,
      )
      .join('')}</table>`)
const invoices = await tableOf('Invoices', [
  ['2026-1041 · Nordlicht GmbH', '1,240.00 €'],
  ['2026-1042 · Atelier Ferne', '318.50 €'],
  ['2026-1043 · Katina & Co', '2,905.00 €'],
])
const prices = await tableOf('Prices today', [
  ['Notebook, dotted', '4.20 €'],
  ['Fountain pen', '32.00 €'],
  ['Desk lamp', '89.00 €'],
])
const service = await startService({ env: { POOL_HEADLESS: '1', ALLOW_DEV_KEY: '1' } })
const demo = `${service.baseUrl}/demo`
const browser = await launchChromium()
try {
  const desktop = await openSession({ session: { tags: ['sign-up', 'nightly'] } }, demo)
  await fill(desktop.page)
  await openSession({ ...headless, session: { tags: ['invoice-export'] } }, invoices.url)
  await openSession({ ...headless, session: { tags: ['price-watch'] } }, prices.url)
  for (const colorScheme of ['light', 'dark'] as const) {
    const options = { colorScheme, viewport: { width: 1200, height: 750 } }
    const { context, page } = await openConsoleIn(browser, service.baseUrl, service.key, options)
    const pictured = `document.querySelectorAll('.picture img').length`
    await until('each session has a picture', async () => (await page.evaluate(pictured)) === 3)
    await keep(page, `console-${colorScheme}`)
    const view = await openLive(context, desktop.live_view_url)
    await until('it has the title', async () => (await view.textContent('#page-title')) !== '')
    await view.evaluate('document.activeElement.blur()')
    await view.waitForTimeout(1_000)
    await keep(view, `live-${colorScheme}`)
    await context.close()
  }
} finally {
  await browser.close()
  await service.stop()
  await invoices.close()
  await prices.close()
}

async function openSession(body: object, url: string) {
  const session = await createSession(service.rest, body)
  const client = await connectPlaywright(session.cdp_url)
  const [page] = client.contexts()[0]!.pages()
  await page!.goto(url)
  return { ...session, page: page! }
}

async function fill(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Plan').selectOption({ index: 1 })
  await page.getByLabel('Message').fill('Twelve seats, please.')
  await page.getByLabel('Send me news').check()
}

/** Playwright writes no WebP, which has a fifth of the size. */
async function keep(page: Page, name: string): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
}
