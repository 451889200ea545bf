/**
 * Goal: people add a passkey, sign in with it alone, step up with it, and remove it, in a real
 * Chromium with its own authenticator; without scripts pages offer none of that.
 */
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { password } from '../../helpers/access/people.ts'
import { ageSignIns } from '../../helpers/access/old-sign-ins.ts'
import { furnish } from '../../helpers/access/world.ts'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

t.setTimeout(300_000)

const service = await startService({ env: { POOL_HEADLESS: '0', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const { a } = await furnish(insider, service.baseUrl)
const browser = await launchChromium()
t.teardown(() => browser.close())

/** Passkeys need a domain name, so `localhost` replaces the loopback address. */
const base = `http://localhost:${service.port}`

/** A phone that has verified its owner, as Chromium simulates it. */
async function withDevice(context: BrowserContext, page: Page): Promise<void> {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

async function signIn(page: Page, email: string, at = base): Promise<void> {
  await until('they are signed in', async () => {
    await page.goto(`${at}/portal/sign-in`)
    await page.fill('#f-email', email)
    await page.fill('#f-password', password)
    await page.click('button[type=submit]')
    return !page.url().includes('sign-in')
  })
}

const text = async (page: Page) => (await page.locator('main').textContent()) ?? ''

t.test('add one, sign out, sign in with it, step up with it, remove it', async (t) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await withDevice(context, page)
  await signIn(page, a.owner.email)
  await page.goto(`${base}/portal/profile`)
  await isAccessible(t, page, 'a profile without a passkey')
  await page.click('text=Add a passkey')
  await page.fill('#f-name', 'Phone of the test')
  await isAccessible(t, page, 'a new passkey')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.notice.good')
  t.match(await text(page), /Passkey added.*Phone of the test.*Not yet/)
  await isAccessible(t, page, 'a profile with a passkey')

  await page.click('text=Add a passkey')
  await page.fill('#f-name', 'The same device')
  await page.click('text=Create the passkey')
  await page.waitForSelector('[role=status]:text("already has a passkey for you")')

  await page.goto(`${base}/portal/profile`)
  await page.click('text=Sign out everywhere')
  await page.waitForURL(/sign-in/)
  await isAccessible(t, page, 'a sign-in with passkeys')
  await page.goto(`${base}/portal/sign-in?next=/portal/profile`)
  await page.click('text=Sign in with a passkey')
  await page.waitForURL(`${base}/portal/profile`)
  t.notMatch(await text(page), /Not yet/, 'it says when it was used')

  await ageSignIns(insider, { id: a.owner.id, tenant: a.id }, 1)
  await until('the password is due again', async () => {
    await page.goto(`${base}/portal/profile`)
    await page.click('text=Add a passkey')
    await page.waitForSelector('h1:not(:text("Profile"))')
    return (await page.locator('h1').textContent()) === 'Confirm that it is you'
  })
  await isAccessible(t, page, 'a step-up with passkeys')
  await page.click('text=Use a passkey')
  await page.waitForSelector('h1:text("Add a passkey")')

  await page.goto(`${base}/portal/profile`)
  await page.click('button:text("Remove")')
  await page.waitForSelector('.notice.good')
  t.match(await text(page), /Passkey removed/)
  t.notMatch(await text(page), /Phone of the test/)

  await page.goto(`${base}/portal/sign-in`)
  await page.click('text=Sign in with a passkey')
  await page.waitForSelector('.notice.bad')
  t.match(await text(page), /This passkey is not valid here/)
  await isAccessible(t, page, 'a passkey that opens nothing')
  await context.close()
})

t.test('without an answer of the device the page stays and says so', async (t) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${base}/portal/sign-in`)
  await page.evaluate(
    `navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
  )
  await page.fill('#f-email', a.owner.email)
  await page.click('text=Sign in with a passkey')
  await page.waitForSelector('[role=status]:text("No passkey was used")')
  t.equal(await page.inputValue('#f-email'), a.owner.email)
  await context.close()
})

t.test('without scripts, or without a domain name, passkeys are not offered', async (t) => {
  for (const [at, javaScriptEnabled] of [
    [base, false],
    [service.baseUrl, true],
  ] as const) {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(`${at}/portal/sign-in`)
    t.notOk(await page.isVisible('text=Sign in with a passkey'))
    await signIn(page, a.member.email, at)
    await page.goto(`${at}/portal/profile`)
    t.notOk(await page.isVisible('text=Add a passkey'))
    t.notOk(await page.isVisible('h2:text("Passkeys")'))
    await context.close()
  }
})
