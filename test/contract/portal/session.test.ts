/**
 * Goal: people sign in to the portal by forms alone, with a cookie that no other site or person can
 * use, set or send; requests from another site change nothing. Method: a real service, plain HTTP.
 */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { newAccessId } from '../../../proto/access/ids.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import { newSecretText } from '../../../proto/access/people/secret-text.ts'
import { makePerson, password } from '../../helpers/access/people.ts'
import { PlainBrowser, textOf } from '../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { openedSecret } from '../../helpers/service/opened-secret.ts'
import { until } from '../../helpers/lib/until.ts'

const { service, insider, a, b, ada, grace, ask } = await openWorld(t)
const base = service.baseUrl
let browsers = 0
const browser = () => new PlainBrowser(base, `10.20.0.${++browsers}`)
const cookieName = '__Host-troupe-session'
const header = (name: string, { headers }: { headers: Headers }) => headers.get(name) ?? ''

async function signedIn(email = a.owner.email) {
  const one = browser()
  const page = await one.signIn(email, password)
  return { one, page }
}

t.test('members and staff sign in by the same form', async (t) => {
  const { one, page } = await signedIn()
  t.equal(page.status, 200)
  t.equal(page.path, '/portal')
  t.match(page.html, /<title>Same &amp; Sons – Same &amp; Sons – Portal<\/title>/)
  const staff = await signedIn(ada.email)
  t.equal(staff.page.path, '/staff')
  t.equal((await one.get('/staff')).path, '/portal', 'each has their own')
  t.equal((await staff.one.get('/portal')).path, '/staff')
})

t.test('pages have safe headers: policy, framing, caching, referrer', async (t) => {
  const { one, page } = await signedIn()
  for (const each of [
    page,
    await browser().get('/portal/sign-in'),
    await one.get('/portal/none'),
  ]) {
    const policy = header('content-security-policy', each)
    t.match(policy, /^default-src 'none'; /)
    t.match(policy, /frame-ancestors 'none'/)
    t.notMatch(policy, /unsafe|\*|https?:/)
    t.equal(header('x-frame-options', each), 'DENY')
    t.equal(header('x-content-type-options', each), 'nosniff')
    t.equal(header('referrer-policy', each), 'no-referrer')
    t.equal(header('cache-control', each), 'no-store')
    t.notMatch(each.html, / on\w+=|<style|style="|<script>/, 'nothing that the policy would stop')
  }
})

t.test('the cookie is for this site and not for scripts, and new at each sign-in', async (t) => {
  const one = browser()
  const form = await one.exchange('GET', '/portal/sign-in')
  t.match(form.headers.get('set-cookie'), /^__Host-troupe-form=/)
  const page = await one.get('/portal/sign-in')
  const planted = newSecretText('session').text
  one.cookies.set(cookieName, `${planted}~${Date.now()}~forged`)
  await one.submit(page, '/portal/sign-in', { email: a.owner.email, password })
  const held = one.cookies.get(cookieName) ?? ''
  t.match(held, /^spas_\w{36}~\d+~[\w-]+$/)
  t.notOk(held.includes(planted), 'what was planted is not taken over')
  const [text] = held.split('~')
  t.equal((await ask('GET', '/v1/me', { token: text! })).status, 200, 'it is a session of REST')
  const other = await signedIn()
  t.not(other.one.cookies.get(cookieName), held)
  const again = browser()
  const raw = await again.get('/portal/sign-in').then((shown) => {
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(shown.html) ?? []
    const body = new URLSearchParams({ form_token: token, email: a.owner.email, password })
    return again.exchange('POST', '/portal/sign-in', body, { 'sec-fetch-site': 'same-origin' })
  })
  const set = raw.headers.get('set-cookie') ?? ''
  for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/'])
    t.ok(set.includes(part), part)
  t.notMatch(set, /Domain/)
})

t.test(
  'a forged or edited session cookie, or one without its mark, is refused as no session',
  async (t) => {
    const { one } = await signedIn()
    const held = one.cookies.get(cookieName)!
    const [text = '', at = '', mac = ''] = held.split('~')
    const cases = [
      text,
      `${text}~${at}`,
      `${text}~${Number(at) + 1}~${mac}`,
      `${text}~${at}~${mac}x`,
    ]
    for (const value of [...cases, `${newSecretText('session').text}~${at}~${mac}`, '']) {
      const thief = browser()
      if (value !== '') thief.cookies.set(cookieName, value)
      const page = await thief.get('/portal')
      t.match(page.path, /^\/portal\/sign-in\?next=/, value.slice(45))
    }
    one.cookies.set('other', '1')
    t.equal((await one.get('/portal')).status, 200)
    const two = await one.exchange('GET', '/portal', undefined, {
      cookie: `${cookieName}=${held}; ${cookieName}=${held}`,
    })
    t.equal(two.status, 303, 'two of one name are refused')
  },
)

t.test('forms sent by another site change nothing', async (t) => {
  const { one, page } = await signedIn()
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(page.html) ?? []
  const other = await signedIn(b.owner.email)
  const [, foreign = ''] = /name="form_token" value="([^"]+)"/.exec(other.page.html) ?? []
  const out = '/portal/sign-out'
  const same = { 'sec-fetch-site': 'same-origin' }
  const rows = [
    ['no token', {}, same],
    ['a token of somebody else', { form_token: foreign }, same],
    ['from another site', { form_token: token }, { 'sec-fetch-site': 'cross-site' }],
    ['from another subdomain', { form_token: token }, { 'sec-fetch-site': 'same-site' }],
    ['another origin', { form_token: token }, { origin: 'https://evil.example', ...same }],
    ['an origin that is hidden', { form_token: token }, { origin: 'null' }],
    [
      'a hidden one, elsewhere',
      { form_token: token },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ],
  ] as const
  for (const [name, fields, headers] of rows) {
    const refused = await one.post(out, fields, headers)
    t.equal(refused.status, 403, name)
    t.match(refused.html, /<h1>/, 'as a page')
    t.equal((await one.get('/portal')).path, '/portal', 'still signed in')
  }
  const asJson = await one.exchange('POST', out, undefined, { 'content-type': 'application/json' })
  t.equal(asJson.status, 415)
  const left = await one.submit(page, out)
  t.match(textOf(left), /You are signed out/)
  t.equal((await one.get('/portal')).path, '/portal/sign-in?next=%2Fportal')
})

t.test('a page of another site cannot sign anybody in', async (t) => {
  const one = browser()
  const fields = { email: a.owner.email, password }
  const noCookie = await one.post('/portal/sign-in', { ...fields, form_token: 'x'.repeat(43) })
  t.equal(noCookie.status, 403)
  const page = await browser().get('/portal/sign-in')
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(page.html) ?? []
  t.equal((await one.post('/portal/sign-in', { ...fields, form_token: token })).status, 403)
  t.notOk(one.cookies.has(cookieName))
})

t.test(
  'signing out ends the session for REST too; a wrong password is shown in the form',
  async (t) => {
    const { one } = await signedIn()
    const [text = ''] = one.cookies.get(cookieName)!.split('~')
    await one.submit(await one.get('/portal'), '/portal/sign-out')
    t.equal((await ask('GET', '/v1/me', { token: text, from: '10.20.9.1' })).status, 401)
    const wrong = await browser().signIn(a.owner.email, 'not the password')
    t.equal(wrong.status, 401)
    t.match(textOf(wrong), /The e-mail address, the password or the code is wrong/)
    t.match(wrong.html, /role="alert"[^>]*autofocus/)
    t.ok(wrong.html.includes(`value="${a.owner.email}"`), 'the address stays in its field')
    t.notOk(wrong.html.includes('not the password'))
  },
)

t.test('a session unused for half an hour is over, for REST too', async (t) => {
  const { one } = await signedIn()
  const held = one.cookies.get(cookieName)!
  const [text = '', at = ''] = held.split('~')
  t.ok(Date.now() - Number(at) < 60_000)
  // The cookie that a browser would have kept: signed by the service half an hour ago.
  const secret = await openedSecret(insider, service.dataDir)
  const key = createHmac('sha256', secret).update('portal').digest()
  const longAgo = String(Date.now() - 31 * 60_000)
  const mac = createHmac('sha256', key).update(`${text}~${longAgo}`).digest('base64url')
  one.cookies.set(cookieName, `${text}~${longAgo}~${mac}`)
  const page = await one.get('/portal/profile')
  t.match(page.path, /^\/portal\/sign-in\?next=%2Fportal%2Fprofile&told=idle$/)
  t.match(textOf(page), /after 30 minutes of inactivity/)
  t.equal((await ask('GET', '/v1/me', { token: text, from: '10.20.9.2' })).status, 401)
})

t.test('an invitation is accepted by a form, once', async (t) => {
  const { text, hash: invitationHash } = newSecretText('invitation')
  const id = newAccessId('person')
  const email = `${id}@a.example`
  await insider.directory.create(personActor, id, {
    ...{ id, tenant: a.id, createdAtMs: Date.now(), email, by: ada.author, name: 'New' },
    ...{ kind: 'member', roles: ['member'], invitationHash },
  })
  await until('the gateway knows of it', async () => {
    return (await ask('GET', `/v1/members/${id}`, { token: a.owner.token })).status === 200
  })
  const one = browser()
  const accept = async (who: PlainBrowser, secret: string) =>
    who.submit(await who.get('/portal/invitation'), '/portal/invitation', {
      invitation: text,
      password: secret,
    })
  const short = await accept(one, 'short')
  t.equal(short.status, 422)
  t.match(textOf(short), /New password must have at least 12 characters/)
  t.match(short.html, /href="#f-password"/)
  t.equal((await accept(one, password)).path, '/portal')
  const again = await accept(browser(), password)
  t.equal(again.status, 401)
  t.match(textOf(again), /unknown, used or expired/)
})

t.test('after signing in people get to the page they wanted, never another site', async (t) => {
  const one = browser()
  const page = await one.get('/portal/profile')
  const there = await one.submit(page, '/portal/sign-in', { email: a.owner.email, password })
  t.equal(there.path, '/portal/profile')
  for (const next of [
    'https://evil.example/portal',
    '//evil.example',
    '/v1/me',
    '/portal\\evil',
    '/portal/../v1/me',
    '/portal/%2e%2e//evil.example',
    '/staff',
  ]) {
    const other = browser()
    const shown = await other.get(`/portal/sign-in?next=${encodeURIComponent(next)}`)
    const got = await other.submit(shown, '/portal/sign-in', { email: a.owner.email, password })
    t.equal(got.path, '/portal', next)
  }
})

t.test('unknown addresses give a page that reveals nothing', async (t) => {
  const { one } = await signedIn()
  for (const path of ['/portal/none', '/portal/records/none/at/all', '/staff/none']) {
    const page = await one.get(path)
    t.equal(page.status, 404, path)
    t.match(textOf(page), /Page not found/)
    t.match(header('content-type', page), /^text\/html/)
  }
  t.equal((await browser().get('/v1/none')).status, 404)
})

t.test('a removed person is signed out at their next page', async (t) => {
  const email = `gone-${newAccessId('person')}@a.example`
  const who = { tenant: a.id, email, roles: ['member'], by: ada.author } as const
  const person = await makePerson(insider.directory, who)
  const one = browser()
  await until('the gateway knows them', async () => {
    return (await one.signIn(email, password)).path === '/portal'
  })
  const body = { reason: 'as a test of the portal' }
  const removed = await ask('POST', `/v1/members/${person.id}/remove`, {
    ...{ token: grace.token, seen: '*', body },
  })
  t.equal(removed.status, 200, removed.text)
  t.match((await one.get('/portal')).path, /sign-in/)
})
