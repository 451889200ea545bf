/**
 * A site that tells how a browser appears to it: in a page, a frame of another site, workers of each
 * kind and a pop-up, each as its first script sees it, and in the headers of its requests.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

/** What a page or a worker sees. */
export interface Appearance {
  readonly language: string
  /** Of `Intl`. */
  readonly locale: string
  readonly number: string
  readonly zone: string
  readonly agent: string
  readonly platform: string
  readonly brands: readonly string[]
  readonly system: string
  readonly mobile: boolean
  /** Not in workers. */
  readonly dark?: boolean
  readonly reduced?: boolean
  readonly coarse?: boolean
  readonly touch?: boolean
  readonly width?: number
  readonly scale?: number
  readonly webgl?: boolean
}

const places = ['page', 'frame', 'worker', 'shared', 'service', 'popup'] as const
export type Place = (typeof places)[number]

const look = `function look() {
  const { userAgentData: hints } = navigator
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const seen = {
    language: navigator.languages.join(),
    locale,
    number: (1234.5).toLocaleString(),
    zone: timeZone,
    agent: navigator.userAgent,
    platform: navigator.platform,
    brands: hints ? hints.brands.map(({ brand, version }) => brand + ' ' + version) : [],
    system: hints ? hints.platform : '',
    mobile: hints ? hints.mobile : false,
  }
  if (!self.document) return seen
  const matches = (query) => matchMedia(query).matches
  return {
    ...seen,
    dark: matches('(prefers-color-scheme: dark)'),
    reduced: matches('(prefers-reduced-motion: reduce)'),
    coarse: matches('(pointer: coarse)'),
    touch: 'ontouchstart' in window && navigator.maxTouchPoints > 0,
    width: innerWidth,
    scale: devicePixelRatio,
    webgl: Boolean(document.createElement('canvas').getContext('webgl')),
  }
}
const first = look()`

const scripts: Readonly<Record<string, string>> = {
  '/worker.js': `${look}; postMessage(first)`,
  '/shared.js': `${look}; onconnect = ({ ports: [port] }) => port.postMessage(first)`,
  '/service.js': `${look}; onmessage = ({ source }) => source.postMessage(first)`,
}

const pageOf = (frame: string) => `<!doctype html><title>Mirror</title>
<meta name="viewport" content="width=device-width">
<script>${look}
const seen = { page: first }
const of = (target) => new Promise((resolve) => { target.onmessage = ({ data }) => resolve(data) })
const told = new Promise((resolve) => addEventListener('message', ({ data }) => {
  Object.assign(seen, data)
  if (seen.frame && seen.popup) resolve()
}))
const all = (async () => {
  const shared = new SharedWorker('/shared.js')
  const { serviceWorker } = navigator
  await serviceWorker.register('/service.js')
  const { active } = await serviceWorker.ready
  const answered = of(serviceWorker)
  serviceWorker.startMessages()
  active.postMessage('look')
  seen.worker = await of(new Worker('/worker.js'))
  seen.shared = await of(shared.port)
  seen.service = await answered
  await told
  return seen
})()
</script><iframe src="${frame}/frame"></iframe><button onclick="popped = window.open('/popup')">Open</button>`

/** The pop-up opens with a click on its button; then `all` of its page resolves with all places. */
export type Appearances = Readonly<Record<Place, Appearance>>

export async function openMirrorSite() {
  const headers = new Map<string, IncomingHttpHeaders>()
  const answers = (request: IncomingMessage): string => {
    const { pathname } = new URL(request.url!, 'http://site')
    headers.set(pathname, request.headers)
    if (pathname === '/page') return pageOf(`http://127.0.0.1:${port}`)
    const tell =
      pathname === '/popup'
        ? 'opener.postMessage({ popup: first'
        : 'parent.postMessage({ frame: first'
    return `<!doctype html><title>Part</title><script>${look}; ${tell} }, '*')</script>`
  }
  const server = createServer((request, response) => {
    const script = scripts[request.url!]
    if (script !== undefined) headers.set(request.url!, request.headers)
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? answers(request))
  })
  const port = await listenOnLoopback(server)
  return {
    /** The page and its frame are of different sites. */
    url: `http://localhost:${port}/page`,
    headers: (path: string) => headers.get(path) ?? {},
    close: () => closeServer(server),
  }
}
