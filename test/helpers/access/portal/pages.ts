/**
 * The portal in a real Chromium: signing in, keyboard navigation, and the checks that every page
 * has to pass.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Test } from 'tap'
import { password } from '../people.ts'
import { isAccessible } from '../../browser/accessible.ts'
import { until } from '../../lib/until.ts'

type ContextOptions = Parameters<Browser['newContext']>[0]

export interface Opened {
  readonly context: BrowserContext
  readonly page: Page
}

/** Signs a person in, in a new browser context. */
export const opener =
  (browser: Browser, baseUrl: string) =>
  async (email: string, options: ContextOptions = {}): Promise<Opened> => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await until('they are signed in', async () => {
      await page.goto(`${baseUrl}/portal/sign-in`)
      await page.fill('#f-email', email)
      await page.fill('#f-password', password)
      await page.click('button[type=submit]')
      return !page.url().includes('sign-in')
    })
    return { context, page }
  }

export const isSideways = (page: Page) =>
  page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  )

/** Presses Tab until the focused element matches, as a person without a mouse does. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let n = 0; n < 200; n++) {
    await page.keyboard.press('Tab')
    const isThere = await page.evaluate<boolean>(
      `document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`,
    )
    if (!isThere) continue
    const outline = await page.evaluate<string>(
      'getComputedStyle(document.activeElement).outlineStyle',
    )
    if (outline === 'none') throw new Error(`${selector} does not show that it has the focus`)
    return
  }
  throw new Error(`${selector} is not reached by Tab on ${page.url()}`)
}

/** Presses a key on the focused element, and waits for the page that it leads to. */
export async function press(page: Page, key: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.keyboard.press(key)])
}

/** Goes to a link or button by Tab, and follows it. */
export async function pressTo(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector)
  await press(page, 'Enter')
}

/** The elements that reach furthest to the right. */
const widest = `[...document.querySelectorAll('body *')]
  .map((element) => ({ element, right: Math.round(element.getBoundingClientRect().right) }))
  .filter(({ right }) => right > document.documentElement.clientWidth)
  .slice(0, 12)
  .map(({ element, right }) => element.tagName + '.' + element.className + ' ' + right)
  .join('; ')`

/** A phone, the narrowest window in which tables are tables, and the narrowest with a side menu. */
const widths = [320, 965, 1_190]

/** Checks that there is one heading, axe has no complaint, and nothing is wider than the window. */
export async function isGood(t: Test, page: Page, what: string): Promise<void> {
  t.equal(await page.locator('h1').count(), 1, `${what} has one heading`)
  await isAccessible(t, page, what)
  const size = page.viewportSize()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 640 })
    const wide = (await isSideways(page)) && (await page.evaluate<string>(widest))
    t.equal(wide, false, `${what} fits ${width} px`)
  }
  if (size) await page.setViewportSize(size)
}
