/** The page of a recording that was handed out, for somebody who has nothing but its link. */
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { isGood } from '../access/portal/pages.ts'
import { until } from '../lib/until.ts'

/** Creates a link on the page of an ended session, opens it elsewhere, and revokes it. */
export async function sharesFilm(t: Test, page: Page, browser: Browser): Promise<void> {
  await page.click('[popovertarget="share-video"]')
  await page.selectOption('#f-ttl', '86400')
  await isGood(t, page, 'the question before a video is shared')
  await page.click('#share-video >> text=Create link')
  const url = (await page.textContent('#new-link'))!
  t.match(await page.textContent('section:has(#s-links-and-tokens) table'), /recording/)
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled })
    const guest = await context.newPage()
    await guest.goto(url)
    const video = async (what: string) =>
      Number(await guest.evaluate(`document.querySelector('#video').${what}`))
    await until('it can be played', async () => (await video('readyState')) >= 1)
    const moment = guest.locator('a[data-moment]').first()
    await moment.click()
    const seconds = Number(await moment.getAttribute('data-moment'))
    await until('it is at the moment', async () => {
      return Math.abs((await video('currentTime')) - seconds) < 0.01
    })
    if (javaScriptEnabled) await isGood(t, guest, 'a recording that was handed out')
    await context.close()
  }
  const guest = await browser.newPage()
  await guest.goto(`${url}x`)
  await isGood(t, guest, 'a link to a recording that is wrong')
  await page.click('text=Revoke all links and tokens')
  t.match(await page.textContent('.notice.good'), /revoked/)
  await until('the link is refused', async () => (await guest.goto(url))?.status() === 401)
  await guest.close()
}
