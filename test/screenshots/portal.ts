/**
 * Screenshots of the portal for people to look at: `node dist/test/screenshots/portal.js <folder>
 * [word …]`. A service with the demo, and in addition a client with nothing, one with three rows
 * and one with thousands; each page wide and light, wide and dark, and on a phone. Words select
 * pages by name; with --first-screen a screenshot has only what is visible without scrolling.
 */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../helpers/browser/local-chromium.ts'
import { startService, troupe } from '../helpers/service/service.ts'
import { openInsider } from '../helpers/service/insider.ts'
import { demoPasswords, furnishRows, portalPages, type Signed } from './pages.ts'

const given = process.argv.slice(2)
const fullPage = !given.includes('--first-screen')
const [folder, ...words] = given.filter((word) => !word.startsWith('--'))
if (folder === undefined) throw new Error('name a folder for the pictures')
mkdirSync(folder, { recursive: true })

const looks = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 860 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 860 },
  { name: 'phone', colorScheme: 'light', width: 360, height: 740 },
] as const

/** Passkeys need a domain name, so `localhost` replaces the loopback address. */
const base = () => `http://localhost:${service.port}`

const service = await startService({ env: { POOL_HEADLESS: '0', POOL_HEADFUL: '0' } })
const insider = await openInsider(service.dataDir)
const browser = await launchChromium()
try {
  const demo = await promisify(execFile)(process.execPath, [troupe, 'access', 'demo'], {
    env: { ...process.env, DATA_DIR: service.dataDir, PORT: String(service.port) },
  })
  const people: readonly Signed[] = [...demoPasswords(demo.stderr), ...(await furnishRows(insider))]
  for (const look of looks) {
    for (const person of people) await shoot(browser, look, person)
  }
} finally {
  await browser.close()
  await insider.close()
  await service.stop()
}

async function shoot(browser: Browser, look: (typeof looks)[number], person: Signed) {
  const { colorScheme, width, height } = look
  const context = await browser.newContext({ colorScheme, viewport: { width, height } })
  const page = await context.newPage()
  await page.goto(`${base()}/portal/sign-in`)
  if (person.name === 'theo') {
    await page.screenshot({ path: join(folder!, `sign-in-${look.name}.png`), fullPage: true })
  }
  await page.fill('#f-email', person.email)
  await page.fill('#f-password', person.password)
  await page.click('button[type=submit]')
  if (person.name === 'theo') await addPasskey(context, page, look.name)
  for (const [name, steps] of Object.entries(portalPages(person.name))) {
    const title = `${person.name}-${name}-${look.name}`
    if (words.length > 0 && !words.some((word) => title.includes(word))) continue
    await go(page, steps)
    await page.screenshot({ path: join(folder!, `${title}.png`), fullPage })
    console.log(title)
  }
  await context.close()
}

/** With a device that Chromium simulates. */
async function addPasskey(context: BrowserContext, page: Page, name: string): Promise<void> {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  await page.goto(`${base()}/portal/profile`)
  await page.click('text=Add a passkey')
  await page.fill('#f-name', `Device, ${name}`)
  await page.screenshot({ path: join(folder!, `theo-passkey-${name}.png`), fullPage: true })
  await page.click('text=Create the passkey')
  await page.waitForSelector('.notice.good')
}

/** An address, then what to press: a link in a table by its text, or `= Text` anywhere. */
async function go(page: Page, [path, ...presses]: readonly string[]): Promise<void> {
  await page.goto(base() + path)
  for (const text of presses) {
    const pressed = text.startsWith('= ')
      ? page.locator('main :is(a, button, summary)', { hasText: text.slice(2) })
      : page.locator(`main tbody a:has-text("${text}")`)
    await pressed.first().click()
  }
}
