/**
 * Wrong passwords for somebody else: to guess theirs, to shut them out, or to learn who has an
 * account. Method: a real service, with guesses from many addresses.
 */
import t from 'tap'
import { dataOf, errorOf, withoutRequestId } from '../../helpers/access/asking.ts'
import { password } from '../../helpers/access/people.ts'
import { hiddenFields, PlainBrowser, textOf } from '../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { service, ask, a, b, ada, grace } = await openWorld(t)
const { owner } = a
const signIn = (email: string, from: string, given = password) =>
  ask('POST', '/v1/sign-in', { from, body: { email, password: given } })
let guesses = 0
/** From another network each time. */
const guess = (email: string) => signIn(email, `10.${++guesses}.7.7`, 'not the password')
const home = '192.0.2.7'
const wayOut = /a passkey works now.*network where you have signed in before.*for a reset/

t.test('25 wrong passwords for the owner do not shut her out', async (t) => {
  t.equal((await signIn(owner.email, home)).status, 201)
  for (let n = 0; n < 25; n++) t.notOk((await guess(owner.email)).status === 201)
  const locked = await guess(owner.email)
  t.match(errorOf(locked), { code: 429, type: 'quota_exceeded', message: wayOut })
  t.ok(Number(locked.headers.get('retry-after')) > 60)
  const right = await signIn(owner.email, '198.51.100.7')
  t.match(errorOf(right), { code: 429 }, 'whether the password is right is not told')
  t.equal((await ask('GET', '/v1/me', { token: owner.token })).status, 200, 'she stays signed in')
  t.equal((await signIn(owner.email, '192.0.2.9')).status, 201, 'and signs in from her network')
  const step = { token: owner.token, from: home, body: { password } }
  t.equal((await ask('POST', '/v1/sign-in/step-up', step)).status, 200)
})

t.test('a reset lets her in from anywhere', async (t) => {
  const reset = { reason: 'she has a new computer' }
  const path = `/v1/members/${owner.id}/reset`
  const made = dataOf<{ reset: string; reset_waits?: boolean }>(
    await ask('POST', path, { token: ada.token, seen: '*', body: reset }),
  )
  const confirm = { token: grace.token, seen: '*' } as const
  if (made.reset_waits) await ask('POST', `/v1/members/${owner.id}/confirm`, confirm)
  const body = { reset: made.reset, password: 'another long password' }
  await until('the reset is known', async () => {
    const used = await ask('POST', '/v1/sign-in/resets', { from: '203.0.113.9', body })
    return used.status === 201
  })
  t.equal((await signIn(owner.email, '203.0.113.77', 'another long password')).status, 201)
})

t.test('one address guesses on: its waits grow, and others do not wait', async (t) => {
  const { email } = b.owner
  const from = '10.200.1.1'
  for (let n = 0; n < 4; n++) t.equal((await signIn(email, from, 'wrong')).status, 401)
  t.equal((await signIn(email, from, 'wrong')).status, 401)
  const told = await signIn(email, from)
  t.match(errorOf(told), { code: 429, message: /from your address; try again in 1\d s/ })
  t.equal((await signIn(email, '10.201.1.1')).status, 201)
})

t.test('an address that nobody has is told the same', async (t) => {
  const words = async (email: string) => {
    for (let n = 0; n < 10; n++) t.equal((await guess(email)).status, 401)
    const { status, headers } = await guess(email)
    const text = withoutRequestId(await guess(email)).replaceAll(/\d+ s|:\d+/g, '')
    return [status, Number(headers.get('retry-after')) > 600, text]
  }
  t.same(await words('nobody@nowhere.example'), await words(b.member.email))
})

t.test('the portal says how she gets in', async (t) => {
  const from = '10.202.1.1'
  const browser = new PlainBrowser(service.baseUrl, from)
  const page = await browser.get('/portal/sign-in')
  for (let n = 0; n < 5; n++) await signIn(grace.email, from, 'wrong')
  const fields = { ...hiddenFields(page.html, '/portal/sign-in'), email: grace.email, password }
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${service.baseUrl}/portal/sign-in`, {
    method: 'POST',
    headers: { cookie, 'x-forwarded-for': from, origin: 'null', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields),
  })
  t.match(textOf({ html: await answer.text() }), wayOut)
})
