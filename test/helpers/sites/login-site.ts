/**
 * A site with a login in two steps: user name with password, then a one-time code. Then a cookie says who
 * it is, and a service worker serves `/offline`. Other pages have login forms of other kinds, and such as
 * must not be filled in.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { TOTP, Secret } from 'otpauth'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

export const member = {
  username: 'anna.lind@shop.example',
  password: 'blue-Kettle/42 "x"',
  totp: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
} as const

export interface LoginSite {
  /** The same site under two names, which are two origins. */
  readonly origin: string
  readonly otherOrigin: string
  /** What forms have sent, by their fields. */
  readonly sent: readonly Readonly<Record<string, string>>[]
  close(): Promise<void>
}

export async function serveLoginSite(): Promise<LoginSite> {
  const sent: Record<string, string>[] = []
  const codes = new Set<string>()
  const server = createServer((request, response) => {
    void answer(request).then(({ cookie, type = 'text/html; charset=utf-8', body }) => {
      if (cookie) response.setHeader('set-cookie', cookie)
      response.setHeader('content-type', type).end(body)
    })
  })
  const port = await listenOnLoopback(server)
  const otherOrigin = `http://localhost:${port}`
  const cookieName = `shop${port}`
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(request.url!, 'http://site')
    if (url.pathname === '/worker.js') return { type: 'text/javascript', body: worker }
    if (request.method === 'POST') {
      const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request)))
      sent.push(fields)
      return afterPost(url.pathname, fields)
    }
    const frame = url.searchParams.get('frame')
    if (frame) return { body: page(`<iframe src="${frame}" width=600 height=300></iframe>`) }
    if (url.pathname === '/account') {
      const isIn = request.headers.cookie?.includes(`${cookieName}=in`) ?? false
      return { body: page(isIn ? welcome : forms['/']!(otherOrigin), isIn ? 'In' : 'Out') }
    }
    return { body: page(forms[url.pathname]?.(otherOrigin) ?? 'No such page') }
  }
  const afterPost = (path: string, fields: Record<string, string>): Answer => {
    const { user, pass, otp } = fields
    if (path === '/name') return { body: page(passwordForm) }
    if (path === '/echo') return { body: page(`<pre>${JSON.stringify(fields)}</pre>`) }
    if (path === '/code') {
      const isRight = new TOTP({ secret: Secret.fromBase32(member.totp) }).validate({ token: otp! })
      if (isRight === null || codes.has(otp!)) return { body: page(codeForm, 'Wrong code') }
      codes.add(otp!)
      const cookie = `${cookieName}=in; HttpOnly; SameSite=Lax`
      return { cookie, body: page(welcome, 'In') }
    }
    const isMember = pass === member.password && (user ?? member.username) === member.username
    return { body: isMember ? page(codeForm, 'Code') : page(forms['/']!(otherOrigin), 'Wrong') }
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin,
    sent,
    close: () => closeServer(server),
  }
}

interface Answer {
  readonly body: string
  readonly type?: string
  readonly cookie?: string
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

const page = (body: string, title = 'Shop') =>
  `<!doctype html><html lang=en><title>${title}</title><body style="font: 20px sans-serif">${body}`

const userField = '<label>E-mail <input name=user type=text autocomplete=username></label>'
const passwordField = '<label>Password <input name=pass type=password></label>'
const plainForm = (action = '/login', more = '') =>
  `<form method=post action="${action}">${userField}${passwordField}${more}<button>Log in</button></form>`
const passwordForm = `<form method=post action=/login>${passwordField}<button>Log in</button></form>`
const codeForm =
  '<form method=post action=/code><label>Code from your app <input name=otp inputmode=numeric></label><button>Go</button></form>'
const welcome = `<h1>Welcome ${member.username}</h1><script>navigator.serviceWorker.register('/worker.js')</script>`

/** Shows, logs and sends whatever its fields get, as soon as they get it. */
const echo = `<p id=echo style="display: inline-block">-</p><my-echo></my-echo><input id=twin aria-label=Twin><script>
const host = document.querySelector('my-echo')
host.attachShadow({ mode: 'open' }).innerHTML = '<p>-</p>'
for (const field of document.querySelectorAll('form input')) field.addEventListener('input', () => {
  const text = [...document.querySelectorAll('form input')].map((one) => one.value).join(' | ')
  document.querySelector('#echo').textContent = text
  host.shadowRoot.querySelector('p').textContent = text
  document.querySelector('#twin').value = text
  document.title = 'Typed ' + text
  console.log('typed', text)
  fetch('/heard?' + new URLSearchParams({ text }))
})
</script>`

const boxes = `<form method=post action=/code id=boxes><p>Verification code</p>${'<input maxlength=1 size=1 aria-label="Code digit">'.repeat(6)}
<input type=hidden name=otp><button>Go</button></form><script>
const all = [...document.querySelectorAll('[maxlength]')]
all.forEach((box, i) => box.addEventListener('input', () => {
  document.querySelector('[name=otp]').value = all.map((one) => one.value).join('')
  all[i + 1]?.focus()
}))
</script>`

const forms: Readonly<Record<string, (otherOrigin: string) => string>> = {
  '/': () => plainForm(),
  '/echo': () => plainForm('/echo') + echo,
  '/name': () =>
    `<form method=post action=/name id=sign-in>${userField}<button>Next</button></form>`,
  '/boxes': () => boxes,
  '/company': () => plainForm('/login', '<label>Company <input name=firm></label>'),
  '/late': () =>
    `<div id=at></div><script>setTimeout(() => { document.querySelector('#at').innerHTML = ${JSON.stringify(plainForm())} }, 600)</script>`,
  '/shadow': () =>
    `<my-login></my-login><script>document.querySelector('my-login').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(plainForm())}</script>`,
  '/clear': () => `<div style="opacity: 0">${plainForm()}</div>`,
  '/away': () => `<div style="position: absolute; left: -5000px">${plainForm()}</div>`,
  '/covered': () =>
    `${plainForm()}<div style="position: fixed; inset: 0; background: white">Win a prize</div>`,
  '/stray': (otherOrigin) => plainForm(`${otherOrigin}/login`),
  '/register': () =>
    '<form method=post><label>E-mail <input type=email></label><label>Password <input type=password></label><label>Again <input type=password></label><button>Create account</button></form>',
  '/both': () =>
    `<form method=post action=/join><label>E-mail <input type=email name=new></label><label>Password <input type=password name=secret></label><button>Create account</button></form>${plainForm()}`,
  '/newsletter': () =>
    '<form method=post><label>E-mail <input type=email name=email></label><button>Subscribe</button></form>',
}

const worker = `addEventListener('install', () => skipWaiting())
addEventListener('fetch', (event) => {
  if (new URL(event.request.url).pathname === '/offline') event.respondWith(new Response('from the worker'))
})`
