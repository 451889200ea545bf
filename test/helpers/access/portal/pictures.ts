/**
 * Pictures of a walk for the guides, taken only when `PICTURES` names a folder:
 * `PICTURES=gateway/docs/guides/pictures node dist/test/contract/portal/two-people.test.js`.
 */
import { join } from 'node:path'
import { launchChromium } from '../../browser/local-chromium.ts'
import type { PlainBrowser } from './plain-browser.ts'

const folder = process.env['PICTURES']
const [width, highest] = [900, 560]

/** Of the page that the person sees, beginning at its top or at a text. */
export async function takePicture(
  { base, cookies }: PlainBrowser,
  path: string,
  name: string,
  from?: string,
): Promise<void> {
  if (folder === undefined) return
  const browser = await launchChromium()
  try {
    const context = await browser.newContext({ viewport: { width, height: 1200 } })
    // Secure cookies are kept for localhost alone.
    const local = base.replace('127.0.0.1', 'localhost')
    await context.addCookies(
      [...cookies].map(([name, value]) => ({ name, value, url: 'https://localhost' })),
    )
    const page = await context.newPage()
    await page.goto(local + path)
    const box = (await page.locator('main').boundingBox())!
    const top = from === undefined ? undefined : await page.getByText(from).first().boundingBox()
    const y = top ? top.y - 20 : box.y
    const clip = { ...box, y, height: Math.min(box.y + box.height - y, highest) }
    await page.screenshot({ path: join(folder, `${name}.png`), clip, fullPage: true })
  } finally {
    await browser.close()
  }
}
