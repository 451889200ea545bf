// Goal: a passkey's answer is accepted once, a copy's never, and the stored data stays small;
// passkeys are made for domain names only. Method: the kind of a person alone, and the functions,
// no runtime.
import t from 'tap'
import { PasskeyAttempts } from '../../../../gateway/access/passkeys/attempts.ts'
import { relyingParty } from '../../../../gateway/access/passkeys/relying-party.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import { ann, ben, reason, type PlayedActor } from '../../../helpers/access/actors/actor.ts'
import { activePerson } from '../../../helpers/access/actors/active-person.ts'

let challenges = 0
const challenge = (it: PlayedActor) => ({
  text: `challenge-${++challenges}`,
  expiresAtMs: it.atMs + limits.challengeMs,
})
const addition = (it: PlayedActor, n: number) => ({
  ...{ type: 'add_passkey', by: ben, passkeyId: `psk_${n}`, name: `Key ${n}` },
  ...{ credentialId: `credential-${n}`, publicKey: 'key', counter: 0, transports: ['usb'] },
  challenge: challenge(it),
})
const use = (it: PlayedActor, counter: number, n = 1) => ({
  ...{ type: 'sign_in', sessionId: `pss_${++challenges}`, hash: `hash${challenges}` },
  ...{ passkeyId: `psk_${n}`, counter, challenge: challenge(it) },
})

t.test('a passkey is stored with its key, and shown without it', async (t) => {
  const it = activePerson()
  it.say(addition(it, 1))
  t.same(it.view()['passkeys'], [{ id: 'psk_1', name: 'Key 1', createdAtMs: it.atMs }])
  it.say(use(it, 0))
  t.match(it.view()['passkeys'], [{ lastUsedAtMs: it.atMs }])
  t.match(it.answer({ type: 'secrets' }), { passkeys: [{ publicKey: 'key', counter: 0 }] })
  t.match(it.refusal(addition(it, 1)), { type: 'duplicate' })
  it.say({ type: 'remove_passkey', by: ben, passkeyId: 'psk_1' })
  t.same(it.view()['passkeys'], [])
  t.match(it.refusal(use(it, 0)), { type: 'unauthorized' })
  t.match(it.answer({ type: 'secrets' }), { password: '$scrypt$the-hash' }, 'a way in is left')
})

t.test('a challenge is answered once, and in time', async (t) => {
  const it = activePerson()
  it.say(addition(it, 1))
  const first = use(it, 0)
  it.say(first)
  t.match(it.refusal({ ...first, sessionId: 'pss_other' }), { details: { why: 'challenge_used' } })
  const late = use(it, 0)
  it.atMs += limits.challengeMs
  t.match(it.refusal(late), { details: { why: 'challenge_old' } })
  const stepUp = { ...use(it, 0), type: 'step_up', sessionId: first.sessionId }
  it.say(stepUp)
  t.match(it.view()['sessions'], [{ steppedUpAtMs: it.atMs }])
  t.match(it.refusal(stepUp), { details: { why: 'challenge_used' } })
})

t.test('a counter that does not increase means a copy; always 0 does not', async (t) => {
  const it = activePerson()
  it.say(addition(it, 1))
  for (const counter of [0, 0, 5]) it.say(use(it, counter))
  for (const counter of [0, 4, 5]) {
    t.match(it.refusal(use(it, counter)), { details: { why: 'passkey_counter' } })
  }
  it.say(use(it, 6))
})

t.test('passkeys and remembered challenges are bounded', async (t) => {
  const it = activePerson()
  for (let n = 1; n <= limits.passkeysPerPerson; n++) it.say(addition(it, n))
  t.match(it.refusal(addition(it, 99)), { type: 'conflict', details: { limit: 20 } })
  it.atMs += limits.challengeMs
  for (let n = 0; n < limits.challengesRemembered; n++) it.say(use(it, 0))
  t.match(it.refusal(use(it, 0)), { type: 'rate_limited' })
  it.atMs += limits.challengeMs
  it.say(use(it, 0))
})

t.test('a locked person signs in by a passkey, a removed one cannot', async (t) => {
  const it = activePerson()
  it.say(addition(it, 1))
  for (let n = 0; n < limits.failedSignInsPerPerson; n++) it.say({ type: 'sign_in_failed' })
  it.say(use(it, 0))
  it.say({ type: 'propose_removal', by: ann, reason })
  it.say({ type: 'remove', by: ben, reason })
  t.match(it.refusal(use(it, 0)), { type: 'unauthorized' })
  t.match(it.answer({ type: 'secrets' }), { passkeys: [] })
})

t.test('an attempt is valid for its purpose and holder, and in time', async (t) => {
  const sealer = openSealer({ SEAL_KEY: Buffer.alloc(32, 7).toString('base64'), DATA_DIR: '' })
  let nowMs = 1_000
  const clock = { now: () => nowMs }
  const [one, other] = [new PasskeyAttempts(sealer, clock), new PasskeyAttempts(sealer, clock)]
  const purpose = { of: 'sign_in', holder: 'cookie' } as const
  const { challenge, attempt } = one.begin(purpose)
  t.same(other.read(attempt, purpose), challenge, 'on any gateway')
  t.equal(other.read(attempt, { of: 'sign_in', holder: 'other' }), undefined)
  t.equal(other.read(attempt, { of: 'add', holder: 'cookie' }), undefined)
  for (const text of ['', 'v1.x.y', `${attempt}A`]) t.equal(one.read(text, purpose), undefined)
  nowMs += limits.challengeMs
  t.equal(one.read(attempt, purpose), undefined)
})

t.test('passkeys are made for a name: that of PUBLIC_URL on https, or localhost', async (t) => {
  const name = { id: 'a.example', origin: 'https://a.example' }
  t.same(relyingParty('https://a.example', true), name)
  t.same(relyingParty('https://a.example:8443/base', true), {
    ...{ id: 'a.example', origin: 'https://a.example:8443' },
  })
  const local = { id: 'localhost', origin: 'http://localhost:8080' }
  t.same(relyingParty('http://localhost:8080', false), local)
  for (const address of ['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://evil.example']) {
    t.equal(relyingParty(address, false), undefined, address)
  }
  for (const address of ['http://a.example', 'https://10.0.0.1', 'https://[2001:db8::1]']) {
    t.equal(relyingParty(address, true), undefined, address)
  }
})
