/**
 * Two sites on loopback and a page that tries every way from one to the other. `/ways` runs the
 * named way against the given address.
 */
import { createSocket } from 'node:dgram'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { WebSocketServer } from 'ws'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

/**
 * JavaScript that a page runs to reach the origin `to`; `ws` is its socket address, `from` the
 * page's own origin.
 */
export const ways: Readonly<Record<string, string>> = {
  image: 'new Image().src = `${to}/image`',
  fetch: 'fetch(`${to}/fetch`)',
  'opaque fetch': "fetch(`${to}/opaque`, { mode: 'no-cors' })",
  'fetch by a redirect': 'fetch(`${from}/redirect?to=${to}/fetch-redirect`)',
  keepalive: "fetch(`${to}/keepalive`, { keepalive: true, method: 'POST', mode: 'no-cors' })",
  XHR: "{ const x = new XMLHttpRequest(); x.open('GET', `${to}/xhr`); x.send() }",
  beacon: "navigator.sendBeacon(`${to}/beacon`, 'data')",
  EventSource: 'new EventSource(`${to}/events`)',
  WebSocket: 'new WebSocket(`${ws}/socket`)',
  script: "add('script', { src: `${to}/script` })",
  style: "add('link', { rel: 'stylesheet', href: `${to}/style` })",
  'style import': "add('style', { textContent: `@import '${to}/style-import'` })",
  background: "add('style', { textContent: `body { background: url(${to}/background) }` })",
  font: "new FontFace('x', `url(${to}/font)`).load()",
  video: "add('video', { src: `${to}/video` }).load()",
  object: "add('object', { data: `${to}/object` })",
  embed: "add('embed', { src: `${to}/embed` })",
  frame: "add('iframe', { src: `${to}/frame` })",
  'frame by a redirect': "add('iframe', { src: `${from}/redirect?to=${to}/frame-redirect` })",
  'frame of its own text': "add('iframe', { srcdoc: `<img src=${to}/srcdoc>` })",
  'sandboxed frame':
    "add('iframe', { sandbox: 'allow-scripts', srcdoc: `<script>fetch('${to}/sandbox', " +
    "{ mode: 'no-cors' }); new WebSocket('${ws}/sandbox-socket')</script>` })",
  'frame of data':
    "add('iframe', { src: `data:text/html,<script>fetch('${to}/data', { mode: 'no-cors' })</script>` })",
  'frame of a blob':
    "add('iframe', { src: URL.createObjectURL(new Blob([`<img src=${to}/blob>`], { type: 'text/html' })) })",
  prefetch: "add('link', { rel: 'prefetch', href: `${to}/prefetch` })",
  preload: "add('link', { rel: 'preload', as: 'script', href: `${to}/preload` })",
  'module preload': "add('link', { rel: 'modulepreload', href: `${to}/module` })",
  icon: "add('link', { rel: 'icon', href: `${to}/icon` })",
  manifest: "add('link', { rel: 'manifest', href: `${to}/manifest` })",
  worker: 'new Worker(`/worker.js?to=${to}&name=worker`)',
  'worker in a worker': 'new Worker(`/nest.js?to=${to}&name=nested`)',
  'worker of a blob':
    "new Worker(URL.createObjectURL(new Blob([`fetch('${to}/blob-worker', { mode: 'no-cors' }); " +
    "new WebSocket('${ws}/blob-worker-socket')`])))",
  'shared worker': 'new SharedWorker(`/worker.js?to=${to}&name=shared`)',
  // A service worker that is registered already runs again only under another address.
  'service worker':
    "navigator.serviceWorker.register(`/worker.js?to=${to}&name=service&at=${performance.now()}`, { scope: '/nowhere/' })",
  worklet: 'new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule(`${to}/worklet`)',
  popup: 'open(`${to}/popup`)',
  'popup without opener': "open(`${to}/popup-noopener`, '_blank', 'noopener')",
  'popup by a redirect': 'open(`${from}/redirect?to=${to}/popup-redirect`)',
  'popup of its own text':
    "{ const other = open('about:blank'); other.document.write(`<img src=${to}/popup-text>`); " +
    'new other.WebSocket(`${ws}/popup-socket`) }',
  'popup sent on': "{ const other = open('about:blank'); other.location = `${to}/popup-sent` }",
  'popup of this site': 'open(`${from}/beside?to=${to}`)',
  form: "add('form', { action: `${to}/form`, method: 'POST', target: '_blank' }).submit()",
  download: "add('a', { href: `${to}/download`, download: 'x' }).click()",
  'policy report': "add('iframe', { src: `/report?to=${to}` })",
}

/** Ways that make no request, or that are off in our browsers or in restricted ones. */
export const silentWays: Readonly<Record<string, string>> = {
  ping: "add('a', { href: '#here', ping: `${to}/ping` }).click()",
  speculation:
    "add('script', { type: 'speculationrules', textContent: JSON.stringify({ prefetch: " +
    "[{ urls: [`${to}/speculation`], eagerness: 'immediate' }] }) })",
  preconnect: "add('link', { rel: 'preconnect', href: to })",
  WebRTC:
    'new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${stun}` }, { urls: ' +
    "`turn:${to.slice(7)}?transport=tcp`, username: 'a', credential: 'b' }] }), " +
    "(c => { c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o)) })(" +
    'new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${stun}` }] }))',
  WebTransport: "new WebTransport(to.replace('http:', 'https:')).ready.catch(() => 0)",
}

/** An expression that runs it in a page of the first site. */
export function doing(source: string, from: Site, to: Site, stun = 0): string {
  const given = { from: from.origin, to: to.origin, ws: to.origin.replace('http', 'ws'), stun }
  return `(({ from, to, ws, stun }) => {
    const add = (name, its) => {
      const element = Object.assign(document.createElement(name), its)
      document[/link|script/.test(name) ? 'head' : 'body'].append(element)
      return element
    }
    const quiet = (made) => made?.catch?.(() => 0)
    quiet((() => { ${/^(\{|const |new RTC)/.test(source) ? source : `return ${source}`} })())
  })(${JSON.stringify(given)}), 0`
}

export interface Site {
  readonly origin: string
  /** The requested paths, including those of sockets. */
  readonly asked: readonly string[]
  readonly connections: number
  reset(): void
  close(): Promise<void>
}

export async function serveSite(host: string): Promise<Site> {
  let asked: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    asked.push(request.url!)
    answer(request, response)
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('connection', () => connections++)
  server.on('upgrade', (request, socket, head) => {
    asked.push(request.url!)
    sockets.handleUpgrade(request, socket, head, () => undefined)
  })
  const port = await listenOnLoopback(server)
  return {
    origin: `http://${host}:${port}`,
    get asked() {
      return asked
    },
    get connections() {
      return connections
    },
    reset() {
      asked = []
      connections = 0
    },
    close() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      return closeServer(server)
    },
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url!, 'http://site')
  const to = url.searchParams.get('to') ?? ''
  const name = url.searchParams.get('name') ?? ''
  const ws = to.replace('http', 'ws')
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('cache-control', 'no-store')
  const send = (type: string, text: string) => response.setHeader('content-type', type).end(text)
  switch (url.pathname) {
    case '/redirect':
      return void response.writeHead(302, { location: to }).end()
    case '/worker.js':
      return void send(
        'text/javascript',
        // Chromium may stop a service worker that has nothing left to install before its socket connects.
        `fetch('${to}/${name}', { mode: 'no-cors' }).catch(() => 0)
         const socket = new WebSocket('${ws}/${name}-socket')
         const settled = new Promise((done) => { socket.onopen = socket.onerror = done })
         addEventListener('install', (event) => event.waitUntil(settled))
         try { importScripts('${to}/${name}-import') } catch {}`,
      )
    case '/nest.js':
      return void send('text/javascript', `new Worker('/worker.js?to=${to}&name=${name}')`)
    case '/beside':
      return void send(
        'text/html',
        `<img src="${to}/beside"><script>new WebSocket('${ws}/beside-socket')</script>`,
      )
    case '/report':
      response.setHeader('content-security-policy', `img-src 'none'; report-uri ${to}/report`)
      return void send('text/html', '<img src="/x">')
    default:
      return void send('text/html', `<title>A page</title><h1>${url.pathname}</h1>`)
  }
}

/** A listener for datagrams, as the servers that WebRTC uses are. */
export async function listenForDatagrams() {
  const socket = createSocket('udp4')
  let count = 0
  socket.on('message', () => count++)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    get count() {
      return count
    },
    close: () => socket.close(),
  }
}
