/**
 * Goal: whoever looks at a session that has ended sees its last page, in the list and on its own page,
 * also after a restart of the agent; nobody else does, nothing is kept of an empty page, and a page that
 * hangs does not hold its session's end up. Method: a real service with real browsers.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isGood } from '../../helpers/access/portal/pages.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { signedInPlainly } from '../../helpers/console/plain-visitor.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { until } from '../../helpers/lib/until.ts'
import { newKey } from '../../helpers/service/keys.ts'
import {
  createSession,
  headless,
  isReady,
  startService,
  type SessionJson,
} from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '1' } })
t.teardown(() => service.stop())
const { baseUrl, key, rest } = service
const browser = await launchChromium()
t.teardown(() => browser.close())

async function visited(session: SessionJson, url: string): Promise<void> {
  const client = await connectPlaywright(session.cdp_url)
  const [page] = client.contexts()[0]!.pages()
  await page!.goto(url)
  await client.close()
}

async function end({ id }: SessionJson): Promise<void> {
  await rest('DELETE', `/v1/sessions/${id}`)
  const status = async () => (await rest('GET', `/v1/sessions/${id}`)).body.data.status
  await until('it has ended', async () => (await status()) === 'completed')
}

const secret = `${baseUrl}/demo?token=hidden-value`
const ended = await createSession(rest, headless)
await visited(ended, secret)
await end(ended)

const sizeOf = `(() => { const one = document.querySelector('.last-picture img')
  return one && [one.naturalWidth, one.naturalHeight] })()`

t.test('on its page and in the list', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/sessions/${ended.id}`)
  const [width = 0, height = 0] = (await page.evaluate<number[] | null>(sizeOf)) ?? []
  t.ok(width > 600 && width <= 960 && height > 300 && height <= 720, `${width} × ${height}`)
  t.match(await page.textContent('.last-picture'), /Troupe demo page .*\/demo\?token=…/)
  t.notMatch(await page.content(), 'hidden-value')
  await isGood(t, page, 'a session that has ended')
  await page.goto(`${baseUrl}/console?show=ended`)
  const row = page.locator(`#row-${ended.id}`)
  await until('the row has it', async () => (await row.locator('.picture img').count()) === 1)
  t.equal(await row.locator('.page-shown').textContent(), 'Troupe demo page')
  await context.close()
})

t.test('of a desktop, too', async (t) => {
  const session = await createSession(rest, {})
  await visited(session, `${baseUrl}/demo`)
  await end(session)
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/sessions/${session.id}`)
  t.ok(await page.evaluate(sizeOf))
  await context.close()
})

t.test('for nobody else: not for another tenant, not for a key that may not look', async (t) => {
  const path = `/console/sessions/${ended.id}`
  const other = await newKey(service, 'other', '--tenant', 'other')
  const stranger = await signedInPlainly(baseUrl, other.text)
  for (const place of [path, `${path}/glance`]) {
    const { status, html } = await stranger.get(place)
    t.equal(status, 404, place)
    t.notMatch(html, 'data:image/jpeg')
  }
  const { text } = await newKey(service, 'small', '--scopes', 'sessions')
  const { html } = await (await signedInPlainly(baseUrl, text)).get(path)
  t.notMatch(html, 'data:image/jpeg')
})

t.test('an empty page leaves nothing, and one that hangs ends without', async (t) => {
  const empty = await createSession(rest, headless)
  await end(empty)
  const hung = await createSession(rest, headless)
  await visited(hung, 'data:text/html,<title>Hangs</title><body onload="setTimeout(`for(;;);`)">')
  await end(hung)
  const folder = join(service.dataDir, 'last-pictures', 'test')
  const names = readdirSync(folder)
  t.ok(names.some((name) => name.includes(ended.id)))
  t.notOk(names.some((name) => name.includes(empty.id)))
  t.ok(names.every((name) => (statSync(join(folder, name)).mode & 0o077) === 0))
})

t.test('it is there after the agent has been killed', async () => {
  await service.strike('node-agent')
  await until('it serves', () => isReady(rest))
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await until('its next one answers', async () => {
    await page.goto(`${baseUrl}/console/sessions/${ended.id}`)
    return page.evaluate(sizeOf)
  })
  await context.close()
})
