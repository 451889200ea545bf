/**
 * Goal: a webhook from its creation to a delivery that is resent: added by keyboard, verified by a
 * receiver with the secret that was shown, sent an event about a contact, inspected, replayed.
 * Every page and state is accessible: axe, light and dark, a phone. Method: a real Chromium, a real
 * receiver on loopback.
 */
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { dataOf, patient } from '../../helpers/access/asking.ts'
import { webhookGrant, loopbackWebhooks } from '../../helpers/access/webhooks.ts'
import { furnish } from '../../helpers/access/world.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { isGood, opener, pressTo, tabTo } from '../../helpers/access/portal/pages.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const env = { ...loopbackWebhooks, POOL_HEADLESS: '0', POOL_HEADFUL: '0' }
const service = await startService({ env })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const world = await furnish(insider, service.baseUrl)
const { a, b, ada } = world
const ask = patient(world.ask)
const browser = await launchChromium()
t.teardown(() => browser.close())
const open = opener(browser, service.baseUrl)
const at = (page: Page, path: string) => page.goto(service.baseUrl + path)
const text = async (page: Page) => (await page.textContent('main')) ?? ''

/** Reloads the page until it has this text, as people do. */
async function untilSays(page: Page, what: RegExp): Promise<void> {
  await until(`${page.url()} says ${what}`, async () => {
    if (what.test(await text(page))) return true
    await page.goto(page.url().replace(/\?.*/, ''))
    return false
  })
}

const receiver = await startReceiver(t)
/** Once the receiver has the secret, it verifies each delivery. */
let secret: string | undefined
receiver.answer(({ body, headers }) => {
  try {
    new Webhook(secret ?? '').verify(body, headers)
    return 204
  } catch {
    return 401
  }
})

const { page } = await open(a.owner.email)

t.test('an endpoint is added by keyboard, and its secret is shown', async (t) => {
  await at(page, '/portal/webhooks')
  await isGood(t, page, 'no endpoint yet')
  await at(page, '/portal/webhooks/new')
  await isGood(t, page, 'no grant for webhooks')
  await webhookGrant(world, a)
  await until('the gateway knows the grant', async () => {
    await at(page, '/portal/webhooks')
    await pressTo(page, 'a[href="/portal/webhooks/new"]')
    return (await page.locator('#f-url').count()) === 1
  })
  await isGood(t, page, 'the form')
  await tabTo(page, '#f-url')
  await page.keyboard.type('http://10.0.0.1/hooks')
  await tabTo(page, 'input[value="contact.*"]')
  await page.keyboard.press('Space')
  await pressTo(page, 'main button[type=submit]')
  await isGood(t, page, 'a refused URL')
  t.match(await text(page), /its host is not on the public internet/)
  t.match(await page.evaluate('document.activeElement.className'), /notice bad/)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  t.equal(await page.evaluate('document.activeElement.id'), 'f-url', 'the summary leads there')
  await page.keyboard.press('Control+A')
  await page.keyboard.type(receiver.url)
  await pressTo(page, 'main button[type=submit]')
  t.match(await text(page), /This secret is shown only once/)
  secret = (await page.locator('.secret code').textContent()) ?? ''
  await isGood(t, page, 'a secret that is shown once')
})

t.test('the endpoint is verified', async (t) => {
  await pressTo(page, 'form[action$="/verify"] button')
  t.match(page.url(), /\/portal\/webhooks\/whe_\w+\?told=ping-sent/)
  await untilSays(page, /Active/)
  await isGood(t, page, 'an active endpoint')
  t.notOk((await page.content()).includes(secret ?? ''), 'the secret is not shown again')
})

t.test('an event about a contact is delivered, inspected, and resent', async (t) => {
  const endpoint = page.url().replace(/\?.*/, '')
  const body = { first_name: 'Ada', last_name: 'Lovelace' }
  const { id } = dataOf(await ask('POST', '/v1/contacts', { token: a.all.token, body }))
  await untilSays(page, /contact\.created[^]*Delivered/)
  await pressTo(page, 'tbody a')
  const delivery = page.url()
  t.match(await text(page), new RegExp(`204[^]*Delivered[^]*${id}`))
  await isGood(t, page, 'a delivery')
  await pressTo(page, 'form[action$="/replay"] button')
  t.match(await text(page), /The delivery is being sent again/)
  const [first, second] = await until('it comes once more', () => {
    const found = receiver.of('contact.created')
    return found.length === 2 && found
  })
  t.equal(first!.headers['webhook-id'], second!.headers['webhook-id'])
  await at(page, '/portal/webhooks/deliveries')
  await isGood(t, page, 'deliveries')
  await at(page, '/portal/webhooks/deliveries?status=cancelled')
  await isGood(t, page, 'no delivery that fits')
  await page.goto(`${endpoint}/edit`)
  await isGood(t, page, 'changing an endpoint')
  await page.goto(endpoint)
  for (const summary of await page.locator('main summary').all()) await summary.click()
  await isGood(t, page, 'an endpoint with everything open')
  await page.fill('#f-reason-disable', 'It is being moved.')
  await page.click('form[action$="/disable"] button')
  await page.waitForURL(/told=paused/)
  await isGood(t, page, 'a paused endpoint')
  t.ok(delivery)
})

t.test('staff see its state, also without scripts', async (t) => {
  const staff = await open(ada.email, { javaScriptEnabled: false })
  await at(staff.page, '/staff/webhooks')
  await untilSays(staff.page, /Paused[^]*None of 2 attempts/)
  await staff.context.close()
  const again = await open(ada.email)
  await at(again.page, '/staff/webhooks')
  await isGood(t, again.page, 'the endpoints of all clients')
  await again.context.close()
  const other = await open(b.owner.email)
  await at(other.page, '/portal/webhooks')
  t.match(await text(other.page), /There are no webhook endpoints yet/)
  await other.context.close()
})
