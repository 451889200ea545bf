/**
 * Goal: commands reach the tab that a person would see, and say plainly when they cannot. Method:
 * real Chromium, with a display and without; an unmodified client switches tabs and looks at the
 * pages.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { listPages } from '../../../node-agent/browser/page.ts'
import { captureScreen } from '../../../node-agent/input/x11/capture.ts'
import { DisplayConnection } from '../../../node-agent/input/x11/display-connection.ts'
import { OsInput } from '../../../node-agent/input/x11/os-input.ts'
import { PageControl, type PagedBrowser } from '../../../node-agent/page/page-control.ts'
import { inPageText } from '../../helpers/browser/page-text.ts'
import { devtoolsUrl, openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { serve } from '../../helpers/lib/loopback.ts'
import { pngSize } from '../../helpers/files/png.ts'
import { until } from '../../helpers/lib/until.ts'

const html = `<title>page</title><body style="margin:0;height:9000px">
<p class=word style="margin:0">first</p><p class=word style="margin-top:4000px">second</p>
<button id=button style="position:absolute;left:700px;top:6000px;width:100px;height:40px">
press</button>
<a id=link href=#there style="display:block;width:120px">a link that is too long for its line</a>
<div id=hidden style="display:none">hidden</div>
<input id=one type=file hidden><input id=many type=file multiple><input id=text>
<script>
clicked = []; chosen = []
addEventListener('click', (e) => clicked.push(e.target.id))
addEventListener('change', (e) => chosen = [...e.target.files].map((file) => file.name))
</script>`

/** Elements that are not the first in the top document. */
const spread = `<title>spread</title><body style="margin:0;height:3000px">
<button class=twice style="display:none">hidden</button>
<button class=twice style="position:absolute;left:20px;top:1500px;width:80px;height:20px">shown</button>
<div id=host></div>
<iframe src="/inner" style="position:absolute;left:100px;top:2000px;width:300px;height:200px;border:0">
</iframe>
<script>
host.attachShadow({ mode: 'open' }).innerHTML = '<button class=shaded>in a shadow root</button>'
</script>`
const inner = `<body style="margin:0;height:900px">
<button class=framed style="position:absolute;left:10px;top:600px;width:60px;height:20px">1</button>
<button class="framed twice" style="position:absolute;left:10px;top:700px;width:60px;height:20px">2
</button><input type=file><script>
chosen = []
addEventListener('change', (e) => chosen = [...e.target.files].map((file) => file.name))
</script>`

const answers: Readonly<Record<string, RequestListener>> = {
  '/download': (_, response) => {
    response.setHeader('content-disposition', 'attachment; filename="report.txt"').end('figures')
  },
  '/spread': (_, response) => response.end(spread),
  '/inner': (_, response) => response.end(inner),
  '/nothing': (_, response) => response.writeHead(204).end(),
  '/broken': (_, response) => response.writeHead(500).end(),
  '/alert': (_, response) => response.end('<script>alert("hello")</script>after'),
  '/slow': (_, response) => void setTimeout(() => response.end('slow'), 300),
}
const site = await serve(t, (request, response) => {
  response.setHeader('content-type', 'text/html')
  const answer = answers[request.url ?? ''] ?? ((_, response) => response.end(html))
  answer(request, response)
})
const at = (path: string, host = '127.0.0.1') => site.replace('127.0.0.1', host) + path

const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

async function open(body: unknown) {
  const { sessionId, claim } = await host.claim(body)
  const held = host.sessions.held().find((one) => one.sessionId === sessionId)!
  const browser = held.browser as unknown as PagedBrowser
  const pages = new PageControl(browser)
  const selectedUrl = () =>
    pages.selected().then((tab) => tab.evaluate(inPageText('() => location.href')))
  const isSelected = (url: string) =>
    until(`${url} is the selected tab`, async () => (await selectedUrl()) === url)
  return { claim, browser, pages, isSelected, end: () => host.sessions.drop(sessionId, 'over') }
}

const headless = await open({ browser: { viewport: { width: 800, height: 600 } } })
const { pages } = headless
const client = await connectPlaywright(devtoolsUrl(headless.claim))
t.teardown(() => client.close())
const context = client.contexts()[0]!
context.on('page', (page) => page.on('dialog', () => undefined))
const first = context.pages()[0]!
first.on('dialog', () => undefined) // Or the client would dismiss them.

/** The client learns of navigations over its own connection, perhaps later than the agent. */
const firstIsAt = (path: string) =>
  until(`the client is at ${path}`, async () => {
    const here = await first.evaluate<string>('location.href').catch(() => '')
    return first.url() === at(path) && here === at(path)
  })

t.test('goto ends when the page has loaded', async (t) => {
  await pages.goto(at('/slow'))
  t.equal(await first.textContent('body'), 'slow')
  await pages.goto(at('/page').replace('http://', ''))
  await firstIsAt('/page')
  t.equal(await first.title(), 'page')
  await pages.goto(at('/page#there'))
  await firstIsAt('/page#there')
  await pages.goto(at('/', 'localhost'))
  await until('another site, another process: the same tab', () =>
    first.url().includes('localhost'),
  )
  t.ok(await pages.screenshot())
})

t.test('goto: URLs that leave the page in place, and failures', async (t) => {
  await pages.goto(at('/page'))
  await pages.goto(at('/download'))
  await pages.goto(at('/nothing'))
  await firstIsAt('/page')
  await pages.goto(at('/broken'))
  await t.rejects(pages.goto('http://nowhere.invalid/'), {
    type: 'navigation_failed',
    message: /nowhere.*net::ERR_NAME_NOT_RESOLVED/,
  })
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'chrome://version', 'a b', '']) {
    await t.rejects(pages.goto(url), { type: 'bad_request', message: /^url / }, url)
  }
  await pages.goto(at('/page'))
})

t.test('goto is not blocked by a dialog, of the old page or of the new one', async (t) => {
  await pages.goto(at('/alert'))
  await t.rejects(pages.screenshot(), { type: 'dialog_open', message: /alert: "hello"/ })
  await pages.goto(at('/page'))
  await firstIsAt('/page')
  await first.click('#text')
  await first.evaluate("addEventListener('beforeunload', (e) => e.preventDefault())")
  await pages.goto(at('/slow'))
  await firstIsAt('/slow')
})

t.test('an element is scrolled into view and its centre is found', async (t) => {
  await pages.goto(at('/page'))
  await firstIsAt('/page')
  const point = await pages.locate({ selector: '#button', index: 0, timeoutMs: 1_000 })
  const box = await first.evaluate<DOMRectLike>('button.getBoundingClientRect().toJSON()')
  t.same(point, { x: box.x + 50, y: box.y + 20 })
  t.ok(point.y > 0 && point.y < 600)
  const link = await pages.locate({ selector: '#link', index: 0, timeoutMs: 1_000 })
  t.equal(await first.evaluate(`document.elementFromPoint(${link.x}, ${link.y}).id`), 'link')
  const soon = pages.locate({ selector: '.late', index: 1, timeoutMs: 5_000 })
  await first.evaluate(`for (const _ of [1, 2]) {
    document.body.insertAdjacentHTML('beforeend', '<p class=late>late</p>')
  }`)
  t.ok(await soon)
})
interface DOMRectLike {
  readonly x: number
  readonly y: number
}

t.test(
  'a selector finds elements in frames and shadow roots, the first visible first',
  async (t) => {
    await pages.goto(at('/spread'))
    await firstIsAt('/spread')
    const look = (selector: string, index = 0) =>
      pages.locate({ selector, index, timeoutMs: 5_000 })
    /** What is there in the tab, and in its frame. */
    const there = ({ x, y }: DOMRectLike) =>
      first.evaluate<string>(`(() => {
      const element = document.elementFromPoint(${x}, ${y})
      if (element.shadowRoot) return element.shadowRoot.elementFromPoint(${x}, ${y}).textContent
      if (element.localName !== 'iframe') return element.textContent
      const { left, top } = element.getBoundingClientRect()
      return element.contentDocument.elementFromPoint(${x} - left, ${y} - top).textContent.trim()
    })()`)
    t.equal(await there(await look('.twice')), 'shown')
    t.equal(await there(await look('.shaded')), 'in a shadow root')
    t.equal(await there(await look('.framed')), '1')
    t.equal(await there(await look('.framed', 1)), '2')
    t.equal(await there(await look('.twice', 2)), '2', 'counted through all frames')
    const late = { selector: '.twice', index: 3, timeoutMs: 100 }
    await t.rejects(pages.locate(late), {
      type: 'element_not_found',
      message: /matched 3 elements/,
    })
    const dir = t.testdir({ 'a.txt': 'x' })
    const input = { selector: 'input[type=file]', index: 0, timeoutMs: 1_000 }
    await pages.setFiles(input, [join(dir, 'a.txt')])
    t.same(await first.frames()[1]!.evaluate('chosen'), ['a.txt'])
    await pages.goto(at('/page'))
    await firstIsAt('/page')
  },
)

t.test('a selector without a match is answered with an error', async (t) => {
  const look = (selector: string, index = 0) => pages.locate({ selector, index, timeoutMs: 100 })
  await t.rejects(look('p:nope('), { type: 'bad_request', message: /selector.*p:nope\(/ })
  await t.rejects(look('.word', 2), {
    type: 'element_not_found',
    message: '.word matched 2 elements within 100 ms, but 3 were needed.',
    details: { matches: 2 },
  })
  await t.rejects(look('#hidden'), { type: 'element_not_found', message: /hidden/ })
})

t.test('files are given to a file input, also a hidden one', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-files-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const paths = ['a.txt', 'b.txt'].map((name) => join(dir, name))
  for (const path of paths) writeFileSync(path, 'x')
  const give = (selector: string, files: readonly string[]) =>
    pages.setFiles({ selector, index: 0, timeoutMs: 100 }, files)
  await give('#one', paths.slice(0, 1))
  t.same(await first.evaluate('chosen'), ['a.txt'])
  await give('#many', paths)
  t.same(await first.evaluate('chosen'), ['a.txt', 'b.txt'])
  await t.rejects(give('#one', paths), {
    type: 'bad_request',
    message: /#one accepts only one file/,
  })
  await t.rejects(give('#text', paths), { type: 'bad_request', message: /no.* file input/ })
  await t.rejects(give('#none', paths), { type: 'element_not_found', message: /#none/ })
})

t.test('the selected tab is the one shown last, whoever opened, switched or closed', async () => {
  const url = (n: number) => at(`/page?${n}`)
  await first.goto(url(1))
  const second = await context.newPage()
  await second.goto(url(2))
  await headless.isSelected(url(2))
  await first.bringToFront()
  await headless.isSelected(url(1))
  await second.bringToFront()
  await headless.isSelected(url(2))
  await second.close()
  await headless.isSelected(url(1))
})

t.test('a tab that crashes or closes ends the commands waiting on it', async (t) => {
  const doomed = await context.newPage()
  await doomed.goto(at('/doomed'))
  await headless.isSelected(at('/doomed'))
  const tab = await pages.selected()
  const waits = tab.evaluate(inPageText('() => new Promise(() => {})'))
  void tab.call('Page.crash').catch(() => undefined) // Nobody is left to answer.
  await t.rejects(waits, { type: 'conflict', message: /crashed/ })
  await pages.goto(at('/revived'))
  await headless.isSelected(at('/revived'))
  const again = tab.evaluate(inPageText('() => new Promise(() => {})'))
  await Promise.all([t.rejects(again, { type: 'conflict', message: /closed/ }), doomed.close()])
})

t.test('with no tab left, a new one is opened', async (t) => {
  await Promise.all(context.pages().map((page) => page.close()))
  await pages.goto(at('/fresh'))
  await headless.isSelected(at('/fresh'))
  t.match(pngSize((await pages.screenshot()).image), { width: 800, height: 600 })
  headless.end()
})

t.test('a dialog from before the first command is reported, and goto dismisses it', async (t) => {
  const { browser, pages, end } = await open({})
  const { cdp } = browser
  const [page] = await listPages(cdp)
  const { sessionId } = await cdp.send('Target.attachToTarget', {
    targetId: page!.id,
    flatten: true,
  })
  const alert = { expression: 'alert(1)' }
  const blocked = cdp.send('Runtime.evaluate', alert, { sessionId, timeoutMs: 300 })
  await t.rejects(blocked, /no answer within/)
  const tab = await pages.selected()
  const look = tab.send('Page.getLayoutMetrics', {}, 100)
  await t.rejects(look, { type: 'timeout', message: /busy, or shows a dialog/ })
  await pages.goto(at('/page'))
  await pages.goto(at('/alert'))
  t.match(tab.dialog, { type: 'alert', message: 'hello' }, 'from now on dialogs are seen')
  end()
})

t.test('with a display: the tab that a person switches to, and its position', async (t) => {
  const viewport = { width: 1000, height: 713 }
  const headful = await open({ browser: { headless: { active: false }, viewport } })
  const input = await OsInput.open(headful.claim.display!, systemClock)
  t.teardown(() => input.close())
  await headful.pages.goto(at('/page?1'))
  await input.shortcut(['End'], 0)
  const scrolled = async () =>
    (await headful.pages.selected()).evaluate(inPageText<boolean>('() => scrollY > 0'))
  await until('keys reach the page, not the address bar', scrolled)
  const client = await connectPlaywright(devtoolsUrl(headful.claim))
  t.teardown(() => client.close())
  const context = client.contexts()[0]!
  const clicksReach = async (page: Page) => {
    const { x, y } = await headful.pages.locate({ selector: '#button', index: 0, timeoutMs: 1_000 })
    await page.evaluate('clicked = []')
    await input.click({ x: Math.round(x), y: Math.round(y) }, 'left')
    await until('the click arrived', () => page.evaluate<boolean>("clicked[0] === 'button'"))
  }
  const first = context.pages()[0]!
  const { image: png, left, top } = await headful.pages.screenshot()
  t.same({ ...pngSize(png), left, top }, { ...viewport, left: 0, top: 87 })
  const display = await DisplayConnection.open(headful.claim.display!, systemClock)
  t.same(pngSize((await captureScreen(display)).png), { width: 1000, height: 800 })
  display.close()
  await clicksReach(first)
  // Puppeteer does so with every page by default.
  const emulation = await context.newCDPSession(first)
  const size = { width: 900, height: 650, deviceScaleFactor: 1, mobile: false }
  await emulation.send('Emulation.setDeviceMetricsOverride', size)
  await clicksReach(first)
  await emulation.detach()
  const second = await context.newPage()
  await second.goto(at('/page?2'))
  await headful.isSelected(at('/page?2'))
  await input.shortcut(['Ctrl', 'Tab'], 0)
  await headful.isSelected(at('/page?1'))
  await second.bringToFront()
  await headful.isSelected(at('/page?2'))
})
