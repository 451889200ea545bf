/** What the player of a recorded session can do, on its open page in the console. */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../lib/until.ts'

/** The events of the session have a navigation to `about:blank`. */
export async function findsEvents(t: Test, page: Page) {
  const rows = page.locator('section:has(#find-event) tbody tr:visible')
  const all = await rows.count()
  await page.fill('#find-event', 'navigate about')
  t.equal(await rows.count(), 1, 'every word counts')
  t.equal(await page.textContent('#found-events'), `1 of ${all}`)
  await page.fill('#find-event', '')
  t.equal(await rows.count(), all)
}

/** With one caption near the end, the player jumps to what is a second before it. */
export async function skipsQuiet(page: Page, seconds: number) {
  const cue = `00:00:${(seconds - 0.2).toFixed(3).padStart(6, '0')} --> 00:00:59.000`
  await page.route('**/video/captions', (route) =>
    route.fulfill({ contentType: 'text/vtt', body: `WEBVTT\n\n${cue}\nThe end\n` }),
  )
  await page.reload()
  await page.check('#skip-quiet')
  await page.evaluate(`{
    const video = document.querySelector('#video')
    video.addEventListener('seeking', () => (document.title = 'at ' + video.currentTime))
    void video.play()
  }`)
  const jumped = async () => /^at (.*)$/.exec(await page.title())?.[1]
  const to = await until('the player has jumped', jumped)
  if (Math.abs(Number(to) - (seconds - 1.2)) > 0.1) throw new Error(`it jumped to ${to}`)
}
