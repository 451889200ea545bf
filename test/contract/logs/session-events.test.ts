/**
 * Goal: what happened in a session can be read while it runs and after its end, whoever did it, also
 * when its agent was killed meanwhile; nothing that was typed, sent or stored is in it; other tenants
 * see nothing. Method: the whole service, unmodified clients, a real page.
 */
import { createServer } from 'node:http'
import puppeteer from 'puppeteer-core'
import t, { type Test } from 'tap'
import type { LoggedEvent } from '../../../proto/session/session-event.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { until } from '../../helpers/lib/until.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())
const { rest } = service

const server = createServer(({ url = '' }, response) => {
  if (url.startsWith('/file')) {
    response.setHeader('content-disposition', 'attachment; filename="report.txt"')
    response.end('content-of-the-file')
    return
  }
  if (url.startsWith('/missing')) return void response.writeHead(404).end()
  response.setHeader('content-type', 'text/html')
  if (url.startsWith('/wrong')) return void response.end(wrongPage)
  response.setHeader('set-cookie', 'sid=cookie-of-the-page')
  response.end(`<!doctype html><title>Form</title><body style="margin: 0">
    <form action="/found"><input name="word" style="height: 40px; width: 200px"></form>
    <a href="/file">Report</a>
    <script>onkeyup = () => (location.hash = 'typed')</script>`)
})
const site = `http://127.0.0.1:${await listenOnLoopback(server)}`
t.teardown(() => closeServer(server))

/** Logs more errors than are kept when it is clicked. */
const wrongPage = `<!doctype html><title>Wrong</title>
  <script>
    console.log('no error')
    console.error('first', { a: 1 }, 'error')
    fetch('/missing?token=secret-of-query')
    onclick = () => {
      for (let n = 0; n < 50; n++) console.error('flood ' + n)
    }
    setTimeout(() => null.thrown, 200)
  </script>`

interface EventAnswer {
  readonly data: { readonly items: readonly LoggedEvent[]; readonly has_more: boolean }
  readonly error: { readonly message: string }
}

const ask = (id: string, query = '') =>
  rest<EventAnswer>('GET', `/v1/sessions/${id}/events${query}`)

async function eventsOf(id: string): Promise<readonly LoggedEvent[]> {
  const { status, body } = await ask(id)
  if (status !== 200) throw new Error(body.error.message)
  return body.data.items
}

/** What clients do arrives a moment later. */
const whenTold = (id: string, type: LoggedEvent['type'], fields: object) =>
  until(`${type} ${JSON.stringify(fields)} is told`, async () =>
    (await eventsOf(id)).find(
      (event) =>
        event.type === type &&
        Object.entries(fields).every(([key, value]) => Reflect.get(event, key) === value),
    ),
  )

/** One event has those that follow one another within a moment. */
const keysIn = (events: readonly LoggedEvent[]): number =>
  events.reduce(
    (sum, event) => sum + (event.type === 'act' && event.act === 'keys' ? event.count! : 0),
    0,
  )

async function open(t: Test, body: object = headless) {
  const session = await createSession(rest, body)
  t.teardown(() => rest('DELETE', `/v1/sessions/${session.id}`))
  return session
}

t.test('what Playwright does, without what it types', async (t) => {
  const { id, cdp_url } = await open(t)
  const browser = await connectPlaywright(cdp_url)
  const context = browser.contexts()[0]!
  const page = context.pages()[0]!
  await page.goto(`${site.replace('//', '//anna:secret-of-url@')}/start?q=secret-of-query`)
  await page.click('input')
  await page.keyboard.type('secret-keys')
  await page.fill('input', 'secret-text')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/found?word=secret-text')
  await page.mouse.wheel(0, 100)
  await context.addCookies([{ name: 'c', value: 'secret-cookie', url: site }])
  const second = await context.newPage()
  await second.close()
  const downloading = page.waitForEvent('download')
  await page.click('a')
  await downloading
  await browser.close()
  const left = await whenTold(id, 'client', { state: 'left' })
  t.match(left, { kind: 'cdp', key: 'dev' })
  const events = await eventsOf(id)
  t.same(
    events.map(({ n }) => n),
    events.map((_, index) => index + 1),
  )
  const { client } = left as Extract<LoggedEvent, { type: 'client' }>
  for (const [what, fields] of [
    ['client', { client, state: 'connected', kind: 'cdp', key: 'dev' }],
    ['act', { client, act: 'navigate', url: `${site}/start?q=…` }],
    ['page_navigated', { url: `${site}/start?q=…` }],
    ['page_navigated', { url: `${site}/found?word=…` }],
    ['act', { client, act: 'click' }],
    ['act', { client, act: 'keys' }],
    ['page_navigated', { url: `${site}/start?q=…#typed` }],
    ['act', { client, act: 'text', count: 'secret-text'.length }],
    ['act', { client, act: 'scroll', count: 1 }],
    ['act', { client, act: 'set_cookies' }],
    ['act', { client, act: 'open_page', url: 'about:blank' }],
    ['page_opened', { url: 'about:blank' }],
    ['act', { client, act: 'close_page' }],
    ['page_closed', {}],
    ['download', { name: 'report.txt' }],
  ] as const) {
    const found = events.some(
      (event) =>
        event.type === what &&
        Object.entries(fields).every(([key, value]) => Reflect.get(event, key) === value),
    )
    t.ok(found, `${what} ${JSON.stringify(fields)}`)
  }
  t.equal(keysIn(events), 'secret-keys'.length + 1)
  t.ok(events.some((event) => event.type === 'act' && event.x! > 0 && event.y! > 0))
  t.equal(events.find(({ type }) => type === 'page_navigated')!.n, 3, 'nothing before it')
  t.notMatch(JSON.stringify(events), /secret|cookie-of|content-of/)
})

t.test('what Puppeteer and commands do, and which of them failed', async (t) => {
  const { id, cdp_url } = await open(t)
  const browser = await puppeteer.connect({ browserWSEndpoint: cdp_url, defaultViewport: null })
  const [page] = await browser.pages()
  await page!.goto(site)
  await page!.click('input')
  await page!.keyboard.type('secret')
  await browser.disconnect()
  const run = (command: string, input: object) =>
    rest('POST', `/v1/sessions/${id}/commands/${command}`, input)
  await run('type', { selector: 'input', text: 'secret' })
  await run('click', { target: 'button "None"', timeout: 100 })
  await whenTold(id, 'act', { act: 'navigate', url: site })
  await until('the keys are told', async () => keysIn(await eventsOf(id)) === 'secret'.length)
  t.match(await whenTold(id, 'command', { command: 'type' }), {
    target: 'input',
    outcome: 'done',
    key: 'dev',
  })
  const failed = await whenTold(id, 'command', { command: 'click' })
  t.match(failed, { target: 'button "None"', outcome: /^(?!done)/, ms: Number })
  t.notMatch(JSON.stringify(await eventsOf(id)), /secret/)
})

t.test(
  'a killed agent goes on with it; after the end of the session it is still there',
  async (t) => {
    const { id } = await open(t)
    const go = (path: string) =>
      rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: `${site}/${path}` })
    await go('before')
    await whenTold(id, 'page_navigated', { url: `${site}/before` })
    const killed = service.pidOf('node-agent')
    process.kill(killed, 'SIGKILL')
    await until('the next agent has the session', async () => (await go('after')).status === 200)
    t.not(service.pidOf('node-agent'), killed)
    await whenTold(id, 'page_navigated', { url: `${site}/after` })
    await rest('DELETE', `/v1/sessions/${id}`)
    await until('it has ended', async () => {
      return (await rest('GET', `/v1/sessions/${id}`)).body.data.status === 'completed'
    })
    const events = await eventsOf(id)
    t.match(events[0], { n: 1 })
    t.same(
      events.map(({ n }) => n),
      events.map((_, index) => index + 1),
    )
    const { n } = events.at(-2)!
    t.match((await ask(id, `?after=${n}`)).body.data, { items: [{ n: n + 1 }], has_more: false })
    t.match((await ask(id, '?last=1')).body.data, { items: [{ n: n + 1 }] })
  },
)

t.test('a traced session that only Playwright has used has a trace', async (t) => {
  const { id, cdp_url } = await open(t, {
    browser: { ...headless.browser, tracing: { active: true } },
  })
  const trace = (format: string) =>
    fetch(`${service.baseUrl}/v1/sessions/${id}/trace?format=${format}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
  const browser = await connectPlaywright(cdp_url)
  await browser.contexts()[0]!.pages()[0]!.goto(site)
  await rest('POST', `/v1/sessions/${id}/commands/snapshot`, {})
  await browser.close()
  await whenTold(id, 'client', { state: 'left' })
  const [head, ...lines] = (await (await trace('jsonl')).text())
    .split('\n')
    .flatMap((line) => (line ? [JSON.parse(line) as { type: string; at: string }] : []))
  t.same(
    lines.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
    lines,
    'in order',
  )
  t.equal(lines.filter(({ type }) => type === 'command').length, 1, 'commands once')
  t.equal(head!.type, 'trace')
  t.match(
    lines.map(({ type }) => type).filter((type) => /client|command|navigated/.test(type)),
    ['client', 'page_navigated', 'command', 'client'],
  )
  t.match(await (await trace('html')).text(), /CDP client connected.*Page changed/s)
})

for (const active of [true, false]) {
  const kind = active ? 'headless' : 'headful'
  t.test(`a person who drives, ${kind}`, async (t) => {
    const { id, live_view_url: url } = await open(t, { browser: { headless: { active } } })
    const live = await LiveSocket.open(url)
    t.teardown(() => live.close())
    const { client } = (await whenTold(id, 'client', { kind: 'live', mode: 'control' })) as {
      readonly client: string
    }
    if (active) {
      await until('the page is shown', () => live.shown.length > 0)
      const mouse = { type: 'mouse', x: 31, y: 42, buttons: 1, clicks: 1, modifiers: 0 }
      for (const act of ['move', 'down', 'up']) live.tell({ ...mouse, act, button: 'left' })
      live.tell({ type: 'text', text: 'secret' })
      await whenTold(id, 'act', { client, act: 'text', count: 6 })
    } else {
      await live.greet()
      live.click(31, 42)
      for (const character of 'secret') live.key(character.charCodeAt(0))
      await until('keys', async () => keysIn(await eventsOf(id)) === 6)
    }
    t.ok(await whenTold(id, 'act', { client, act: 'click', x: 31, y: 42 }))
    t.notMatch(JSON.stringify(await eventsOf(id)), /secret/)
  })
}

t.test('a live view that comes and goes, and who may read', async (t) => {
  const { id } = await open(t)
  const { body } = await rest<{ data: { live_view_url: string } }>(
    'POST',
    `/v1/sessions/${id}/live-tokens`,
    { mode: 'view' },
  )
  const live = await LiveSocket.open(body.data.live_view_url)
  await whenTold(id, 'client', { kind: 'live', state: 'connected', mode: 'view' })
  live.close()
  await whenTold(id, 'client', { kind: 'live', state: 'left' })
  const asOther = await fetch(`${service.baseUrl}/v1/sessions/${id}/events`, {
    headers: { authorization: 'Bearer not-a-key' },
  })
  t.equal(asOther.status, 401)
  t.equal((await ask('ses_00000000000000000000000000')).status, 404)
  for (const query of ['?after=-1', '?after=x', '?last=0', '?last=100000']) {
    t.equal((await ask(id, query)).status, 400, query)
  }
})

t.test('what goes wrong in pages, if the session is traced', async (t) => {
  const traced = { browser: { ...headless.browser, tracing: { active: true } } }
  const { id, cdp_url } = await open(t, traced)
  const browser = await connectPlaywright(cdp_url)
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(`${site}/wrong`)
  await whenTold(id, 'request_failed', {
    url: `${site}/missing?token=…`,
    reason: '404 (Not Found)',
  })
  await whenTold(id, 'page_error', { text: 'first Object error' })
  const thrown = await until('the exception is told', async () =>
    errorsIn(await eventsOf(id)).find((text) => /TypeError: .*thrown/.test(text)),
  )
  t.ok(thrown)
  await page.click('html')
  const { count } = (await until('what was too much is told', async () =>
    (await eventsOf(id)).find(({ type }) => type === 'skipped'),
  )) as Extract<LoggedEvent, { type: 'skipped' }>
  const texts = errorsIn(await eventsOf(id))
  t.equal(texts.filter((text) => text.startsWith('flood')).length + count, 50)
  t.ok(count >= 40)
  t.notOk(texts.includes('no error'))
  t.notMatch(JSON.stringify(await eventsOf(id)), /secret-of-query/)

  const plain = await open(t)
  const other = await connectPlaywright(plain.cdp_url)
  await other.contexts()[0]!.pages()[0]!.goto(`${site}/wrong`)
  await rest('POST', `/v1/sessions/${plain.id}/commands/snapshot`, {})
  await whenTold(plain.id, 'command', { command: 'snapshot' })
  t.same(errorsIn(await eventsOf(plain.id)), [])
  await other.close()
  await browser.close()
})

const errorsIn = (events: readonly LoggedEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'page_error' ? [event.text] : []))
