/** The console in a real Chromium: signing in. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { until } from '../lib/until.ts'

type ContextOptions = Parameters<Browser['newContext']>[0]

export async function openConsoleIn(
  browser: Browser,
  baseUrl: string,
  key: string,
  options: ContextOptions = {},
): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await until('the key is accepted', async () => {
    await page.goto(`${baseUrl}/console`)
    await page.fill('#f-key', key)
    await page.click('button[type=submit]')
    return !page.url().includes('sign-in')
  })
  return { context, page }
}
