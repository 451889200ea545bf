/**
 * Goal: requests of pages, frames, workers and new tabs are answered as routes say, whatever was loaded
 * before, beside a client that intercepts as well; without routes nothing is intercepted.
 * Method: real browsers, and a server that records what reaches it.
 */
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { commandLimits } from '../../../proto/commands/limits.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'

const received: string[] = []
const server = createServer(({ url = '', method }, response) => {
  received.push(`${method} ${url}`)
  const isScript = url.endsWith('.js')
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
  response.end(
    isScript
      ? 'onmessage = () => fetch("/api/worker").then((r) => r.text()).then(postMessage)'
      : `<!doctype html><title>Shop</title><p>Real ${url}`,
  )
})
const port = await listenOnLoopback(server)
const site = `http://localhost:${port}`
const other = `http://127.0.0.1:${port}`
t.teardown(() => closeServer(server))
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

async function open(t: Test, active = true, browser: object = {}) {
  const body = { browser: { ...browser, headless: { active }, evaluate: { active: true } } }
  const session = await openPageSession(host, body)
  t.teardown(session.end)
  const see = async (expression: string) => (await session.run('evaluate', { expression })).value
  received.length = 0
  await session.run('navigate', { url: `${site}/` })
  return {
    ...session,
    see,
    /** The text of an answer, or the error of the request. */
    ask: (url: string, options = '{}') =>
      see(`fetch('${url}', ${options}).then((r) => r.text(), String)`),
    hasReceived: (path: string) => received.some((line) => line.includes(path)),
  }
}

for (const active of [true, false]) {
  t.test(active ? 'headless' : 'headful', async (t) => {
    const { run, see, ask, hasReceived } = await open(t, active)
    await see(`window.worker = new Worker('/worker.js')`)
    const { routes } = await run('route', { url: '*/api/*', body: '{"items": ["Müsli"]}' })
    t.match(routes, [{ url: '*/api/*', answer: '200', requests: 0 }])
    t.equal(await ask('/api/cart'), '{"items": ["Müsli"]}', 'of a page from before')
    t.equal(
      await see(`fetch('/api/2').then((r) => r.headers.get('content-type'))`),
      'application/json',
    )
    t.match(await ask('/other'), /Real/)

    const framed = (src: string) =>
      see(`new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), { src: '${src}', onload: resolve })
        document.body.append(frame)
      }).then(() => 1)`)
    await framed(`${site}/inside`)
    t.match(await see(`frames[0].fetch('/api/frame').then((r) => r.text())`), /Müsli/, 'of a frame')
    await framed(`${other}/api/frame-of-another-site`)
    const worked = `new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); worker.postMessage(1) })`
    t.match(await see(worked), /Müsli/, 'of a worker from before')
    await see(`window.worker = new Worker('/worker.js')`)
    t.match(await see(worked), /Müsli/, 'of a worker')

    await run('navigate', { url: `${site}/api/page` })
    t.match((await run('extract_text')).text, /Müsli/, 'a document')
    await run('tab_new', { url: `${site}/` })
    t.match(await ask('/api/new-tab'), /Müsli/, 'of a new tab')
    t.notOk(hasReceived('/api/'))
    t.match((await run('routes')).routes, [{ requests: 8 }])

    t.same((await run('unroute')).routes, [])
    t.match(await ask('/api/real'), /Real/)
    await run('route', { url: '*/api/*', status: 204 })
    t.equal(await ask('/api/again'), '', 'after there were none')
  })
}

t.test('statuses, headers, types and failures', async (t) => {
  const { run, see, ask } = await open(t)
  const headers = { 'X-Total': '2', 'Set-Cookie': 'seen=1; Path=/' }
  await run('route', {
    url: `${site}/a?q=1`,
    status: 299,
    headers,
    content_type: 'text/html',
    body: '<p>ä',
  })
  const answered = `fetch('/a?q=1').then(async (r) =>
    [r.status, r.headers.get('x-total'), r.headers.get('content-type'), await r.text()].join())`
  t.equal(await see(answered), '299,2,text/html; charset=utf-8,<p>ä')
  t.equal(await see('document.cookie'), 'seen=1')
  t.match(await ask('/axq=1'), /Real/, '? is no wildcard')

  const png = Buffer.from([0x89, 0x50, 0, 255]).toString('base64')
  await run('route', { url: '*.png', body: png, base64: true, content_type: 'image/png' })
  const bytes = `fetch('/a.png').then((r) => r.bytes()).then((all) => all.join())`
  t.equal(await see(bytes), '137,80,0,255')

  await run('route', { url: '*/gone', abort: 'connectionrefused' })
  t.match(await ask('/gone'), /TypeError: Failed to fetch/)
  t.match(
    await run('navigate', { url: `${site}/gone` }).catch((error: Error) => error.message),
    /ERR_CONNECTION_REFUSED/,
  )
})

t.test('the newest that fits has it, for a method and so many times, after a delay', async (t) => {
  const { run, see, ask, hasReceived } = await open(t)
  await run('route', { url: '*/api/*', body: 'old' })
  await run('route', { url: '*/api/*', method: 'POST', body: 'posted' })
  await run('route', { url: '*/api/retry', status: 503, times: 2 })
  t.equal(await ask('/api/retry', `{ method: 'POST' }`), '')
  t.match((await run('routes')).routes[0], { answer: '503', requests: 1, times_left: 1 })
  const status = `fetch('/api/retry').then((r) => r.status)`
  t.equal(await see(status), 503)
  t.equal(await see(status), 200, 'then the one before')
  t.equal((await run('routes')).routes.length, 2)
  t.equal(await ask('/api/1', `{ method: 'POST' }`), 'posted')
  t.equal(await ask('/api/1'), 'old')

  await run('route', { url: '*/once', times: 1 })
  t.equal(await ask('/once'), '')
  t.match(await ask('/once'), /Real/)

  await run('route', { url: '*/slow', body: 'late', delay: 300 })
  const waited = `fetch('/slow').then((r) => (performance.now() - window.asked >= 299))`
  t.equal(await see(`(window.asked = performance.now(), ${waited})`), true)
  await run('route', { url: '*/never', body: 'never', delay: commandLimits.routeDelayMs })
  await see(`(fetch('/never').then((r) => r.text()).then((text) => (window.text = text)), 1)`)
  await run('unroute')
  t.match(await until('it has gone on', () => see('window.text ?? false')), /Real \/never/)
  t.ok(hasReceived('/never'))
})

t.test('pages of other origins may read what routes answer', async (t) => {
  const { run, see, ask } = await open(t)
  await run('route', { url: `${other}/*`, body: 'mocked' })
  t.equal(await ask(`${other}/a`, `{ credentials: 'include' }`), 'mocked')
  const put = `{ method: 'PUT', headers: { 'x-a': '1' } }`
  await run('route', { url: `${other}/*`, method: 'PUT', body: 'put', times: 1 })
  t.equal(await ask(`${other}/b`, put), 'put', 'after a preflight, which does not count')
  const closed = { 'access-control-allow-origin': 'https://elsewhere.example' }
  await run('route', { url: `${other}/*`, headers: closed })
  t.match(await ask(`${other}/c`), /Failed to fetch/, 'unless the route says otherwise')
  t.equal(await see('1 + 1'), 2)
})

t.test('what the session blocks stays blocked', async (t) => {
  const { run, ask } = await open(t, true, { block: { urls: ['*/api/blocked*'] } })
  await run('route', { url: '*/api/*', body: 'mocked' })
  t.equal(await ask('/api/else'), 'mocked')
  t.match(await ask('/api/blocked'), /Failed to fetch/)
})

t.test('a client’s own interception comes first, and what it lets through is routed', async (t) => {
  const { run, client, hasReceived } = await open(t)
  await run('route', { url: '*/api/*', body: 'routed' })
  const playwright = await client()
  t.teardown(() => playwright.close())
  const page = playwright.contexts()[0]!.pages()[0]!
  await page.route('**/api/own', (route) => route.fulfill({ body: 'own' }))
  await page.route('**/api/through', (route) => route.continue())
  const asked = (path: string) => page.evaluate<string>(`fetch('${path}').then((r) => r.text())`)
  t.same(await Promise.all(['/api/own', '/api/through', '/api/else'].map(asked)), [
    'own',
    'routed',
    'routed',
  ])
  await page.unrouteAll()
  t.equal(await asked('/api/own'), 'routed', 'still, when the client intercepts nothing')
  t.notOk(hasReceived('/api/'))
})

t.test('what the agent does in the browser is not routed', async (t) => {
  const { run, see, ask } = await open(t)
  await see(`localStorage.setItem('seen', 'yes')`)
  await run('route', { url: '*', abort: 'failed' })
  t.match(await ask('/a'), /Failed to fetch/)
  const { origins } = await run('storage_state')
  t.match(origins, [{ origin: site, localStorage: [{ name: 'seen', value: 'yes' }] }])
  await run('set_storage_state', { cookies: [], origins })
  const code = 'async ({ page }) => page.title()'
  t.equal((await run('run_script', { code })).value, 'Shop')
  t.match((await run('snapshot')).text, /Real/)
  t.ok((await run('screenshot')).image.length > 0)
})

t.test('what makes no sense is refused, and nothing changes', async (t) => {
  const { run, refusal } = await open(t)
  t.match(await refusal('unroute', { url: '*/none' }), {
    type: 'not_found',
    message: /no route for/,
  })
  const big = { url: '*/big', body: 'x'.repeat(commandLimits.routeBodyChars) }
  for (let n = 0; n < 4; n++) await run('route', big)
  t.match(await refusal('route', big), { type: 'too_large', message: /unroute/ })
  t.equal((await run('routes')).routes.length, 4)
  await run('unroute')
  for (let n = 0; n < commandLimits.routesPerSession; n++) await run('route', { url: `*/${n}` })
  t.match(await refusal('route', { url: '*' }), { type: 'conflict', message: /50 routes/ })
  t.equal((await run('unroute', { url: '*/7' })).routes.length, 49)
})
