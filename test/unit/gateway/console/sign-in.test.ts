/**
 * Goal: people sign in to the console with a key that no page shows and no other site can use, see
 * their own tenant only, and are told when the key is over. Method: a real gateway, plain HTTP.
 */
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import { keyScopeNames } from '../../../../proto/accounts/key-scopes.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { PlainBrowser, textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const acme = keyOf('acme')
const other = keyOf('other')
const admin = keyOf('operators', { scopes: keyScopeNames })
const looker = keyOf('acme', { name: 'looker', scopes: ['view'] })
let aheadMs = 0
const service = await playService({
  keys: [acme.record, other.record, admin.record, looker.record],
  clock: { ...systemClock, now: () => Date.now() + aheadMs },
  env: { PUBLIC_URL: 'https://browsers.example' },
})
t.teardown(() => service.close())
const base = service.gateway.url
let browsers = 0

function browser(): PlainBrowser {
  return new PlainBrowser(base, `10.30.0.${++browsers}`)
}

async function signIn(key: string, path = '/console') {
  const one = browser()
  const asked = await one.get(path)
  return { one, page: await one.submit(asked, '/console/sign-in', { key }) }
}

const session = (tenant: string) => {
  const id = newId('ses')
  service.views.set({ ...playedView(id), tenant, keyName: `key of ${tenant}` })
  return id
}
const ofAcme = session('acme')
const ofOther = session('other')

t.test('without a cookie, every page leads to the sign-in and from there back', async (t) => {
  const { page } = await signIn(acme.text, '/console?search=abc&show=all')
  t.equal(page.status, 200)
  t.equal(page.path, '/console?search=abc&show=all')
  const asked = await browser().get('/console')
  t.match(textOf(asked), /Sign in to the console/)
  t.notMatch(asked.html, /dev-local-key/, 'a public service does not offer the development key')
})

t.test('the sign-in leads to no page beside the console', async (t) => {
  for (const next of ['/console/../../x', '/console/%2E%2e//evil.example', '/consoles', '/docs']) {
    const { page } = await signIn(acme.text, `/console/sign-in?next=${encodeURIComponent(next)}`)
    t.equal(page.path, '/console', next)
  }
})

t.test('a wrong key is refused in words, on the same page', async (t) => {
  for (const key of ['wrong', `${acme.text.slice(0, -1)}!`, '', 'x'.repeat(5_000)]) {
    const { page, one } = await signIn(key)
    t.equal(page.status, 401)
    t.match(textOf(page), /This key is unknown|too long to be a key|Enter a key/)
    t.same([...one.cookies.keys()], ['__Host-troupe-console-form'])
    if (key !== '') t.notOk(page.html.includes(key), 'what was typed is not repeated')
  }
})

t.test('the key is sealed in a cookie for this host that scripts cannot read', async (t) => {
  const one = browser()
  const asked = await one.get('/console/sign-in')
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(asked.html) ?? []
  const body = new URLSearchParams({ form_token: token, key: acme.text })
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const answer = await one.exchange('POST', '/console/sign-in', body, headers)
  const [line = ''] = answer.headers.getSetCookie()
  t.match(
    line,
    /^__Host-troupe-console=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/,
  )
  const value = one.cookies.get('__Host-troupe-console')!
  const plain = Buffer.from(value, 'base64url').toString('latin1')
  t.notOk(line.includes(acme.text) || plain.includes(acme.text), 'the key cannot be read in it')
  const page = await one.get('/console')
  t.notOk(page.html.includes(acme.text) || page.html.includes(value), 'no page contains either')
  one.cookies.set('__Host-troupe-console', `${value.slice(0, -2)}AA`)
  t.equal((await one.get('/console')).path, '/console/sign-in?next=%2Fconsole&told=signed-in-over')
})

t.test('pages have the headers of the portal’s pages', async (t) => {
  const { one, page } = await signIn(acme.text)
  for (const each of [page, await one.get('/console/none'), await browser().get('/console')]) {
    const policy = each.headers.get('content-security-policy') ?? ''
    t.match(policy, /^default-src 'none'; /)
    t.match(policy, /frame-ancestors 'none'/)
    t.notMatch(policy, /unsafe|\*|https?:/)
    t.equal(each.headers.get('cache-control'), 'no-store')
    t.notMatch(each.html, / on\w+=|<style|style="|<script>/)
  }
})

t.test('a key sees its own tenant, one with admin sees all', async (t) => {
  const { one, page } = await signIn(acme.text)
  t.match(page.html, ofAcme)
  t.notMatch(page.html, ofOther)
  t.notMatch(textOf(await one.get(`/console?search=${ofOther}`)), /key of other/)
  const all = await signIn(admin.text)
  t.match(all.page.html, ofAcme)
  t.match(all.page.html, ofOther)
  t.match(textOf(all.page), /All tenants/)
})

t.test('a session of another tenant cannot be ended, one of the own can', async (t) => {
  const { one, page } = await signIn(acme.text)
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page.html) ?? []
  const refused = await one.post(`/console/sessions/${ofOther}/end`, { form_token })
  t.equal(refused.status, 404)
  const done = await one.submit(page, `/console/sessions/${ofAcme}/end`)
  t.match(textOf(done), /The session was ended\./)
  const ended = service.told.filter(({ command }) => command.type === 'end').map(({ id }) => id)
  t.same(ended, [ofAcme])
  const all = await signIn(admin.text)
  await all.one.submit(all.page, `/console/sessions/${ofOther}/end`)
  t.ok(service.told.some(({ id, command }) => id === ofOther && command.type === 'end'))
})

t.test('a key without the scope is offered nothing that it may not do', async (t) => {
  const { one, page } = await signIn(looker.text)
  t.notMatch(page.html, `/console/sessions/${ofAcme}/end`)
  t.notMatch(textOf(page), /New session/)
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page.html) ?? []
  const refused = await one.post(`/console/sessions/${ofAcme}/end`, { form_token })
  t.equal(refused.status, 403)
  t.match(textOf(refused), /it needs the scope/)
})

t.test('a form of another site, or without the token, changes nothing', async (t) => {
  const { one, page } = await signIn(acme.text)
  const action = `/console/sessions/${ofAcme}/end`
  const before = service.told.length
  t.equal((await one.post(action, {})).status, 403)
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page.html) ?? []
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  t.equal((await one.post(action, { form_token }, evil)).status, 403)
  const { page: foreign } = await signIn(other.text)
  const [, theirs = ''] = /name="form_token" value="([^"]+)"/.exec(foreign.html) ?? []
  t.equal((await one.post(action, { form_token: theirs })).status, 403)
  t.equal(service.told.length, before)
})

t.test('after signing out, and after 12 hours, the key is asked for again', async (t) => {
  const { one, page } = await signIn(acme.text)
  const out = await one.submit(page, '/console/sign-out')
  t.match(textOf(out), /You are signed out\./)
  t.equal((await one.get('/console')).path, '/console/sign-in?next=%2Fconsole')
  const late = await signIn(acme.text)
  aheadMs = 12 * 3_600_000
  const over = await late.one.get('/console')
  aheadMs = 0
  t.match(
    textOf(over),
    /Please sign in again\. Your 12 hours have passed, or the key is no longer valid\./,
  )
})

t.test('a revoked key is signed out with its next request', async (t) => {
  const { one, page } = await signIn(other.text)
  t.equal(page.status, 200)
  service.keys.set({ ...other.record, revokedAtMs: 1 })
  const over = await one.get('/console')
  t.match(textOf(over), /Please sign in again/)
  t.same([...one.cookies.keys()], ['__Host-troupe-console-form'], 'and the cookie is gone')
})

t.test('the development key works on this machine, and not through a proxy', async (t) => {
  const local = await playService()
  t.teardown(() => local.close())
  const cookies = new Map<string, string>()
  const ask = async (path: string, body?: URLSearchParams, more = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(local.gateway.url + path, {
      ...{ method: body ? 'POST' : 'GET', redirect: 'manual', headers: { cookie, ...more } },
      ...(body && { body }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const html = await (await ask('/console/sign-in')).text()
  t.match(html, /the development key <code>dev-local-key<\/code> works/)
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(html) ?? []
  const form = new URLSearchParams({ form_token, key: 'dev-local-key' })
  const answer = await ask('/console/sign-in', form, { 'sec-fetch-site': 'same-origin' })
  t.equal(answer.headers.get('location'), '/console')
  t.equal((await ask('/console')).status, 200)
  const proxied = await ask('/console', undefined, { 'x-forwarded-for': '10.0.0.1' })
  t.match(proxied.headers.get('location'), /^\/console\/sign-in\?.*told=signed-in-over/)
})
