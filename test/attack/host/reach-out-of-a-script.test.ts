/**
 * An attacker may run scripts in a session of theirs, or a page has talked an agent into running
 * one. They want what CDP clients do not get: the host's files, calls that are not listed, another
 * session, the network past its policy, the page of another script. Method: one service, a real
 * Chromium, each way tried from within a script.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { isolationHere } from '../../helpers/service/isolation-here.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { newKey } from '../../helpers/service/keys.ts'

interface Answer {
  readonly data: { readonly value: unknown; readonly logs: readonly string[] }
  readonly error: { readonly type: string; readonly message: string }
}

const service = await startService({ env: { POOL_HEADLESS: '2' } })
t.teardown(() => service.stop())
const pages = await serveFixturePages()
t.teardown(() => pages.close())
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(String(request.url))
  response.setHeader('access-control-allow-origin', '*').end('reached')
})
let connections = 0
server.on('connection', () => connections++)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
t.teardown(() => server.close())
const there = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const session = await createSession(service.rest, headless)
const script = (code: string, args: unknown = {}, id = session.id) =>
  service.rest<Answer>('POST', `/v1/sessions/${id}/scripts`, { code, arguments: args })

const caught = `const caught = async (work) => {
  try { return { got: await work() } } catch (error) { return { refused: String(error) } }
}`

t.test('calls that clients may not make are refused to scripts too', async (t) => {
  const { body } = await script(`async ({ browser, page }) => {
    ${caught}
    const ofBrowser = await browser.target().createCDPSession()
    const ofPage = await page.createCDPSession()
    const { targetId } = (await ofPage.send('Target.getTargetInfo')).targetInfo
    const tried = {}
    for (const [method, params] of [
      ['Extensions.loadUnpacked', { path: '/' }],
      ['Tethering.bind', { port: 7 }],
      ['Target.exposeDevToolsProtocol', { targetId }],
      ['SystemInfo.getInfo', {}],
      ['PWA.launch', { manifestId: 'x' }],
    ]) tried[method] = [
      await caught(() => ofBrowser.send(method, params)),
      await caught(() => ofPage.send(method, params)),
    ]
    return tried
  }`)
  const tried = Object.entries(body.data.value as Record<string, { refused?: string }[]>)
  t.equal(tried.length, 5)
  for (const [method, answers] of tried) {
    for (const { refused } of answers) t.match(refused, /is not for clients of a session/, method)
  }
})

t.test('it has no file, no network and no storage of its own', async (t) => {
  const { body } = await script(
    `async ({ args, log }) => {
      ${caught}
      const loaded = (name, attributes) => new Promise((resolve) => {
        const element = Object.assign(document.createElement(name), attributes)
        element.onload = () => resolve(name === 'iframe' ? 'nothing' : 'reached')
        element.onerror = () => resolve('nothing')
        document.documentElement.append(element)
        setTimeout(() => resolve('nothing'), 1000)
      })
      const frame = document.createElement('iframe')
      frame.srcdoc = '<script>parent.postMessage(typeof RTCPeerConnection, "*")</' + 'script>'
      const inFrame = new Promise((resolve) => {
        addEventListener('message', ({ data }) => resolve(data))
        setTimeout(() => resolve('silent'), 1500)
      })
      document.documentElement.append(frame)
      return {
        fetch: await caught(() => fetch(args + '/fetch').then((answer) => answer.text())),
        file: await caught(() => fetch('file:///etc/passwd').then((answer) => answer.text())),
        beacon: navigator.sendBeacon(args + '/beacon', 'x') && 'sent to nobody',
        socket: await new Promise((resolve) => {
          try {
            const socket = new WebSocket(args.replace('http', 'ws') + '/socket')
            socket.onopen = () => resolve('reached')
            socket.onerror = () => resolve('nothing')
          } catch { resolve('nothing') }
        }),
        image: await loaded('img', { src: args + '/image' }),
        script: await loaded('script', { src: args + '/script' }),
        frame: await loaded('iframe', { src: args + '/frame' }),
        link: await loaded('link', { rel: 'prefetch', href: args + '/link' }),
        hints: ['preconnect', 'dns-prefetch'].map((rel) =>
          document.head.append(Object.assign(document.createElement('link'), { rel, href: args }))),
        worker: await caught(() => new Promise((resolve, reject) => {
          const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))
          worker.onmessage = () => resolve('runs')
          worker.onerror = () => reject(new Error('nothing'))
        })),
        popup: String(window.open(args + '/popup')),
        storage: await caught(() => localStorage.length),
        cookie: await caught(() => document.cookie),
        peers: typeof RTCPeerConnection,
        peersInFrame: await inFrame,
        node: [typeof process, typeof require],
        frameWindow: await caught(() => frame.contentWindow.RTCPeerConnection),
      }
    }`,
    there,
  )
  t.match(body.data.value, {
    fetch: { refused: /Failed to fetch/ },
    file: { refused: /Failed to fetch/ },
    socket: 'nothing',
    image: 'nothing',
    script: 'nothing',
    worker: { refused: /./ },
    popup: 'null',
    storage: { refused: /SecurityError/ },
    cookie: { refused: /SecurityError/ },
    peers: 'undefined',
    peersInFrame: /undefined|silent/,
    node: ['undefined', 'undefined'],
    frameWindow: { refused: /SecurityError/ },
  })
  const left = await script(
    `async ({ args }) => {
      location.href = args + '/left'
      await new Promise((resolve) => setTimeout(resolve, 2000))
      return 'stayed'
    }`,
    there,
  )
  t.not(left.body.data?.value, 'reached')
  t.same(asked, [], 'nothing has asked the server')
  t.equal(connections, 0, 'nor connected to it')
})

/** Chromium refuses files by a policy that only isolated browsers see. */
const forbidden = [
  ...('ISOLATION_I_TRUST_ALL_KEYS' in isolationHere ? [] : ['file:///etc/passwd']),
  ...['chrome://version', 'devtools://devtools/bundled/inspector.html'],
]

t.test('pages that it opens are held to what the session may open', async (t) => {
  const { body } = await script(`async ({ page }) => {
    ${caught}
    const opened = {}
    for (const url of ${JSON.stringify(forbidden)}) {
      opened[url] = await caught(() => page.goto(url).then(() => page.content()))
      // Chromium 156 ends itself when one refused page of its own follows another.
      await page.goto('about:blank')
    }
    return opened
  }`)
  t.ok(body.data, body.error?.message)
  for (const [url, answer] of Object.entries(body.data.value as object)) {
    t.notMatch(answer.got ?? '', /root:|Chromium|<script/, url)
  }
  const kept = await createSession(service.rest, {
    browser: { headless: { active: true } },
    session: { network: { allow: ['example.org'] } },
  })
  const reached = await script(
    `async ({ page, args }) => {
      ${caught}
      return caught(() => page.goto(args).then(() => page.evaluate(() => document.body.innerText)))
    }`,
    `${there}/policy`,
    kept.id,
  )
  t.notMatch(JSON.stringify(reached.body), /"got":"reached"/)
  t.notOk(asked.includes('/policy'))
  await service.rest('DELETE', `/v1/sessions/${kept.id}`)
})

t.test('another script of the session is out of reach, and so is its binding', async (t) => {
  const victim = script(
    `async ({ log }) => {
      globalThis.secret = 'of the first script'
      await new Promise((resolve) => setTimeout(resolve, 3000))
      return 'untouched'
    }`,
  )
  const { body } = await script(`async ({ browser, page }) => {
    ${caught}
    const cdp = await browser.target().createCDPSession()
    const all = await cdp.send('Target.getTargets', { filter: [{}] })
    const found = []
    for (const { type, targetId } of all.targetInfos) {
      if (type === 'other') found.push(targetId)
      if (type !== 'tab') continue
      const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
      const session = cdp.connection().session(sessionId)
      if (session) found.push(await caught(() =>
        session.send('Runtime.evaluate', { expression: 'globalThis.secret' })))
    }
    // Sessions of others cannot be guessed; ids of none are refused.
    toAgent('c' + JSON.stringify({ id: 900_001, method: 'Browser.getVersion', sessionId: 'F'.repeat(32) }))
    // What is no message of CDP does no harm.
    for (const payload of ['', 'c', 'c{', 'l', 'x', 'cnull', 'c[]']) toAgent(payload)
    return { found, version: await browser.version() }
  }`)
  t.ok(body.data, body.error?.message)
  const { found, version } = body.data.value as { found: unknown[]; version: string }
  t.notMatch(JSON.stringify(found), /of the first script/)
  t.match(version, /Chrome/)
  t.match((await victim).body, { data: { value: 'untouched' } })
})

t.test('a session of another tenant is as unknown as one that never was', async (t) => {
  const other = await newKey(service, 'other', '--tenant', 'other')
  const path = `/v1/sessions/${session.id}/scripts`
  const { status, body } = await other.rest<Answer>('POST', path, { code: '() => 1' })
  t.equal(status, 404)
  t.equal(body.error.type, 'not_found')
})
