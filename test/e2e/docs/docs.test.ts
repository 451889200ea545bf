/**
 * Goal: the documentation is whole and good to read: every link in it leads somewhere, every page is
 * accessible in light and dark and fits a phone, the API reference finds routes and tries them with
 * a typed key, and nothing is loaded from elsewhere. Method: a real Chromium and a real gateway.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { isGood } from '../../helpers/access/portal/pages.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { playService } from '../../helpers/gateway/gateway.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await playService({ env: { DEV_KEY: 'dev-local-key' } })
t.teardown(() => service.close())
const base = service.gateway.url
const browser = await launchChromium()
t.teardown(() => browser.close())

const guides = readdirSync(join(packageRoot, 'gateway/docs/guides'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `/docs/guides/${name.replace(/\.md$/, '')}`)

interface Links {
  readonly status: number
  readonly hrefs: readonly string[]
  readonly ids: ReadonlySet<string>
}

const pages = new Map<string, Promise<Links>>()
const visit = (path: string): Promise<Links> => {
  const known = pages.get(path)
  if (known) return known
  const read = readLinks(path)
  pages.set(path, read)
  return read
}

async function readLinks(path: string): Promise<Links> {
  const answer = await fetch(base + path)
  const html = await answer.text()
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, text = '']) => text)
  return {
    status: answer.status,
    hrefs: all(/<a [^>]*href="([^"]*)"/g).map((href) => href.replaceAll('&#38;', '&')),
    ids: new Set(all(/ id="([^"]*)"/g)),
  }
}

t.test('every link of every page leads to a page, and to a place on it', async (t) => {
  const waiting = ['/docs', ...guides]
  const seen = new Set(waiting)
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { status, hrefs } = await visit(path)
    t.equal(status, 200, path)
    for (const href of hrefs) {
      if (/^[a-z]+:/.test(href) && !href.startsWith(base)) continue
      const url = new URL(href, base + path)
      if (!url.pathname.startsWith('/docs') || url.pathname === '/docs/api') continue
      const { ids } = await visit(url.pathname)
      const place = decodeURIComponent(url.hash.slice(1))
      t.ok(place === '' || ids.has(place), `${path} → ${href}`)
      if (!seen.has(url.pathname)) waiting.push(url.pathname)
      seen.add(url.pathname)
    }
  }
  t.ok(seen.size > 40, `${seen.size} pages`)
})

t.test('links to the API reference name operations that exist', async (t) => {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const places = new Set(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ tags, operationId }) => `#/${tags[0]}/${operationId}`),
  )
  let count = 0
  for (const path of guides) {
    for (const href of (await visit(path)).hrefs) {
      const url = new URL(href, base)
      if (url.pathname !== '/docs/api' || url.hash === '') continue
      count++
      t.ok(places.has(decodeURIComponent(url.hash)), `${path} → ${url.hash}`)
    }
  }
  t.ok(count > 1)
})

interface Operation {
  readonly tags: readonly string[]
  readonly operationId: string
}

/** A page with what it asked other hosts for, and what its policy forbade. */
async function open(path: string, colorScheme: 'light' | 'dark' = 'light') {
  const context = await browser.newContext({ colorScheme })
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base)) {
      wrong.push(request.url())
    }
  })
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  await page.goto(base + path)
  return { page, wrong, close: () => context.close() }
}

t.test('guides are accessible, light and dark, and fit a phone', async (t) => {
  for (const path of ['/docs', ...guides, '/docs/inside/SECURITY']) {
    const { page, wrong, close } = await open(path)
    await isGood(t, page, path)
    t.same(wrong, [], path)
    await close()
  }
})

t.test('a guide shows its pictures, each with a text, and no other file', async (t) => {
  const { page, close } = await open('/docs/guides/agencies')
  const pictures = page.locator('.prose img')
  t.equal(await pictures.count(), 3)
  for (const picture of await pictures.all()) {
    t.match(await picture.getAttribute('alt'), /\w+ \w+/)
    await picture.scrollIntoViewIfNeeded()
  }
  const loaded = `[...document.querySelectorAll('.prose img')].every((one) => one.naturalWidth > 0)`
  await until('all are loaded', () => page.evaluate<boolean>(loaded))
  await close()
  const folder = `${base}/docs/guides/pictures`
  for (const name of ['none.png', '..%2Fagencies.md', '%2e%2e%2fagencies.md', '.']) {
    t.equal((await fetch(`${folder}/${name}`)).status, 404, name)
  }
})

t.test('a guide that does not exist is answered with a page, to programs with JSON', async (t) => {
  const url = `${base}/docs/guides/nope`
  const browser = await fetch(url, { headers: { accept: 'text/html' } })
  t.equal(browser.status, 404)
  t.match(await browser.text(), /There is no such page/)
  t.match(await (await fetch(url)).json(), { error: { type: 'not_found' } })
})

t.test('what is searched for is found, from every page, by the keyboard too', async (t) => {
  const { page, wrong, close } = await open('/docs/guides/first-session')
  await page.keyboard.press('/')
  await page.keyboard.type('keep a login')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/search\?q=keep/)
  t.match(await page.textContent('[role=status]'), /\d+ places for “keep a login”/)
  t.equal(await page.inputValue('#docs-search'), 'keep a login')
  await isGood(t, page, 'what was found')
  const links = `[...document.querySelectorAll('.docs-hits a')].map((a) => a.getAttribute('href'))`
  const hrefs = await page.evaluate<string[]>(links)
  t.ok(hrefs.some((href) => href.startsWith('/docs/guides/logins')))
  for (const href of hrefs.filter((one) => !one.startsWith('/docs/api'))) {
    const { pathname, hash } = new URL(href, base)
    const { status, ids } = await visit(pathname)
    t.ok(status === 200 && (hash === '' || ids.has(decodeURIComponent(hash.slice(1)))), href)
  }
  await page.keyboard.press('Control+k')
  await page.keyboard.type('qqzzxx')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=qqzzxx/)
  t.match(await page.textContent('[role=status]'), /Nothing was found/)
  await isGood(t, page, 'nothing')
  t.same(wrong, [])
  await close()
  t.equal((await fetch(`${base}/docs/search?q=${'x'.repeat(201)}`)).status, 400)
  t.match(
    await (await fetch(`${base}/docs/search?q=%3Cscript%3E`)).text(),
    'placeholder="Search ( / )" value="&lt;script&gt;"',
  )
})

t.test('the reference opens at an operation that was found', async (t) => {
  const { page, close } = await open('/docs/search?q=disable_web_security')
  await page.locator('.docs-hits a[href*="post_sessions"]').first().click()
  const opened = () => page.locator('.opblock.is-open').first().isVisible()
  t.ok(await until('it is open', opened, 180_000))
  await close()
})

t.test('a block of code is copied by its button', async (t) => {
  const { page, close } = await open('/docs/guides/first-session')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.locator('.copy').first().click()
  await until(
    'it says so',
    async () => (await page.locator('.copy').first().textContent()) === 'Copied',
  )
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  t.equal(copied.trim(), 'npm start')
  await close()
})

const operations = (page: Page) => page.locator('.opblock').count()

t.test('the reference shows the document, finds a route and tries it with a key', async (t) => {
  const { page, wrong, close } = await open('/docs/api')
  // A large script and a large document, on a machine that may have other work.
  const isThere = async () => (await page.locator('.opblock-tag').count()) > 10
  await until('it is there', isThere, 180_000)
  await isGood(t, page, 'closed')
  await page.fill('#filter', 'get list sessions, including')
  await until('one is left', async () => (await operations(page)) === 1)
  await page.locator('.opblock-summary-control').first().click()
  await page.locator('.try-out__btn').click()
  await isGood(t, page, 'open')
  const status = async () =>
    page.locator('.live-responses-table tbody .response-col_status').first().textContent()
  await page.locator('.execute').click()
  await until('it is refused without a key', async () => (await status())?.includes('401'))
  await page.fill('#key', 'dev-local-key')
  await page.locator('.execute').click()
  await until('it is answered with one', async () => (await status())?.includes('200'))
  const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
  t.notMatch(stored, 'dev-local-key', 'the key is not stored')
  t.same(
    wrong.filter((text) => !text.includes('401')),
    [],
  )
  await close()
})

t.test('the reference finds requests by their fields, and says so if there are none', async (t) => {
  const { page, wrong, close } = await open('/docs/api')
  const isThere = async () => (await page.locator('.opblock-tag').count()) > 10
  await until('it is there', isThere, 180_000)
  const said = () => page.textContent('#found')
  await page.fill('#filter', 'disable_web_security')
  await until('some are found', async () => (await said())?.includes('match'))
  await until('the words of fields are there', async () => !(await said())?.startsWith('No'))
  t.ok(await page.locator('[data-path="/v1/sessions"]').first().isVisible())
  await page.fill('#filter', 'get list sessions, including')
  await until('another one is found', async () => (await operations(page)) === 1)
  await page.fill('#filter', 'qqzzxx')
  await until('it says so', async () => (await said())?.startsWith('No request matches'))
  t.notOk(await page.getByText('No operations defined').isVisible())
  await isGood(t, page, 'nothing found')
  await page.fill('#filter', '')
  await until('all are back', async () => (await said()) === '')
  t.ok(await isThere())
  t.same(wrong, [])
  await close()
})

t.test('on a phone, text of the reference has the width of the page', async (t) => {
  const { page, close } = await open('/docs/api')
  await page.setViewportSize({ width: 390, height: 844 })
  const isThere = async () => (await page.locator('.opblock-tag').count()) > 10
  await until('it is there', isThere, 180_000)
  const narrow = (selector: string) => `[...document.querySelectorAll('${selector}')]
    .filter((one) => one.getBoundingClientRect().width < 250).map((one) => one.textContent)`
  t.same(await page.evaluate(narrow('.opblock-tag small')), [])
  await page.fill('#filter', 'post create a session with a warm browser')
  await until('one is left', async () => (await operations(page)) === 1)
  t.same(await page.evaluate(narrow('.opblock-summary-path-description-wrapper')), [])
  await page.locator('.opblock-summary-control').first().click()
  const cells =
    '.parameters > tbody > tr > td, .responses-table > tbody > tr > td.response-col_description'
  await until('it is open', async () => (await page.locator(cells).count()) > 5)
  t.same(await page.evaluate(narrow(cells)), [])
  await close()
})

t.test('who is signed in to the console tries a route without typing a key', async (t) => {
  const { page, wrong, close } = await open('/docs/api')
  await page.getByRole('link', { name: 'sign in' }).click()
  await page.fill('#f-key', 'dev-local-key')
  await page.click('button[type=submit]')
  await page.waitForURL(`${base}/docs/api`)
  t.match(await page.textContent('#key-note'), /signed in to the console/)
  const isThere = async () => (await page.locator('.opblock-tag').count()) > 10
  await until('it is there', isThere, 180_000)
  await page.fill('#filter', 'get list sessions, including')
  await until('one is left', async () => (await operations(page)) === 1)
  await page.locator('.opblock-summary-control').first().click()
  await page.locator('.try-out__btn').click()
  await page.locator('.execute').click()
  const answer = page.locator('.live-responses-table tbody .response-col_status').first()
  await until('it is answered', async () => (await answer.textContent())?.includes('200'))
  t.match(await page.textContent('.curl-command'), /service-api-key: YOUR_KEY/)
  t.notMatch(await page.textContent('.curl-command'), /x-page-token/)
  t.same(wrong, [])
  await close()
})
