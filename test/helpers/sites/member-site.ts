/**
 * A site with a login: a cookie that scripts cannot read, a token in local storage and a device key in
 * IndexedDB, all three of which its page asks for. Its title says who is logged in.
 */
import { createServer } from 'node:http'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

export interface MemberSite {
  /** The same site under two names, which are two origins. */
  readonly origin: string
  readonly otherOrigin: string
  /** Paths that were asked for, in order. */
  readonly visits: readonly string[]
  close(): Promise<void>
}

export async function serveMemberSite(): Promise<MemberSite> {
  const visits: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://site')
    visits.push(url.pathname)
    if (url.pathname in scripts) {
      response.setHeader('content-type', 'text/javascript').end(scripts[url.pathname])
      return
    }
    const name = url.searchParams.get('login')
    // Cookies do not tell ports apart.
    const cookie = `member${request.socket.localPort}`
    const found = new RegExp(`${cookie}=(\\w+)`).exec(request.headers.cookie ?? '')
    const member = found?.[1] ?? 'nobody'
    if (name !== null)
      response.setHeader('set-cookie', `${cookie}=${name}; HttpOnly; SameSite=Strict`)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(page(name ?? member, name !== null, url.searchParams.get('frame')))
  })
  const port = await listenOnLoopback(server)
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin: `http://localhost:${port}`,
    visits,
    close: () => closeServer(server),
  }
}

const database = `const answer = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})
const open = () => {
  const opening = indexedDB.open('devices', 2)
  opening.onupgradeneeded = () => {
    const keys = opening.result.createObjectStore('keys', { keyPath: 'id' })
    keys.createIndex('byName', ['name', 'made'], { unique: true })
    opening.result.createObjectStore('log', { autoIncrement: true })
    opening.result.createObjectStore('files')
  }
  return answer(opening)
}`

const page = (member: string, logsIn: boolean, frame: string | null) => `<!doctype html>
<title>…</title><body>${frame === null ? '' : `<iframe src="${frame}"></iframe>`}<script type=module>
${database}
const devices = await open()
if (${logsIn}) {
  localStorage.setItem('token', 'token of ${member}')
  localStorage.setItem('length', 'ünïcödé \\u{1f511}')
  const writing = devices.transaction(['keys', 'log', 'files'], 'readwrite')
  writing.objectStore('keys').put({ id: 1, name: '${member}', made: new Date(0), uses: 3n })
  const round = { tags: new Set(['a']), map: new Map([[1, { deep: [undefined, -0, NaN] }]]) }
  round.self = round
  writing.objectStore('log').put(round)
  writing.objectStore('log').put({ plain: [1, 'two', null, { three: true }] })
  writing.objectStore('files').put(new Uint16Array([1, 2, 65535]), new Date(5))
  writing.objectStore('files').put(/a+/gi, ['list', 2])
  writing.objectStore('files').put(new Float64Array([0.5]).buffer, 'buffer')
  await new Promise((resolve) => (writing.oncomplete = resolve))
}
window.askWorker = () => new Promise((resolve) => {
  const worker = new Worker('/worker.js')
  worker.onmessage = ({ data }) => resolve(data)
  worker.postMessage('who')
})
window.forgetLog = (id) => answer(devices.transaction('log', 'readwrite').objectStore('log').delete(id))
window.hijack = async () => {
  await navigator.serviceWorker.register('/hijacker.js')
  await navigator.serviceWorker.ready
}
window.offline = async () => {
  await navigator.serviceWorker.register('/offline.js')
  await navigator.serviceWorker.ready
  if (!navigator.serviceWorker.controller) {
    await new Promise((resolve) => (navigator.serviceWorker.oncontrollerchange = resolve))
  }
}
window.keepKey = async () => {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt'])
  const opening = indexedDB.open('crypto', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys').put(key, 'own')
  await answer(opening)
}
const key = await answer(devices.transaction('keys').objectStore('keys').get(1))
const isWhole = localStorage.getItem('token') === 'token of ${member}' && key?.name === '${member}'
document.title = isWhole ? 'Welcome ${member}' : 'Log in'
</script>`

/** Leads every page of the site elsewhere. */
const hijacker = `onfetch = (event) => event.respondWith(Response.redirect('https://elsewhere.invalid'))`

/** Answers one path itself, for pages that it controls from then on. */
const offline = `onactivate = (event) => event.waitUntil(clients.claim())
onfetch = (event) => {
  if (event.request.url.endsWith('/offline')) event.respondWith(new Response('offline'))
}`

/** Answers with what the worker of a page finds in IndexedDB. */
const worker = `${database}
onmessage = async () => {
  const key = await answer((await open()).transaction('keys').objectStore('keys').get(1))
  postMessage(key?.name ?? 'nobody')
}`

const scripts: Readonly<Record<string, string>> = {
  '/worker.js': worker,
  '/hijacker.js': hijacker,
  '/offline.js': offline,
}
