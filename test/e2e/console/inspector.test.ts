/**
 * Goal: DevTools open from the console in a sandbox: they show the page of the session, and neither the
 * front end nor what the session's browser might serve in its place reaches the console's cookie,
 * its pages or REST. A link ends with its tokens. Method: a real service in a real Chromium.
 */
import type { Frame, Page } from 'playwright-core'
import t from 'tap'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { until } from '../../helpers/lib/until.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

t.setTimeout(240_000)

const service = await startService({ env: { POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const { baseUrl, key, rest } = service
const browser = await launchChromium()
t.teardown(() => browser.close())

const shop = `data:text/html,<title>A shop</title><h1>Ripe pears</h1>`
const session = await createSession(rest, { ...headless, session: { initial_url: shop } })
const here = `${baseUrl}/console/sessions/${session.id}`

/** All text of a page, of its shadow roots too: DevTools consist of them. */
const deepText = `(() => {
  const read = (node) =>
    [...node.childNodes].map((child) =>
      child.nodeType === 3 ? child.data
        : ['STYLE', 'SCRIPT'].includes(child.nodeName) ? ''
          : read(child) + (child.shadowRoot ? read(child.shadowRoot) : '')).join(' ')
  return document.body ? read(document.body) : ''
})()`

const textOf = (page: Page | Frame) => page.evaluate<string>(deepText)
const { context, page } = await openConsoleIn(browser, baseUrl, key)
t.teardown(() => context.close())

async function openDevtools(at = here): Promise<{ devtools: Page; wrong: string[] }> {
  await page.goto(at)
  const [devtools] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: /DevTools of/ }).click(),
  ])
  const wrong: string[] = []
  devtools.on('pageerror', (error) => wrong.push(String(error)))
  return { devtools, wrong }
}

t.test('the elements of the session’s page are shown', async (t) => {
  const { devtools, wrong } = await openDevtools()
  await until('its text is among them', async () => /Ripe pears/.test(await textOf(devtools)))
  t.match(devtools.url(), new RegExp(`^${baseUrl}/inspector/${session.id}/tst_`))
  t.notMatch(devtools.url(), key)
  t.same(wrong, [])
  await devtools.close()
})

t.test('what runs there has no origin, cookie or answer of this service', async (t) => {
  const { devtools } = await openDevtools(`${baseUrl}/console`)
  await devtools.waitForLoadState()
  t.equal(await devtools.evaluate('self.origin'), 'null')
  const outcomeOf = (code: string) =>
    devtools.evaluate<string>(`(async () => ${code})().then(String, ({ name }) => name)`)
  t.equal(await outcomeOf('document.cookie'), 'SecurityError')
  t.equal(await outcomeOf('indexedDB.open("x")'), 'SecurityError')
  for (const path of ['/console', '/docs', `/v1/sessions/${session.id}`, '/console/keys']) {
    const read = `(await fetch('${path}', { credentials: 'include' })).text()`
    t.equal(await outcomeOf(read), 'TypeError', path)
  }
  const header = `fetch('/v1/sessions', { headers: { 'service-api-key': '${key}' } })`
  t.equal(await outcomeOf(header), 'TypeError', 'not even with the key')
  const form = `fetch('${new URL(here).pathname}/end', { method: 'POST', mode: 'no-cors' })`
  await outcomeOf(form)
  t.equal((await rest('GET', `/v1/sessions/${session.id}`)).body.data.status, 'running')
  await devtools.close()
})

t.test('a page of this service gets no script of a session’s browser', async (t) => {
  const { devtools } = await openDevtools()
  await devtools.waitForLoadState()
  const script = new URL('entrypoints/inspector/inspector.js', devtools.url()).pathname
  await devtools.close()
  const status = await page.evaluate<number>(`fetch('${script}').then(({ status }) => status)`)
  t.equal(status, 403)
  const plain = await fetch(baseUrl + script)
  t.equal(plain.status, 200)
  t.match(plain.headers.get('content-security-policy'), /^sandbox allow-scripts/)
  for (const file of ['..%2fjson%2flist', 'devtools_app.html', '.js', 'no-such-file.js']) {
    const answer = await fetch(baseUrl + script.replace('entrypoints/inspector/inspector.js', file))
    t.equal(answer.status, 404, file)
  }
})

t.test('revoking the session’s tokens ends open DevTools and their link', async (t) => {
  const { devtools } = await openDevtools()
  await until('they are connected', async () => /Ripe pears/.test(await textOf(devtools)))
  await page.goto(here)
  await page.click('form[action$="/links/revoke"] button')
  await until('they say so', async () => /disconnected|connection/i.test(await textOf(devtools)))
  const answer = await devtools.reload()
  t.equal(answer?.status(), 401)
  t.match(await devtools.textContent('body'), /This link is no longer valid/)
  await devtools.close()
})

t.test('other tenants and keys without drive open nothing', async (t) => {
  const made = async (tenant: string, scopes: readonly string[]) => {
    const body = { name: 'other', tenant, scopes }
    return (await rest<{ data: { key: string } }>('POST', '/v1/admin/keys', body)).body.data.key
  }
  const tenant = 'local'
  for (const [text, status] of [
    [await made('elsewhere', ['sessions', 'drive']), 404],
    [await made(tenant, ['view']), 403],
  ] as const) {
    const other = await openConsoleIn(browser, baseUrl, text)
    const answer = await other.page.goto(`${here}/devtools`)
    t.equal(answer?.status(), status)
    const says = (await other.page.textContent('main')) ?? ''
    t.equal(/ask the operator for a key with the missing scope/.test(says), status === 403)
    await other.context.close()
  }
})
