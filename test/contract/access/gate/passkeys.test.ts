/**
 * Goal: a passkey alone signs its person in and steps them up; an answer is refused when it has
 * another origin, another challenge or another person, is unverified, repeated, or made by a copy.
 * Method: over REST, with a software authenticator that can also misbehave.
 */
import t from 'tap'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import {
  dataOf,
  errorOf,
  patient,
  withoutRequestId,
  type Heard,
} from '../../../helpers/access/asking.ts'
import {
  Authenticator,
  type PasskeyOptions,
  type Twist,
} from '../../../helpers/access/portal/authenticator.ts'
import { makePerson, password, type Person } from '../../../helpers/access/people.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, a, ada } = world
const ask = patient(world.ask)
const origin = 'https://access.example'
let addresses = 0
/** Each test has its own addresses: failed attempts are counted by address. */
const elsewhere = () => `10.40.0.${++addresses}`

interface Offer {
  readonly options: PasskeyOptions & { readonly userVerification?: string }
  readonly attempt: string
}
const offerAt = async (path: string, asked: Parameters<typeof ask>[2]) =>
  dataOf<Offer>(await ask('POST', `${path}/options`, asked))

async function person(): Promise<Person> {
  const email = `${newAccessId('person')}@a.example`
  const made = await makePerson(insider.directory, {
    ...{ tenant: a.id, email, roles: ['member'], by: ada.author },
  })
  await until('the gateway knows them', async () => {
    const from = elsewhere()
    return (await ask('GET', '/v1/me', { token: made.token, from })).status === 200
  })
  return made
}

async function add({ token }: Person, device = new Authenticator(origin), name = 'Phone') {
  const { options, attempt } = await offerAt('/v1/me/passkeys', { token })
  const body = { name, attempt, credential: device.create(options) }
  const made = dataOf<{ id: string }>(await ask('POST', '/v1/me/passkeys', { token, body }))
  return { device, id: made.id }
}

async function enter(device: Authenticator, twist: Twist = {}, from = elsewhere()) {
  const { options, attempt } = await offerAt('/v1/sign-in/passkeys', { from, body: {} })
  const body = { attempt, credential: device.get(options, twist) }
  return ask('POST', '/v1/sign-in/passkeys', { from, body })
}

const sameRefusal = (heard: readonly Heard[]) => {
  for (const one of heard) t.match(errorOf(one), { code: 401, type: 'unauthorized' })
  t.equal(new Set(heard.map((one) => withoutRequestId(one))).size, 1, 'in the same words')
}

const actionsOf = async ({ id }: Person) => {
  const path = `/v1/audit-entries?object=${id}&limit=100`
  return dataOf<readonly { action: string; reason?: string; changes?: unknown }[]>(
    await ask('GET', path, { token: ada.token }),
  )
}

t.test('a passkey is added, signs in alone, steps up, is listed, and removed', async (t) => {
  const who = await person()
  const { device, id } = await add(who)
  const signedIn = dataOf<{ token: string; person: { id: string; passkeys: number } }>(
    await enter(device),
  )
  t.equal(signedIn.person.id, who.id)
  t.equal(signedIn.person.passkeys, 1)
  const { token } = signedIn
  const [listed] = dataOf<readonly Record<string, unknown>[]>(
    await ask('GET', '/v1/me/passkeys', { token }),
  )
  t.match(listed, { id, name: 'Phone', created_at: String, last_used_at: String })
  t.notMatch(JSON.stringify(listed), new RegExp(device.id), 'nothing that it is checked against')
  const { options, attempt } = await offerAt('/v1/sign-in/step-up/passkeys', { token })
  t.equal(options.userVerification, 'required')
  const body = { attempt, credential: device.get(options) }
  t.equal((await ask('POST', '/v1/sign-in/step-up/passkeys', { token, body })).status, 200)
  t.equal((await ask('DELETE', `/v1/me/passkeys/${id}`, { token })).status, 204)
  t.equal((await ask('DELETE', `/v1/me/passkeys/${id}`, { token })).status, 404)
  t.equal((await enter(device)).status, 401)
  const withPassword = { from: elsewhere(), body: { email: who.email, password } }
  t.equal((await ask('POST', '/v1/sign-in', withPassword)).status, 201, 'the password goes on')
  const told = await until('the audit has it', async () => {
    const found = await actionsOf(who)
    return found.some(({ action }) => action === 'person.passkey_removed') && found
  })
  const tellsOf = (action: string) => told.find((one) => one.action === action)?.changes
  const named = [{ field: 'passkeyId', to: id }]
  for (const action of ['passkey_added', 'passkey_removed', 'stepped_up']) {
    t.same(tellsOf(`person.${action}`), named, action)
  }
  const used = told.filter(({ action }) => action === 'person.signed_in')
  t.ok(used.some(({ changes }) => JSON.stringify(changes) === JSON.stringify(named)))
})

t.test('several passkeys have their own names, and one is not added twice', async (t) => {
  const who = await person()
  const { device } = await add(who)
  await add(who, new Authenticator(origin), 'Laptop')
  const { token } = who
  const { options, attempt } = await offerAt('/v1/me/passkeys', { token })
  const known = (options as { excludeCredentials?: readonly { id: string }[] }).excludeCredentials
  t.ok(
    known?.some(({ id }) => id === device.id),
    'the device is told which it has',
  )
  const body = { name: 'Again', attempt, credential: device.create(options) }
  const again = await ask('POST', '/v1/me/passkeys', { token, body })
  t.match(errorOf(again), { code: 409, type: 'duplicate' })
})

t.test('an invalid answer adds no passkey', async (t) => {
  const who = await person()
  const { token } = who
  const twists: readonly Twist[] = [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isVerified: false },
    { challenge: Buffer.from('another').toString('base64url') },
  ]
  for (const twist of twists) {
    const { options, attempt } = await offerAt('/v1/me/passkeys', { token })
    const credential = new Authenticator(origin).create(options, twist)
    const body = { name: 'Phone', attempt, credential }
    const refused = await ask('POST', '/v1/me/passkeys', { token, body })
    t.match(errorOf(refused), { code: 400, field: 'credential' }, JSON.stringify(twist))
  }
  const { options, attempt } = await offerAt('/v1/me/passkeys', { token })
  const device = new Authenticator(origin)
  const body = { name: 'Phone', attempt, credential: device.create(options) }
  const other = await person()
  const stolen = await ask('POST', '/v1/me/passkeys', { token: other.token, body })
  t.match(errorOf(stolen), { code: 400 }, 'the challenge of another session')
  t.equal((await ask('POST', '/v1/me/passkeys', { token, body })).status, 201)
  const replayed = { ...body, credential: new Authenticator(origin).create(options) }
  const again = await ask('POST', '/v1/me/passkeys', { token, body: replayed })
  t.match(errorOf(again), { code: 400 }, 'a challenge is answered once')
})

t.test(
  'an answer of another origin, unverified, or to another challenge is refused each time',
  async (t) => {
    const { device } = await add(await person())
    const refused = [
      await enter(device, { origin: 'https://access.example.evil.example' }),
      await enter(device, { origin: 'http://access.example' }),
      await enter(device, { rpId: 'evil.example' }),
      await enter(device, { isVerified: false }),
      await enter(device, { challenge: Buffer.from('mine').toString('base64url') }),
      await enter(device, { userHandle: Buffer.from('usr_none').toString('base64url') }),
      await enter(new Authenticator(origin), { userHandle: '' }),
    ]
    sameRefusal(refused)
    t.equal((await enter(device)).status, 201, 'and the right one does')
  },
)

t.test('a passkey of one person does not work for another', async (t) => {
  const [one, other] = [await person(), await person()]
  const mine = await add(one)
  await add(other)
  const userHandle = Buffer.from(other.id).toString('base64url')
  sameRefusal([await enter(mine.device, { userHandle })])
  const { token } = other
  const { options, attempt } = await offerAt('/v1/sign-in/step-up/passkeys', { token })
  const body = { attempt, credential: mine.device.get(options) }
  sameRefusal([await ask('POST', '/v1/sign-in/step-up/passkeys', { token, body })])
  t.equal((await ask('DELETE', `/v1/me/passkeys/${mine.id}`, { token })).status, 404)
})

t.test(
  'an answer is valid once, for the client that asked for it, and for its purpose alone',
  async (t) => {
    const who = await person()
    const { device } = await add(who)
    const from = elsewhere()
    const holder = 'a cookie'
    const { options, attempt } = await offerAt('/v1/sign-in/passkeys', { from, body: { holder } })
    const body = { attempt, credential: device.get(options), holder }
    const send = (more: object) =>
      ask('POST', '/v1/sign-in/passkeys', { from, body: { ...body, ...more } })
    const stolen = await send({ holder: 'another cookie' })
    const forged = await send({ attempt: `${attempt}x` })
    t.equal((await send({})).status, 201)
    const replayed = await send({})
    const newer = await send({ credential: device.get(options) })
    const { token } = who
    const asked = await offerAt('/v1/sign-in/step-up/passkeys', { token })
    const swapped = await send({
      ...{ attempt: asked.attempt, credential: device.get(asked.options) },
    })
    sameRefusal([stolen, forged, replayed, newer, swapped])
  },
)

t.test('a counter that does not increase is refused and recorded in the audit', async (t) => {
  const who = await person()
  const { device } = await add(who)
  t.equal((await enter(device, { counter: 10 })).status, 201)
  sameRefusal([await enter(device, { counter: 9 }), await enter(device, { counter: 10 })])
  sameRefusal([await enter(device, { counter: 0 })])
  t.equal((await enter(device, { counter: 11 })).status, 201)
  await until('the audit says why', async () => {
    const told = await actionsOf(who)
    const reasons = told.filter(({ action }) => action === 'person.sign_in_failed')
    return reasons.filter(({ reason }) => reason === 'passkey_counter').length === 3
  })
})

t.test(
  'failed attempts count as wrong passwords do, and a passkey works in the lock',
  async (t) => {
    const who = await person()
    const { device } = await add(who)
    const from = elsewhere()
    const wrong = () => enter(device, { isVerified: false }, elsewhere())
    for (let n = 0; n < accessLimits.failedSignInsPerPerson; n++)
      t.equal((await wrong()).status, 401)
    const { status } = dataOf<{ status: string }>(
      await ask('GET', `/v1/members/${who.id}`, { token: ada.token }),
    )
    t.equal(status, 'locked')
    t.equal((await enter(device, {}, from)).status, 201, 'from a network that is new')
  },
)
