/**
 * Goal: people sign in by an invitation, once and in time, and by their password; guessing is
 * slowed down without effect on others. Method: over REST, with addresses as a reverse proxy would
 * give them.
 */
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { newAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import { dayMs } from '../../../../proto/units.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { newSecretText } from '../../../../proto/access/people/secret-text.ts'
import { dataOf, errorOf, withoutRequestId, type Heard } from '../../../helpers/access/asking.ts'
import { mint } from '../../../helpers/access/clients.ts'
import { makePerson, password } from '../../../helpers/access/people.ts'
import { removeStaff } from '../../../helpers/access/removal.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const { ask, insider, a, ada, grace } = await openWorld(t)
const accept = (invitation: string, from = '10.7.0.1') =>
  ask('POST', '/v1/sign-in/invitations', { from, body: { invitation, password } })
const signIn = (email: string, given: string, from = '10.7.0.2') =>
  ask('POST', '/v1/sign-in', { from, body: { email, password: given } })
const sameWords = (t: Test, answers: readonly Heard[]) =>
  t.equal(new Set(answers.map((answer) => withoutRequestId(answer))).size, 1)

async function invite(createdAtMs = Date.now()) {
  const { text, hash: invitationHash } = newSecretText('invitation')
  const id = newAccessId('person')
  const email = `${id}@provider.example`
  const tenant = platformTenant
  await insider.directory.create(personActor, id, {
    ...{ id, tenant, createdAtMs, email, by: ada.author, name: 'New', invitationHash },
    ...{ kind: 'staff', roles: ['auditor'] },
  })
  await until('the invitation is known', async () => {
    return (await ask('GET', `/v1/staff/${id}`, { token: ada.token })).status === 200
  })
  return { id, email, text }
}

t.test('an invitation works once, in time, and until a newer one is made', async (t) => {
  const used = await invite()
  t.equal((await accept(used.text)).status, 201)
  const old = await invite(Date.now() - accessLimits.invitationMs - dayMs)
  const replaced = await invite()
  const again = await ask('POST', `/v1/staff/${replaced.id}/reinvite`, {
    ...{ token: ada.token, seen: '*' },
  })
  const { invitation } = dataOf<{ invitation: string }>(again)
  const refused = [
    await accept(used.text),
    await accept(old.text),
    await accept(replaced.text),
    await accept(newSecretText('invitation').text),
    await accept('spai_of-no-shape'),
    await accept(newSecretText('session').text),
  ]
  for (const answer of refused) t.match(errorOf(answer), { code: 401, type: 'unauthorized' })
  sameWords(t, refused)
  t.equal((await accept(invitation, '10.7.0.3')).status, 201)
})

t.test('an invitation that two people use at once lets one of them in', async (t) => {
  const { text } = await invite()
  const [one, other] = await Promise.all([accept(text, '10.7.1.1'), accept(text, '10.7.1.2')])
  t.same([one.status, other.status].sort(), [201, 401])
})

t.test('a wrong address, a wrong password, a removed person: the same words', async (t) => {
  const invited = { tenant: platformTenant, roles: ['auditor'], by: ada.author } as const
  const person = await makePerson(insider.directory, { ...invited, email: 'in@provider.example' })
  const gone = await makePerson(insider.directory, { ...invited, email: 'out@provider.example' })
  await removeStaff(ask, gone, [grace, ada])
  t.equal((await ask('GET', `/v1/staff/${person.id}`, { token: ada.token })).status, 200)
  t.equal((await signIn(person.email, password)).status, 201)
  const refused = [
    await signIn(person.email, 'not the password'),
    await signIn('nobody@provider.example', password),
    await signIn(gone.email, password),
  ]
  for (const answer of refused) t.match(errorOf(answer), { code: 401, type: 'unauthorized' })
  sameWords(t, refused)
})

t.test('each sign-in makes a new session, and ignores a token that was offered', async (t) => {
  const { email } = await makePerson(insider.directory, {
    ...{ tenant: a.id, email: 'fix@a.example', roles: ['member'], by: ada.author },
  })
  const given = newSecretText('session').text
  const headers = { authorization: `Bearer ${given}`, cookie: `session=${given}` }
  const body = { email, password }
  const first = await until('the gateway knows them', async () => {
    const answer = await ask('POST', '/v1/sign-in', { from: '10.7.2.1', body, headers })
    return answer.status === 201 && answer
  })
  const { token } = dataOf<{ token: string }>(first)
  t.not(token, given)
  t.equal(first.headers.get('set-cookie'), null)
  t.equal((await ask('GET', '/v1/me', { headers, from: '10.7.2.2' })).status, 401)
  const { token: other } = dataOf<{ token: string }>(await signIn(email, password, '10.7.2.3'))
  t.not(other, token)
  t.equal((await ask('DELETE', '/v1/sign-in', { token })).status, 204)
  t.equal((await ask('GET', '/v1/me', { token, from: '10.7.2.4' })).status, 401, 'signed out')
  t.equal((await ask('GET', '/v1/me', { token: other })).status, 200, 'the other one is not')
})

t.test('a page of another origin cannot sign anybody in', async (t) => {
  const body = { email: ada.email, password }
  const headers = { origin: 'https://elsewhere.example' }
  const answer = await ask('POST', '/v1/sign-in', { body, headers })
  t.match(errorOf(answer), { code: 403, type: 'origin_not_allowed' })
})

t.test('21 bad tokens from one address: 429 for that address only', async (t) => {
  const from = '10.8.0.1'
  const guess = () => ask('GET', '/v1/access', { token: newSecretText('token').text, from })
  const most = accessLimits.failedTokensPerMinute
  const statuses: number[] = []
  for (let n = 0; n < most; n++) statuses.push((await guess()).status)
  t.same(new Set(statuses), new Set([401]))
  const refused = await guess()
  t.match(errorOf(refused), { code: 429, type: 'quota_exceeded' })
  t.ok(Number(refused.headers.get('retry-after')) >= 1)
  const { token } = a.reader
  t.equal((await ask('GET', '/v1/access', { token, from: '10.8.0.2' })).status, 200)
})

t.test('a token over its rate is told to wait, other tokens are not affected', async (t) => {
  const { token } = await mint(insider.directory, a.all.id, ada.author)
  await until('it is known', async () => {
    return (await ask('GET', '/v1/areas', { token, from: '10.8.1.1' })).status === 200
  })
  const burst = accessLimits.tokenRequestsBurst
  const asked = Array.from({ length: burst * 2 }, () => ask('GET', '/v1/areas', { token }))
  const refused = (await Promise.all(asked)).find(({ status }) => status === 429)
  t.ok(refused, 'some are refused')
  t.match(errorOf(refused!), { type: 'quota_exceeded', violated_policies: ['token'] })
  t.match(refused!.headers.get('ratelimit-policy'), /^"token";q=600;w=60, "client";q=3000;w=60$/)
  t.match(refused!.headers.get('ratelimit'), /^"token";r=0;t=\d+$/)
  t.ok(refused!.headers.get('retry-after'))
  t.equal((await ask('GET', '/v1/access', { token: a.reader.token })).status, 200)
})

t.test('with an authenticator app a sign-in needs a code, each valid once', async (t) => {
  const who = { tenant: a.id, email: 'codes@a.example', roles: ['member'], by: ada.author } as const
  const { email } = await makePerson(insider.directory, who)
  const enter = (code?: string, given = password) =>
    ask('POST', '/v1/sign-in', { from: '10.9.0.1', body: { email, password: given, code } })
  const first = await until('the gateway knows them', async () => {
    const answer = await enter()
    return answer.status === 201 && answer
  })
  const { token } = dataOf<{ token: string }>(first)
  const offer = dataOf<{ secret: string; sealed: string }>(
    await ask('POST', '/v1/me/totp', { token }),
  )
  const app = new TOTP({ secret: Secret.fromBase32(offer.secret) })
  const stepMs = 30_000
  const [now, next] = [0, stepMs].map((laterMs) =>
    app.generate({ timestamp: Date.now() + laterMs }),
  )
  const confirm = (code: string, sealed = offer.sealed) =>
    ask('PUT', '/v1/me/totp', { token, body: { sealed, code } })
  t.match(errorOf(await confirm(now!, 'not ours')), { type: 'bad_request', field: 'sealed' })
  t.match(errorOf(await confirm('000000x')), { type: 'bad_request', field: 'code' })
  t.equal((await confirm(now!)).status, 204)
  const wrong = [await enter(), await enter('000000x'), await enter(now)]
  for (const answer of wrong) t.match(errorOf(answer), { code: 401, type: 'unauthorized' })
  sameWords(t, wrong)
  t.equal((await enter(next)).status, 201)
  t.equal((await enter(next)).status, 401, 'a used code is refused')
})

t.test('a new password needs the old one, and ends every other session', async (t) => {
  const who = { tenant: a.id, email: 'anew@a.example', roles: ['member'], by: ada.author } as const
  const { email } = await makePerson(insider.directory, who)
  const tokens: string[] = []
  for (const from of ['10.9.1.1', '10.9.1.2']) {
    const answer = await until('the gateway knows them', async () => {
      const one = await signIn(email, password, from)
      return one.status === 201 && one
    })
    tokens.push(dataOf<{ token: string }>(answer).token)
  }
  const [token, other] = tokens
  const next = 'another password, as long'
  const change = (given: string) =>
    ask('PUT', '/v1/me/password', { token, body: { password: given, new_password: next } })
  t.equal((await change('not the password')).status, 401)
  t.equal((await change(password)).status, 204)
  t.equal((await ask('GET', '/v1/me', { token })).status, 200)
  t.equal((await ask('GET', '/v1/me', { token: other, from: '10.9.1.3' })).status, 401)
  t.equal((await signIn(email, password, '10.9.1.4')).status, 401)
  t.equal((await signIn(email, next, '10.9.1.5')).status, 201)
})
