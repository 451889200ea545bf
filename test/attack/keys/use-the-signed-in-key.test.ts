/**
 * The API reference sends requests with the key that its reader is signed in to the console with. A page
 * of another site, of another port of the same host, or of a session's browser wants to do so too, in
 * the reader's own browser and with everything it could know. Method: a real service in a real
 * Chromium, and requests as browsers send them.
 */
import { createServer } from 'node:http'
import t from 'tap'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

t.setTimeout(240_000)

const service = await startService({ env: { POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const { baseUrl, key, rest } = service
const session = await createSession(rest, headless)
const browser = await launchChromium()
t.teardown(() => browser.close())
const { context, page } = await openConsoleIn(browser, baseUrl, key)

await page.goto(`${baseUrl}/docs/api`)
const token = (await page.getAttribute('#key-form', 'data-page-token')) ?? ''
const cookie = (await context.cookies(baseUrl))
  .map(({ name, value }) => `${name}=${value}`)
  .join('; ')

const path = `/v1/sessions/${session.id}`
const isRunning = async () => (await rest('GET', path)).body.data.status === 'running'
const statusOf = async (headers: Record<string, string>, method = 'GET') =>
  (await fetch(baseUrl + path, { method, headers })).status

t.test('the page has a token, and no key', async (t) => {
  t.match(token, /^[\w-]{43}$/)
  t.notMatch(await page.content(), key)
  const own = { cookie, 'x-page-token': token, 'sec-fetch-site': 'same-origin' }
  t.equal(await statusOf(own), 200)
})

t.test('a request lacks what only this page sends', async (t) => {
  const own = { cookie, 'x-page-token': token, 'sec-fetch-site': 'same-origin' }
  const { 'sec-fetch-site': _, ...withoutSite } = own
  for (const [headers, status] of [
    [{ cookie }, 401],
    [{ cookie, 'sec-fetch-site': 'same-origin' }, 401],
    [{ ...own, 'x-page-token': '' }, 403],
    [{ ...own, 'x-page-token': `${token.slice(0, -1)}!` }, 403],
    [{ ...own, 'sec-fetch-site': 'same-site' }, 403],
    [{ ...own, 'sec-fetch-site': 'cross-site' }, 403],
    [{ ...own, 'sec-fetch-site': 'none' }, 403],
    [withoutSite, 403],
    [{ ...own, cookie: '' }, 401],
    [{ ...own, cookie: `${cookie.slice(0, -4)}AAAA` }, 401],
  ] as const) {
    for (const method of ['GET', 'DELETE']) {
      t.equal(await statusOf(headers, method), status, `${method} ${JSON.stringify(headers)}`)
    }
  }
  t.ok(await isRunning())
})

t.test('the token of a form of the console is none of a request', async (t) => {
  await page.goto(`${baseUrl}/console/sessions/new`)
  const formToken = (await page.getAttribute('[name=form_token]', 'value')) ?? ''
  t.match(formToken, /^[\w-]{43}$/)
  const headers = { cookie, 'x-page-token': formToken, 'sec-fetch-site': 'same-origin' }
  t.equal(await statusOf(headers, 'DELETE'), 403)
})

/** The ways of a script in a page of the reader's browser, each with its outcome. */
const attempts = `async ({ target, reference, token }) => {
  const outcome = (work) => work().then(({ status, type }) => type + status, ({ name }) => name)
  const with_ = { credentials: 'include', headers: { 'x-page-token': token } }
  return {
    read: await outcome(() => fetch(target, with_)),
    end: await outcome(() => fetch(target, { ...with_, method: 'DELETE' })),
    plain: await outcome(() => fetch(target, { credentials: 'include' })),
    opaque: await outcome(() => fetch(target, { ...with_, mode: 'no-cors' })),
    reference: await outcome(() => fetch(reference, { credentials: 'include' })),
  }
}`
const refused = {
  ...{ read: 'TypeError', end: 'TypeError', plain: 'TypeError', reference: 'TypeError' },
  opaque: 'opaque0',
}
const known = { target: baseUrl + path, reference: `${baseUrl}/docs/api`, token }
const script = `(${attempts})(${JSON.stringify(known)})`

t.test('pages of other origins, of the same host and of others', async (t) => {
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<h1>Elsewhere</h1>')
  })
  const port = await listenOnLoopback(site)
  t.teardown(() => closeServer(site))
  for (const host of ['127.0.0.1', 'localhost']) {
    const elsewhere = await context.newPage()
    await elsewhere.goto(`http://${host}:${port}`)
    t.same(await elsewhere.evaluate(script), refused, host)
    await elsewhere.close()
  }
  t.ok(await isRunning())
})

t.test('what a session’s browser serves as its DevTools', async (t) => {
  const devtools = await context.newPage()
  await devtools.goto(`${baseUrl}/console/sessions/${session.id}/devtools`)
  t.match(devtools.url(), '/inspector/')
  t.same(await devtools.evaluate(script), refused)
  await devtools.close()
  t.ok(await isRunning())
})

t.test('after signing out, the token is worth nothing', async (t) => {
  await page.goto(`${baseUrl}/console`)
  await page.click('form[action="/console/sign-out"] button')
  await page.waitForURL(/told=signed-out/)
  const left = (await context.cookies(baseUrl)).map(({ name, value }) => `${name}=${value}`)
  const headers = { 'x-page-token': token, 'sec-fetch-site': 'same-origin' }
  t.equal(await statusOf({ ...headers, cookie: left.join('; ') }), 401)
  await page.goto(`${baseUrl}/docs/api`)
  t.equal(await page.getAttribute('#key-form', 'data-page-token'), '')
})
