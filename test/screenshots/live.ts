/**
 * Screenshots of the live view for people to look at: `node dist/test/screenshots/live.js <folder>
 * [word …]`. A desktop and a headless session in every state, wide and light, wide and dark, and on
 * a phone. Words select screenshots by name.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { connectPlaywright } from '../helpers/browser/browsers.ts'
import { launchChromium } from '../helpers/browser/local-chromium.ts'
import { liveState, openLive } from '../helpers/gateway/live/live-page.ts'
import { serveWebPage } from '../helpers/pages/web-page.ts'
import { openPrefixProxy } from '../helpers/service/proxies/prefix-proxy.ts'
import { createSession, headless, startService } from '../helpers/service/service.ts'
import { until } from '../helpers/lib/until.ts'

const [folder, ...words] = process.argv.slice(2)
if (folder === undefined) throw new Error('name a folder for the pictures')
mkdirSync(folder, { recursive: true })

const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } as const
const wide = { viewport: { width: 1280, height: 800 } } as const
const looks = [
  { name: 'light', options: { colorScheme: 'light', ...wide } },
  { name: 'dark', options: { colorScheme: 'dark', ...wide } },
  { name: 'phone', options: { colorScheme: 'light', ...phone } },
] as const

const site = await serveWebPage(`<title>Orders · Example shop</title>
  <body style="font:18px sans-serif;margin:2rem"><h1>Orders</h1><p>Three orders wait.</p>
  <input autofocus placeholder="Search" style="font:inherit;padding:.5rem">`)
const proxy = await openPrefixProxy('/browsers')
const service = await startService({
  env: { POOL_HEADLESS: '1', PUBLIC_URL: proxy.url, ALLOW_DEV_KEY: '1' },
})
proxy.lead(service)
const browser = await launchChromium()
try {
  for (const look of looks) {
    const context = await browser.newContext(look.options)
    await shootAll(context, look.name)
    await context.close()
  }
} finally {
  await browser.close()
  await service.stop()
  await proxy.close()
  await site.close()
}

async function openSession(body: object) {
  const session = await createSession(service.rest, body)
  const client = await connectPlaywright(session.cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  await page.goto(site.url)
  return { ...session, client, page }
}

async function shootAll(context: BrowserContext, look: string): Promise<void> {
  const shoot = async (view: Page, name: string) => {
    if (words.length > 0 && !words.some((word) => name.includes(word))) return
    await view.screenshot({ path: join(folder!, `${name}-${look}.png`) })
  }
  const desktop = await openSession({})
  const view = await openLive(context, desktop.live_view_url)
  await shoot(view, 'desktop')
  for (const panel of ['tabs', 'share', 'clipboard']) {
    await view.click(`#${panel}`)
    await view.waitForSelector(`#${panel}-panel`, { state: 'visible' })
    if (panel === 'tabs') await view.waitForSelector('#tabs-list [aria-current]')
    if (panel === 'share') {
      await view.click('#share-form [type=submit]')
      await view.waitForSelector('#share-result', { state: 'visible' })
    }
    await shoot(view, panel)
    await view.click(`#${panel}-close`)
  }
  await view.click('#end')
  await shoot(view, 'end')
  await view.click('#end-cancel')
  proxy.lead({ port: 1 })
  proxy.cut(/^\/live\//)
  await liveState(view, 'reconnecting')
  const advice = () => view.textContent('#notice-advice')
  await until('it waits', async () => /Next attempt in/.test((await advice())!))
  await shoot(view, 'reconnecting')
  proxy.lead(service)
  await liveState(view, 'connected')
  await service.rest('DELETE', `/v1/sessions/${desktop.id}`)
  await liveState(view, 'ended')
  await shoot(view, 'ended')
  await view.close()
  await shootGuest(context, shoot)
}

async function shootGuest(
  context: BrowserContext,
  shoot: (view: Page, name: string) => Promise<void>,
): Promise<void> {
  type Minted = { data: { live_view_url: string } }
  const bare = await openSession(headless)
  const path = `/v1/sessions/${bare.id}/live-tokens`
  const { data } = (await service.rest<Minted>('POST', path, { ttl_seconds: 300 })).body
  const guest = await openLive(context, data.live_view_url)
  await until('it has the title', async () => (await guest.textContent('#page-title')) !== '')
  await shoot(guest, 'guest')
  await service.rest('DELETE', path)
  await liveState(guest, 'denied')
  await shoot(guest, 'denied')
  await guest.close()
  await service.rest('DELETE', `/v1/sessions/${bare.id}`)
}
