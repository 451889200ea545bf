/**
 * Goal: a claimed browser has the properties that its session asked for. Method: real Chromium,
 * unmodified Playwright.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'

type Test = Pick<typeof t, 'teardown'>
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import { devtoolsUrl, openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { serve } from '../../helpers/lib/loopback.ts'
import { processesNaming } from '../../helpers/lib/processes.ts'
import { until } from '../../helpers/lib/until.ts'

const host = openBrowserHost()
t.teardown(async () => {
  const { processes, folders } = await host.close()
  if (processes > 0 || folders.length > 0) throw new Error(`left: ${processes} and ${folders}`)
})

/** A session of that creation body, ended with the test. */
async function claimFor(t: Test, body: unknown = {}) {
  const { sessionId, claim } = await host.claim(body)
  t.teardown(() => host.sessions.drop(sessionId, 'test over'))
  return claim
}

/** Such a session with a client attached, and its first page. */
async function openSession(t: Test, body: unknown = {}) {
  const claim = await claimFor(t, body)
  const client = await connectPlaywright(devtoolsUrl(claim))
  t.teardown(() => client.close())
  return { claim, client, page: firstPage(client) }
}

function firstPage(client: Browser): Page {
  const pages = client.contexts()[0]!.pages()
  if (pages.length !== 1) throw new Error(`${pages.length} pages`)
  return pages[0]!
}

const sizeOf = (page: Page) => page.evaluate<string>('innerWidth + "x" + innerHeight')

/** The browser saves the file under its own id; unfinished files lie beside it. */
function downloaded({ downloadsDir }: BrowserClaim, text: string): Promise<boolean> {
  const reads = (name: string) =>
    !name.endsWith('.crdownload') && readFileSync(join(downloadsDir, name), 'utf8') === text
  return until(`a file that says ${text}`, () => readdirSync(downloadsDir).some(reads))
}

t.test('it is fresh, with one blank page, and the viewport in every tab and window', async (t) => {
  await host.full()
  const before = performance.now()
  const { claim, client, page } = await openSession(t)
  t.equal(page.url(), 'about:blank')
  t.equal(await sizeOf(page), '1440x900')
  const tab = await client.contexts()[0]!.newPage()
  t.equal(await sizeOf(tab), '1440x900')
  const raw = await connectRaw(devtoolsUrl(claim))
  await raw.send('Target.createTarget', { url: 'about:blank', newWindow: true })
  const pages = () => client.contexts()[0]!.pages()
  const window = await until('the window is seen', () => pages()[2])
  await until('it has its size', async () => (await sizeOf(window)) === '1440x900')
  raw.close()
  t.comment(`claim, connect and three pages: ${Math.round(performance.now() - before)} ms`)
})

t.test('a warm claim takes about as long as a function call', async (t) => {
  await host.full()
  const before = performance.now()
  const { sessionId } = await host.claim()
  t.comment(`warm claim: ${(performance.now() - before).toFixed(2)} ms`)
  const released = performance.now()
  t.same(await host.sessions.release({ sessionId, epoch: 1 }), { released: true })
  t.comment(`release: ${(performance.now() - released).toFixed(2)} ms`)
  await host.full()
  const pss = processesNaming(host.root).reduce((sum, { pssBytes }) => sum + pssBytes, 0)
  t.comment(`one warm browser: ${Math.round(pss / 2 ** 20)} MiB (PSS)`)
})

t.test('it takes another viewport at claim, also one larger than a screen', async (t) => {
  for (const viewport of [
    { width: 800, height: 600 },
    { width: 2500, height: 1500 },
  ]) {
    const size = `${viewport.width}x${viewport.height}`
    const { client, page } = await openSession(t, { browser: { viewport } })
    t.equal(await sizeOf(page), size)
    t.equal(await sizeOf(await client.contexts()[0]!.newPage()), size)
    t.ok(await page.evaluate('screen.width >= outerWidth && screen.height >= outerHeight'))
  }
})

t.test('full screen has no window frame around the page', async (t) => {
  const viewport = { width: 1280, height: 720 }
  const { page } = await openSession(t, { browser: { viewport, fullscreen: { active: true } } })
  t.equal(await sizeOf(page), '1280x720')
  t.equal(await page.evaluate('screen.width + "x" + screen.height'), '1280x720')
  t.equal(await page.evaluate('outerHeight'), 720)
})

t.test('it opens its first URL, and an unreachable URL does not fail the claim', async (t) => {
  const url = await serve(t, (_, response) => response.end('<title>first</title>'))
  const { page } = await openSession(t, { session: { initial_url: `${url}/here` } })
  await page.waitForLoadState()
  t.equal(page.url(), `${url}/here`)
  t.equal(await page.title(), 'first')
  const refused = { session: { initial_url: 'http://127.0.0.1:1/' } }
  t.ok(await openSession(t, refused))
})

t.test('it keeps downloads in the session’s folder', async (t) => {
  const url = await serve(t, (_, response) => {
    response.setHeader('content-disposition', 'attachment; filename="report.txt"').end('figures')
  })
  const claim = await claimFor(t)
  // A bare client, because a library sets its own download behaviour.
  const raw = await connectRaw(devtoolsUrl(claim))
  await raw.send('Target.createTarget', { url })
  t.ok(await downloaded(claim, 'figures'))
  raw.close()
})

t.test('with pdf_viewer false it downloads PDFs', async (t) => {
  const url = await serve(t, (_, response) => {
    response.setHeader('content-type', 'application/pdf').end('%PDF-1.4')
  })
  const claim = await claimFor(t, { browser: { pdf_viewer: { active: false } } })
  const raw = await connectRaw(devtoolsUrl(claim))
  await raw.send('Target.createTarget', { url: `${url}/paper.pdf` })
  t.ok(await downloaded(claim, '%PDF-1.4'))
  raw.close()
})

t.test('with disable_web_security a page can read another origin', async (t) => {
  const here = await serve(t, (_, response) => response.end('here'))
  const there = await serve(t, (_, response) => response.end('there'))
  const read = async (body: unknown) => {
    const { page } = await openSession(t, body)
    await page.goto(here)
    return page.evaluate(`fetch('${there}').then((r) => r.text(), () => 'refused')`)
  }
  t.equal(await read({}), 'refused')
  t.equal(await read({ browser: { disable_web_security: { active: true } } }), 'there')
})

t.test('it uses a proxy that requires credentials', async (t) => {
  const seen: string[] = []
  const proxy = await serve(t, (request, response) => {
    const given = request.headers['proxy-authorization'] ?? ''
    seen.push(Buffer.from(given.replace('Basic ', ''), 'base64').toString())
    response.end(`<title>by proxy: ${request.url}</title>`)
  })
  const { page } = await openSession(t, {
    session: {
      proxy: { active: true, type: 'custom', server: proxy, username: 'me', password: 'p@ss:word' },
    },
  })
  await page.goto('http://nowhere.test/x')
  t.equal(await page.title(), 'by proxy: http://nowhere.test/x')
  t.ok(seen.every((credentials) => credentials === 'me:p@ss:word'))
  await page.goto('http://127.0.0.1:4000/')
  t.equal(await page.title(), 'by proxy: http://127.0.0.1:4000/', 'loopback goes the same way')
})

t.test('pop-ups: blocked by default, allowed on request, as tabs on request', async (t) => {
  const url = await serve(t, (_, response) => response.end('page'))
  const open = `!!window.open('${url}/popup', '', 'width=300,height=200')`
  const evaluate = async (page: Page, expression: string, userGesture = false) => {
    const cdp = await page.context().newCDPSession(page)
    const { result } = await cdp.send('Runtime.evaluate', { expression, userGesture })
    return result.value as unknown
  }
  const plain = await openSession(t)
  await plain.page.goto(url)
  t.equal(await evaluate(plain.page, open), false)

  const allowed = await openSession(t, { browser: { popup_blocker: { active: false } } })
  await allowed.page.goto(url)
  t.equal(await evaluate(allowed.page, open), true)

  const tabs = await openSession(t, { browser: { force_popups_as_tabs: { active: true } } })
  await tabs.page.goto(url)
  const opened = tabs.page.waitForEvent('popup')
  t.equal(await evaluate(tabs.page, open, true), true)
  t.equal(await sizeOf(await opened), '1440x900', 'no window of 300x200')
})

t.test('a crash is told apart from a client’s Browser.close', async (t) => {
  const crashed = await host.claim()
  const leader = processesNaming(crashed.claim.browserId).find(
    ({ command }) => !command.includes('--type='),
  )!
  process.kill(leader.pid, 'SIGKILL')
  const first = await until('the crash is seen', () => host.gone[0])
  t.equal(first.browser.id, crashed.claim.browserId)
  t.equal(first.exit.signal, 'SIGKILL')

  const closed = await host.claim()
  const raw = await connectRaw(devtoolsUrl(closed.claim))
  await raw.send('Browser.close').catch(() => undefined) // Its answer may be overtaken by the end.
  const second = await until('the close is seen', () => host.gone[1])
  t.equal(second.browser.id, closed.claim.browserId)
  t.equal(second.exit.code, 0)
  await until('their folders are gone', () =>
    readdirSync(host.root).every((name) => name !== first.browser.id && name !== second.browser.id),
  )
})
