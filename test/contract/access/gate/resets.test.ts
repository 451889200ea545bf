/**
 * Goal: a person who cannot sign in is let in once by those who administer them, with all their
 * earlier credentials void; nobody can reset themselves or somebody above them.
 */
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { newAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import { dataOf, errorOf, patient, withoutRequestId } from '../../../helpers/access/asking.ts'
import { Authenticator, type PasskeyOptions } from '../../../helpers/access/portal/authenticator.ts'
import { makePerson, password } from '../../../helpers/access/people.ts'
import { PlainBrowser, textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, service, a, b, ada, grace } = world
const ask = patient(world.ask)
const body = { reason: 'they have a new telephone' }
const next = 'another password, as long'
let addresses = 0
const elsewhere = () => `10.41.0.${++addresses}`

async function member() {
  const who = { tenant: a.id, roles: ['member'], by: ada.author } as const
  const made = await makePerson(insider.directory, {
    ...{ ...who, email: `${newAccessId('person')}@a.example` },
  })
  await until('the gateway knows them', async () => {
    return (await ask('GET', '/v1/me', { token: made.token, from: elsewhere() })).status === 200
  })
  return made
}

/** Staff use `*`; an owner names the version that they have seen. */
async function make(id: string, token: string, kind = 'members') {
  const { status, body: shown } = await ask('GET', `/v1/${kind}/${id}`, { token })
  const seen = status === 200 ? (shown as { data: { version: number } }).data.version : 1
  return ask('POST', `/v1/${kind}/${id}/reset`, { token, seen, body })
}
const made = async (id: string, token: string, kind?: string) =>
  dataOf<{ reset: string; reset_expires_at: string }>(await make(id, token, kind)).reset
const use = (reset: string, from = elsewhere()) =>
  ask('POST', '/v1/sign-in/resets', { from, body: { reset, password: next } })

t.test('earlier credentials are void, and each reset works once', async (t) => {
  const who = await member()
  const { token } = who
  const offer = dataOf<{ secret: string; sealed: string }>(
    await ask('POST', '/v1/me/totp', { token }),
  )
  const code = new TOTP({ secret: Secret.fromBase32(offer.secret) }).generate()
  const confirmed = { token, body: { sealed: offer.sealed, code } }
  t.equal((await ask('PUT', '/v1/me/totp', confirmed)).status, 204)
  const device = new Authenticator('https://access.example')
  const asked = dataOf<{ options: PasskeyOptions; attempt: string }>(
    await ask('POST', '/v1/me/passkeys/options', { token }),
  )
  const { attempt } = asked
  const added = { name: 'Phone', attempt, credential: device.create(asked.options) }
  t.equal((await ask('POST', '/v1/me/passkeys', { token, body: added })).status, 201)

  const first = await made(who.id, ada.token)
  const reset = await made(who.id, ada.token)
  t.equal((await ask('GET', '/v1/me', { token })).status, 200, 'nothing ends before it is used')
  t.equal((await use(first)).status, 401, 'another one makes it void')
  const entered = dataOf<{ token: string; person: { has_totp: boolean; passkeys: number } }>(
    await use(reset),
  )
  t.match(entered.person, { has_totp: false, passkeys: 0 })
  t.equal((await ask('GET', '/v1/me', { token: entered.token })).status, 200)
  t.equal((await ask('GET', '/v1/me', { token, from: elsewhere() })).status, 401)
  const [again, unknown] = [await use(reset), await use('spai_of-no-shape')]
  for (const refused of [again, unknown]) t.match(errorOf(refused), { code: 401 })
  t.equal(withoutRequestId(again), withoutRequestId(unknown))
  const enter = (given: string) =>
    ask('POST', '/v1/sign-in', { from: elsewhere(), body: { email: who.email, password: given } })
  t.equal((await enter(password)).status, 401)
  t.equal((await enter(next)).status, 201, 'without a code')
  await until('the audit has it', async () => {
    const path = `/v1/audit-entries?object=${who.id}&limit=100`
    const told = dataOf<readonly { action: string; reason?: string; actor: { id: string } }[]>(
      await ask('GET', path, { token: ada.token }),
    )
    const of = (action: string) => told.filter((one) => one.action === action)
    const [{ actor, reason } = {}] = of('person.reset_made')
    const [user] = of('person.reset_used')
    return actor?.id === ada.id && reason === body.reason && user?.actor.id === who.id
  })
})

t.test('administrators of people may reset, but not themselves or those above them', async (t) => {
  const who = await member()
  t.equal((await make(who.id, a.owner.token)).status, 201, 'an owner, of a member')
  const staff = await makePerson(insider.directory, {
    ...{ tenant: platformTenant, roles: ['auditor'], by: ada.author },
    email: 'reset@provider.example',
  })
  await until('the gateway knows them', async () => {
    return (await ask('GET', '/v1/me', { token: staff.token, from: elsewhere() })).status === 200
  })
  t.equal((await make(staff.id, grace.token, 'staff')).status, 201, 'an admin, of staff')
  const refused = [
    ['a member, of another', await make(a.owner.id, who.token), 403],
    ['an owner of another client', await make(who.id, b.owner.token), 404],
    ['an owner, of staff', await make(ada.id, a.owner.token, 'staff'), 403],
    ['an owner, of staff as if of a member', await make(ada.id, a.owner.token), 404],
    ['staff that is no admin', await make(ada.id, staff.token, 'staff'), 403],
    ['an admin, of themselves', await make(ada.id, ada.token, 'staff'), 403],
  ] as const
  for (const [name, { status, text }, wanted] of refused)
    t.equal(status, wanted, `${name}: ${text}`)
  const unseen = await ask('POST', `/v1/members/${who.id}/reset`, { token: ada.token, body })
  t.equal(unseen.status, 428)
  const silent = { token: ada.token, seen: '*', body: {} } as const
  t.equal((await ask('POST', `/v1/members/${who.id}/reset`, silent)).status, 422, 'with a reason')
})

t.test('in the portal an owner makes the link, and its page lets the person in', async (t) => {
  const who = await member()
  const owner = new PlainBrowser(service.baseUrl, elsewhere())
  await owner.signIn(a.owner.email, password)
  const page = await owner.get(`/portal/members/${who.id}`)
  const action = `/portal/members/${who.id}/reset`
  const short = await owner.submit(page, action, { reason: 'short' })
  t.equal(short.status, 422)
  t.match(short.html, /href="#f-reason-reset"/)
  const shown = await owner.submit(short, action, body)
  const [, text = ''] =
    /https:\/\/access\.example\/portal\/reset#(spai_\w{36})/.exec(shown.html) ?? []
  t.ok(text, textOf(shown))
  t.match(textOf(await owner.get(`/portal/members/${who.id}`)), /Reset link expires/)
  const theirs = new PlainBrowser(service.baseUrl, elsewhere())
  t.match(
    textOf(await theirs.get('/portal/sign-in')),
    /Ask the person who invited you for a reset link/,
  )
  const fields = { reset: text, password: next }
  const enter = async (given: object) =>
    theirs.submit(await theirs.get('/portal/reset'), '/portal/reset', { ...fields, ...given })
  t.match(textOf(await enter({ password: 'short' })), /New password must have at least 12/)
  t.equal((await enter({})).path, '/portal')
  t.match(textOf(await enter({})), /unknown, used or expired/)
})
