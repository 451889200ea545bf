// Goal: a person signs in with their own credentials, with few sessions at once, and neither
// guessing nor removal leaves somebody signed in who should not be. Method: the kind alone, no
// runtime.
import t from 'tap'
import { personKind } from '../../../../actors/access/person/kind.ts'
import { systemAuthor, type Author } from '../../../../proto/access/author.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import {
  ann,
  ben,
  minuteMs,
  PlayedActor,
  reason,
  single,
  staff,
} from '../../../helpers/access/actors/actor.ts'

const kind = personKind({ directory: { ask: () => Promise.reject(new Error('not asked here')) } })

const invitationHash = 'a'.repeat(64)
const password = '$scrypt$the-hash'
const totp = 'sealed-totp'

const cleo = staff('cleo', 'reviewer')
const input = {
  id: ben.id,
  tenant: 'platform',
  by: ann,
  email: 'ben@example.com',
  name: 'Ben',
  kind: 'staff',
  roles: ['reviewer'],
  invitationHash,
}
const invited = () => new PlayedActor(kind, input)

function active(): PlayedActor {
  const it = invited()
  it.say({ type: 'accept', invitationHash, password })
  return it
}

const signIn = (n: number) => ({ type: 'sign_in', sessionId: `pss_${n}`, hash: `hash${n}` })
const sessionIds = (it: PlayedActor) =>
  (it.view()['sessions'] as readonly { readonly id: string }[]).map(({ id }) => id)

t.test('an invitation works once', async (t) => {
  const it = invited()
  const accept = { type: 'accept', invitationHash, password } as const
  t.match(it.view(), { status: 'invited', version: 1, invitation: { hash: invitationHash } })
  for (const wrong of ['b'.repeat(64), '', 'é'.repeat(32)]) {
    t.match(it.refusal({ ...accept, invitationHash: wrong }), { type: 'unauthorized' })
  }
  it.say(accept)
  t.match(it.view(), { status: 'active', version: 2, updatedBy: ben.id })
  t.notOk('invitation' in it.view())
  t.match(it.refusal(accept), { type: 'unauthorized' })
})

t.test('an invitation expires, and another one voids it', async (t) => {
  const it = invited()
  it.atMs += limits.invitationMs
  t.match(it.refusal({ type: 'accept', invitationHash, password }), { type: 'unauthorized' })
  const other = 'c'.repeat(64)
  it.say({ type: 'reinvite', by: ann, invitationHash: other })
  t.match(it.refusal({ type: 'accept', invitationHash, password }), { type: 'unauthorized' })
  it.say({ type: 'accept', invitationHash: other, password })
  t.match(it.view(), { status: 'active' })
  const again = it.refusal({ type: 'reinvite', by: ann, invitationHash })
  t.match(again, { type: 'invalid_transition', details: { status: 'active' } })
})

t.test('a sign-in is limited in time, and stepped up when it begins', async (t) => {
  const it = active()
  it.say(signIn(1))
  const { atMs } = it
  t.match(it.view(), {
    lastSignInAtMs: atMs,
    sessions: [
      {
        id: 'pss_1',
        hash: 'hash1',
        createdAtMs: atMs,
        steppedUpAtMs: atMs,
        expiresAtMs: atMs + limits.sessionMs,
      },
    ],
  })
  it.atMs += 30 * minuteMs
  it.say({ type: 'step_up', sessionId: 'pss_1' })
  t.match(it.view(), { sessions: [{ steppedUpAtMs: it.atMs, createdAtMs: atMs }] })
  t.match(it.refusal({ type: 'step_up', sessionId: 'pss_2' }), { type: 'unauthorized' })
  it.atMs = atMs + limits.sessionMs
  t.match(it.refusal({ type: 'step_up', sessionId: 'pss_1' }), { type: 'unauthorized' })
  it.say(signIn(2))
  t.same(sessionIds(it), ['pss_2'], 'the expired one is dropped')
})

t.test('the number of sign-ins is limited: the oldest is dropped', async (t) => {
  const it = active()
  for (let n = 0; n <= limits.sessionsPerPerson; n++) it.say(signIn(n))
  t.equal(sessionIds(it).length, limits.sessionsPerPerson)
  t.notOk(sessionIds(it).includes('pss_0'))
})

t.test('signing out ends one sign-in, or all', async (t) => {
  const it = active()
  for (const n of [1, 2, 3]) it.say(signIn(n))
  it.say({ type: 'sign_out', sessionId: 'pss_2' })
  t.same(sessionIds(it), ['pss_1', 'pss_3'])
  const { version } = it.view()
  it.say({ type: 'sign_out', sessionId: 'pss_2' })
  t.equal(it.view()['version'], version, 'an unknown one changes nothing')
  it.say({ type: 'sign_out' })
  t.same(sessionIds(it), [])
})

t.test('too many failures lock passwords from new networks, and end no sign-in', async (t) => {
  const it = active()
  const home = { net: '192.0.2.0/24' }
  it.say({ ...signIn(1), ...home })
  for (let n = 1; n < limits.failedSignInsPerPerson; n++) it.say({ type: 'sign_in_failed' })
  t.match(it.view(), { status: 'active' })
  it.say({ type: 'sign_in_failed' })
  const lockedUntilMs = it.atMs + limits.lockMs
  t.match(it.view(), { status: 'locked', lockedUntilMs, sessions: [{ id: 'pss_1' }] })
  const { version } = it.view()
  it.say({ type: 'sign_in_failed' })
  t.match(it.view(), { lockedUntilMs, version }, 'guessing on does not prolong it')
  t.match(it.refusal(signIn(2)), { type: 'unauthorized' })
  t.match(it.refusal({ ...signIn(2), net: '198.51.100.0/24' }), { type: 'unauthorized' })
  it.say({ type: 'step_up', sessionId: 'pss_1' })
  it.say({ ...signIn(2), ...home })
  t.match(it.view(), { status: 'locked', lockedUntilMs, sessions: [{}, { id: 'pss_2' }] })
  it.say({ type: 'deadline.unlock' })
  t.match(it.view(), { status: 'active' })
  t.notOk('lockedUntilMs' in it.view())
  it.say(signIn(2))
})

t.test('each further lock is longer, up to a limit, until there was none for a day', async (t) => {
  const it = active()
  const lock = () => {
    for (let n = 0; n < limits.failedSignInsPerPerson; n++) it.say({ type: 'sign_in_failed' })
    const lengthMs = Number(it.view()['lockedUntilMs']) - it.atMs
    it.say({ type: 'deadline.unlock' })
    return lengthMs
  }
  const { lockMs, lockMostMs, locksRememberedMs } = limits
  t.same([lock(), lock(), lock()], [lockMs, 2 * lockMs, 4 * lockMs])
  for (let n = 0; n < 5; n++) lock()
  t.equal(lock(), lockMostMs)
  it.atMs += locksRememberedMs
  t.equal(lock(), lockMs)
})

t.test('failures that are old, or before a successful sign-in, do not count', async (t) => {
  const it = active()
  const failMany = () => {
    for (let n = 1; n < limits.failedSignInsPerPerson; n++) it.say({ type: 'sign_in_failed' })
  }
  failMany()
  it.say(signIn(1))
  failMany()
  it.atMs += limits.failedSignInsWindowMs
  failMany()
  t.match(it.view(), { status: 'active' })
  it.say({ type: 'sign_in_failed' })
  t.match(it.view(), { status: 'locked' })
})

t.test('a new password ends all other sign-ins', async (t) => {
  const it = active()
  for (const n of [1, 2, 3]) it.say(signIn(n))
  it.say({ type: 'set_password', by: ben, password: '$scrypt$next', sessionId: 'pss_2' })
  t.same(sessionIds(it), ['pss_2'])
  it.say({ type: 'set_password', by: ann, password: '$scrypt$third' })
  t.same(sessionIds(it), [])
  t.match(it.answer({ type: 'secrets' }), { password: '$scrypt$third' })
})

t.test('secrets are given to the asking gateway only, and are in no view', async (t) => {
  const it = active()
  it.say({ type: 'set_totp', by: ben, totp })
  t.match(it.answer({ type: 'secrets' }), { password, totp, view: { hasTotp: true } })
  for (const shown of [it.view(), it.answer({ type: 'get' }), it.answer({ type: 'created' })]) {
    t.notMatch(JSON.stringify(shown), /scrypt|sealed-totp/)
  }
  it.say({ type: 'set_totp', by: ben, totp: null })
  t.match(it.view(), { hasTotp: false })
})

t.test('a used code, or one before it, is not accepted again', async (t) => {
  const it = active()
  it.say({ type: 'set_totp', by: ben, totp, codeStep: 7 })
  t.match(it.refusal({ ...signIn(1), codeStep: 7 }), { type: 'unauthorized' })
  it.say({ ...signIn(1), codeStep: 8 })
  const stepUp = { type: 'step_up', sessionId: 'pss_1' } as const
  t.match(it.refusal({ ...stepUp, codeStep: 6 }), { type: 'unauthorized' })
  it.say({ ...stepUp, codeStep: 9 })
  const setPassword = { type: 'set_password', by: ben, password: '$scrypt$next' } as const
  t.match(it.refusal({ ...setPassword, codeStep: 9 }), { type: 'unauthorized' })
  it.say({ ...setPassword, codeStep: 10 })
  t.match(it.refusal({ ...signIn(2), codeStep: 10 }), { type: 'unauthorized' })
  it.say(signIn(2))
})

t.test('people cannot give themselves roles, and staff have roles of staff', async (t) => {
  const it = active()
  const setRoles = { type: 'set_roles', roles: ['admin', 'reviewer'] } as const
  t.match(it.refusal({ ...setRoles, by: ben }), { type: 'self_review' })
  for (const roles of [['owner'], []]) {
    t.match(it.refusal({ type: 'set_roles', by: ann, roles }), { type: 'validation_failed' })
  }
  it.say({ ...setRoles, by: ann })
  t.match(it.view(), { roles: ['admin', 'reviewer'], version: 3 })
  it.say({ type: 'set_roles', by: ann, roles: ['reviewer', 'admin'] })
  t.match(it.view(), { version: 3 })
  it.say({ type: 'set_roles', by: { ...single, id: ben.id }, roles: ['admin'] })
  t.match(it.view(), { roles: ['admin'] })
})

t.test(
  'a removed person is signed out, has no secrets, and loses everything that they were given',
  async (t) => {
    const it = active()
    it.say(signIn(1))
    it.say({ type: 'cite', grantId: 'gr_1' })
    it.say({ type: 'propose_removal', by: cleo, reason })
    const effects = it.say({ type: 'remove', by: ann, reason })
    t.match(effects, [{ kind: 'tell_grants', params: { end: 'subject_removed', by: ann } }])
    t.match(it.view(), { status: 'removed', sessions: [], updatedBy: ann.id })
    t.notOk('removal' in it.view())
    t.equal('endedAtMs' in it.view(), false, 'governance is kept')
    const { view: _, ...secrets } = it.answer({ type: 'secrets' }) as { readonly view: object }
    t.same(secrets, { passkeys: [] })
    t.match(it.refusal(signIn(2)), { type: 'unauthorized' })
    t.match(it.refusal({ type: 'cite', grantId: 'gr_2' }), { type: 'conflict' })
    t.match(it.refusal({ type: 'remove', by: ann, reason }), { type: 'invalid_transition' })
  },
)

t.test('staff are removed by two people, or leave themselves', async (t) => {
  const it = active()
  it.say(signIn(1))
  const remove = { type: 'remove', by: ann, reason } as const
  const propose = { type: 'propose_removal', by: ann, reason } as const
  t.match(it.refusal(remove), { type: 'conflict' })
  t.same(it.say(propose), [], 'nothing ends yet')
  t.match(it.view(), { status: 'active', removal: { by: ann, reason, atMs: it.atMs } })
  t.same(sessionIds(it), ['pss_1'])
  t.match(it.refusal(remove), { type: 'self_review' }, 'the one who proposed it')
  t.match(it.refusal({ type: 'withdraw_removal', by: ben }), { type: 'self_review' })
  it.say({ type: 'withdraw_removal', by: cleo })
  t.notOk('removal' in it.view())
  t.match(it.refusal({ ...remove, by: cleo }), { type: 'conflict' }, 'it was withdrawn')
  const enders: readonly Author[] = [ben, single, systemAuthor('operator')]
  for (const by of enders) {
    const one = active()
    one.say({ ...remove, by })
    t.match(one.view(), { status: 'removed' }, by.id)
  }
  const member = new PlayedActor(kind, { ...input, kind: 'member', roles: ['owner'] })
  member.say({ type: 'accept', invitationHash, password })
  t.match(member.refusal(propose), { type: 'conflict' })
  member.say(remove)
  t.match(member.view(), { status: 'removed' })
})

t.test('a person removed before accepting their invitation cannot accept it', async (t) => {
  const it = invited()
  it.say({ type: 'remove', by: ann, reason })
  t.match(it.refusal({ type: 'accept', invitationHash, password }), { type: 'unauthorized' })
})

t.test(
  'a reset is made by another person, works once, and voids everything that was there before',
  async (t) => {
    const it = active()
    const resetHash = 'd'.repeat(64)
    const reset = { type: 'reset', by: ann, resetHash, reason } as const
    const use = { type: 'use_reset', resetHash, password: '$scrypt$new' } as const
    t.match(it.refusal({ ...reset, by: ben }), { type: 'self_review' })
    t.match(it.refusal(use), { type: 'unauthorized' })
    it.say({ type: 'set_totp', by: ben, totp })
    it.say(signIn(1))
    it.say({ ...reset, resetHash: 'e'.repeat(64) })
    it.say(reset)
    t.match(it.view(), { reset: { expiresAtMs: it.atMs + limits.resetMs } })
    t.same(sessionIds(it), ['pss_1'], 'nothing ends before it is used')
    t.match(it.refusal({ ...use, resetHash: 'e'.repeat(64) }), { type: 'unauthorized' })
    for (let n = 0; n < limits.failedSignInsPerPerson; n++) it.say({ type: 'sign_in_failed' })
    t.match(it.view(), { status: 'locked' })
    it.say(use)
    t.match(it.view(), { status: 'active', hasTotp: false, sessions: [], updatedBy: ben.id })
    t.notOk('reset' in it.view())
    t.match(it.answer({ type: 'secrets' }), { password: '$scrypt$new' })
    t.match(it.refusal(use), { type: 'unauthorized' })
  },
)

t.test('a reset ends after a day, with a new password, and with the person', async (t) => {
  const resetHash = 'd'.repeat(64)
  const reset = { type: 'reset', by: ann, resetHash, reason } as const
  const use = { type: 'use_reset', resetHash, password: '$scrypt$new' } as const
  const late = active()
  late.say(reset)
  late.atMs += limits.resetMs
  const found = active()
  found.say(reset)
  found.say({ type: 'set_password', by: ben, password: '$scrypt$next' })
  const gone = active()
  gone.say(reset)
  gone.say({ type: 'remove', by: ben, reason })
  for (const it of [late, found, gone]) t.match(it.refusal(use), { type: 'unauthorized' })
  t.match(invited().refusal(reset), { type: 'invalid_transition' }, 'they have an invitation')
})
