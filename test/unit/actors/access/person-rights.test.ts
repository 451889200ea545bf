// Goal: roles that decide and resets can wait for a second person, who is neither the one who asked
// nor the person; and it stays known who let a person in. Method: the kind alone, no runtime.
import t from 'tap'
import { personKind } from '../../../../actors/access/person/kind.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import {
  ann,
  ben,
  PlayedActor,
  reason,
  staff,
  startMs,
} from '../../../helpers/access/actors/actor.ts'

const kind = personKind({ directory: { ask: () => Promise.reject(new Error('not asked here')) } })
const invitationHash = 'a'.repeat(64)
const resetHash = 'd'.repeat(64)
const password = '$scrypt$the-hash'
const cleo = staff('cleo', 'admin')
const host = systemAuthor('host')
const input = {
  ...{ id: ben.id, tenant: 'platform', by: ann, email: 'ben@example.com', name: 'Ben' },
  ...{ kind: 'staff', roles: ['reviewer', 'operator'], invitationHash },
}
const accept = { type: 'accept', invitationHash, password } as const
const confirm = (by: object) => ({ type: 'confirm', by }) as const

function active(more: object = {}): PlayedActor {
  const it = new PlayedActor(kind, { ...input, ...more })
  it.say(accept)
  return it
}

t.test('roles that decide wait, the others do not', async (t) => {
  const it = active({ waits: true })
  const awaiting = { roles: ['reviewer', 'operator'], by: ann, atMs: startMs }
  t.match(it.view(), { roles: ['operator'], awaiting })
  t.match(it.refusal(confirm(ann)), { type: 'self_review' })
  t.match(it.refusal(confirm(ben)), { type: 'self_review' })
  it.say(confirm(cleo))
  t.match(it.view(), { roles: ['reviewer', 'operator'], vouchers: [{ confirmedBy: cleo.id }] })
  t.notOk('awaiting' in it.view())
  t.match(it.refusal(confirm(cleo)), { type: 'conflict' }, 'nothing waits any more')
  const owner = active({ kind: 'member', roles: ['owner'], waits: true })
  t.match(owner.view(), { roles: ['member'], awaiting: { roles: ['owner'] } })
})

t.test('an invitation from before this, or by the service, lets in as ever', async (t) => {
  const alone = { by: ann.id, what: 'invitation', atMs: startMs, selfReviewed: true }
  t.match(active().view(), { roles: input.roles, vouchers: [alone] })
  t.notOk('vouchers' in active({ by: host }).view())
})

t.test('another invitation makes what was confirmed wait again', async (t) => {
  const it = new PlayedActor(kind, { ...input, waits: true })
  it.say(confirm(cleo))
  it.say({ type: 'reinvite', by: cleo, invitationHash, waits: true })
  t.match(it.view(), { roles: ['operator'], awaiting: { by: cleo } })
  t.match(it.refusal(confirm(cleo)), { type: 'self_review' })
  it.say(confirm(ann))
  t.match(it.view(), { roles: input.roles, vouchers: [{ by: ann.id }, { by: cleo.id }] })
})

t.test('roles that are given or taken wait as a whole, and can be given up', async (t) => {
  const it = active({ by: host })
  it.say({ type: 'set_roles', by: ann, roles: ['admin'], waits: true })
  t.match(it.view(), { roles: input.roles, awaiting: { roles: ['admin'] } })
  it.say({ type: 'set_roles', by: cleo, roles: input.roles })
  t.notOk('awaiting' in it.view(), 'as they were: nothing waits')
  it.say({ type: 'set_roles', by: ann, roles: ['operator'], waits: true })
  it.say(confirm(ben))
  t.match(it.view(), { roles: ['operator'] }, 'the person agrees that a role is taken')
  it.say({ type: 'set_roles', by: ann, roles: ['admin'], waits: true })
  t.match(it.refusal(confirm(ben)), { type: 'self_review' }, 'but not that one is given')
  it.say(confirm(cleo))
  t.match(it.view(), { vouchers: [{ by: ann.id, what: 'roles', confirmedBy: cleo.id }] })
})

t.test('a reset that waits cannot be used; one that was used is remembered', async (t) => {
  const it = active({ by: host })
  const use = { type: 'use_reset', resetHash, password: '$scrypt$new' } as const
  it.say({ type: 'reset', by: ann, resetHash, reason, waits: true })
  t.match(it.refusal(use), { type: 'unauthorized' })
  t.match(it.refusal(confirm(ann)), { type: 'self_review' })
  t.match(it.refusal(confirm(ben)), { type: 'self_review' })
  it.say(confirm(cleo))
  t.notOk('vouchers' in it.view(), 'not before it is used')
  it.say(use)
  t.match(it.view(), { vouchers: [{ by: ann.id, what: 'reset', confirmedBy: cleo.id }] })
  it.say({ type: 'set_roles', by: ann, roles: ['operator'], waits: true })
  t.match(it.refusal(confirm(ben)), { type: 'self_review' }, 'it may be someone else')
  it.say({ type: 'propose_removal', by: ann, reason })
  t.match(it.refusal({ type: 'remove', by: ben, reason }), { type: 'self_review' })
})

t.test('after the word of the operator of the host, the person is independent', async (t) => {
  const it = active({ waits: true })
  it.say({ type: 'reset', by: ann, resetHash, reason, waits: true })
  it.say(confirm(host))
  t.match(it.view(), { roles: input.roles })
  t.notOk('vouchers' in it.view())
  it.say({ type: 'use_reset', resetHash, password })
  t.notOk('vouchers' in it.view())
  t.match(it.refusal(confirm(host)), { type: 'conflict' })
  const reset = active()
  reset.say({ type: 'reset', by: host, resetHash, reason })
  reset.say({ type: 'use_reset', resetHash, password })
  t.notOk('vouchers' in reset.view(), 'the invitation opens nothing any more')
})
