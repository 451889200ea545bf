/**
 * Goal: operators look after the service in the console: hosts, keys and the audit change while they
 * look, by mouse, by keyboard and without scripts; axe-core finds nothing, light and dark, and nothing
 * is wider than a phone. Method: a real service in a real Chromium.
 */
import t from 'tap'
import { isGood, pressTo, tabTo } from '../../helpers/access/portal/pages.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { until } from '../../helpers/lib/until.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

t.setTimeout(600_000)

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const { baseUrl, key, rest } = service
const browser = await launchChromium()
t.teardown(() => browser.close())

t.test('a key is made by keyboard, shown once, found in the list and revoked', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/keys`)
  await isGood(t, page, 'keys, before there is one')
  await page.waitForSelector('.liveness.is-live')
  const other = await newKey(service, 'made-elsewhere')
  await page.locator(`#key-${other.id}`).waitFor()
  await pressTo(page, '.actions a.button.main')
  await isGood(t, page, 'a new key')
  await tabTo(page, '#f-name')
  await page.keyboard.type('checkout')
  await pressTo(page, '.ends button.main')
  const text = (await page.textContent('#new-key'))?.trim() ?? ''
  t.match(text, /^trp_/)
  await isGood(t, page, 'a key that was made')
  const [, id] = text.split('_')
  await page.goto(`${baseUrl}/console/keys`)
  t.notMatch(await page.content(), text)
  const row = page.locator(`#key-${id}`)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await isGood(t, page, 'the question before a key is revoked')
  await page.locator(`#revoke-${id}`).getByRole('button', { name: 'Revoke this key' }).click()
  await page.waitForSelector('.notice.good')
  await until('it is not in the list', async () => (await row.count()) === 0)
  await page.goto(`${baseUrl}/console/keys?show=over`)
  await isGood(t, page, 'keys that are revoked')
  await context.close()
})

t.test('the audit grows while somebody looks, and is filtered without scripts', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/audit?action=session.create`)
  await page.waitForSelector('.liveness.is-live')
  const session = await createSession(rest, headless)
  await page.locator(`#audit a[href$="${session.id}"]`).waitFor()
  await isGood(t, page, 'the audit')
  const plain = await openConsoleIn(browser, baseUrl, key, { javaScriptEnabled: false })
  await plain.page.goto(`${baseUrl}/console/audit`)
  await plain.page.selectOption('#f-action', 'session.end_all')
  await plain.page.click('.filters button')
  t.match(await plain.page.textContent('main'), /No entries match these filters/)
  // The check for accessibility needs scripts.
  await page.goto(plain.page.url())
  await isGood(t, page, 'nothing found')
  await context.close()
  await plain.context.close()
  await rest('DELETE', '/v1/sessions/all')
})

t.test('what was used is looked at by key, and by whoever may not see other tenants', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await pressTo(page, 'nav a[href="/console/usage"]')
  await isGood(t, page, 'usage')
  await page.selectOption('#f-by', 'key')
  await page.selectOption('#f-period', '7d')
  await pressTo(page, '.filters button')
  t.match(await page.textContent('#f-by option:checked'), 'Key')
  t.ok((await page.locator('main tbody th').allTextContents()).includes('development'))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  t.match(download.suggestedFilename(), /^usage-by-key-.*\.csv$/)
  await context.close()
  const other = await newKey(service, 'another', '--tenant', 'another')
  const own = await openConsoleIn(browser, baseUrl, other.text)
  await own.page.goto(`${baseUrl}/console/usage`)
  await isGood(t, own.page, 'nothing used')
  t.match(await own.page.textContent('main'), /Nothing was used in this time/)
  await own.context.close()
})

t.test('a host is seen at work and drained, without scripts', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/hosts`)
  await page.waitForSelector('.liveness.is-live')
  await isGood(t, page, 'hosts')
  const session = await createSession(rest, headless)
  await until('it is counted', async () =>
    (await page.textContent('#browser-hosts'))?.includes('1 of '),
  )
  await rest('DELETE', `/v1/sessions/${session.id}`)
  const plain = await openConsoleIn(browser, baseUrl, key, { javaScriptEnabled: false })
  await plain.page.goto(`${baseUrl}/console/hosts`)
  await plain.page.locator('#browser-hosts').getByRole('button', { name: 'Drain' }).click()
  await plain.page.click('text=Drain this host')
  t.match(await plain.page.textContent('.notice.good'), /takes no new sessions/)
  await plain.context.close()
  await until('the open page shows it', async () =>
    (await page.textContent('#browser-hosts'))?.includes('Draining'),
  )
  await page.waitForSelector('#host-summary .notice.bad')
  t.match(await page.textContent('#host-summary'), /All browser hosts are draining/)
  await isGood(t, page, 'hosts of which none is ready')
  await page.locator('#browser-hosts').getByRole('button', { name: 'Undrain' }).click()
  t.match(await page.textContent('.notice.good'), /takes new sessions again/)
  await until('it is ready', async () =>
    (await page.textContent('#browser-hosts'))?.includes('Ready'),
  )
  const again = await createSession(rest, headless)
  await rest('DELETE', `/v1/sessions/${again.id}`)
  await context.close()
})

t.test('a key without the scope is told which key it needs', async (t) => {
  const small = await newKey(service, 'small', '--scopes', 'view')
  const { context, page } = await openConsoleIn(browser, baseUrl, small.text)
  for (const path of ['hosts', 'audit', 'keys', 'keys/new']) {
    await page.goto(`${baseUrl}/console/${path}`)
    t.match(await page.textContent('main'), /scope admin/, path)
    await isGood(t, page, `${path} for other keys`)
  }
  await context.close()
})
