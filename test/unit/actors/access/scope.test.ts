// Goal: a scope comes into force by two people who saw the same terms, narrower terms hold at once,
// and its end ends everything that depends on it. Method: its kind alone, no runtime.
import t from 'tap'
import { scopeKind } from '../../../../actors/access/scope/kind.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import type { ScopeTerms } from '../../../../proto/access/engagement/scope.ts'
import {
  ann,
  ben,
  dayMs,
  kindsOf,
  PlayedActor,
  reason,
  single,
  staff,
  startMs,
} from '../../../helpers/access/actors/actor.ts'

const kind = scopeKind({ directory: { ask: () => Promise.reject(new Error('not asked here')) } })
const cleo = staff('cleo', 'admin')

const terms: ScopeTerms = {
  name: 'CRM care',
  summary: 'Contacts and tasks',
  engagementRef: 'C-17',
  paths: ['api', 'portal'],
  areas: [
    { area: 'contacts', actions: ['read', 'write'] },
    { area: 'tasks', actions: ['read'], fields: ['title', 'status'] },
  ],
  effectiveFromMs: startMs,
  effectiveToMs: startMs + 100 * dayMs,
}
const wider: ScopeTerms = { ...terms, paths: ['api', 'portal', 'reports'] }

const draft = (more: Partial<ScopeTerms> = {}) =>
  new PlayedActor(kind, { id: 'scp_1', tenant: 'cli_1', by: ann, terms: { ...terms, ...more } })

const digestOf = (it: PlayedActor) => it.view()['digest']
const confirm = (it: PlayedActor, by = ben) => ({ type: 'confirm', by, digest: digestOf(it) })

function proposed(): PlayedActor {
  const it = draft()
  it.say({ type: 'submit', by: ann })
  return it
}

function active(): PlayedActor {
  const it = proposed()
  it.say(confirm(it))
  return it
}

t.test('it comes into force by the confirmation of another admin', async (t) => {
  const it = draft()
  t.match(it.view(), { status: 'draft', version: 1, current: null, proposal: terms, digest: null })
  it.say({ type: 'submit', by: ann })
  t.match(it.view(), { status: 'proposed', version: 2, digest: /^[0-9a-f]{64}$/ })
  t.match(it.refusal(confirm(it, ann)), { type: 'self_review' })
  const digest = digestOf(it)
  const effects = it.say(confirm(it))
  t.match(effects, [{ kind: 'tell_client', params: { verb: 'scope_confirmed' } }])
  t.match(it.view(), {
    status: 'active',
    version: 3,
    current: terms,
    proposal: null,
    digest: null,
    confirmations: [{ by: ben, digest }],
  })
})

t.test('neither its author nor its submitter can confirm it', async (t) => {
  const it = draft()
  it.say({ type: 'submit', by: ben })
  t.match(it.refusal(confirm(it, ann)), { type: 'self_review' })
  t.match(it.refusal(confirm(it, ben)), { type: 'self_review' })
  it.say(confirm(it, cleo))
  t.match(it.view(), { status: 'active' })
})

t.test('a single operator confirms their own scope, and it is marked', async (t) => {
  const it = proposed()
  it.say(confirm(it, single))
  t.match(it.view(), { status: 'active', confirmations: [{ selfReviewed: true }] })
})

t.test('a confirmation names exactly what was shown', async (t) => {
  const it = proposed()
  const shown = digestOf(it)
  t.match(it.refusal({ type: 'confirm', by: ben, digest: '0'.repeat(64) }), {
    type: 'precondition_failed',
    details: { version: 2 },
  })
  it.say({ type: 'return', by: ben, reason })
  t.match(it.view(), { status: 'draft', reason, digest: null })
  it.say({ type: 'revise', by: ann, terms: wider })
  it.say({ type: 'submit', by: ann })
  t.match(it.refusal({ type: 'confirm', by: ben, digest: shown }), { type: 'precondition_failed' })
  it.say({ type: 'return', by: ben, reason })
  it.say({ type: 'revise', by: ann, terms })
  it.say({ type: 'submit', by: ann })
  t.not(digestOf(it), shown, 'the same terms, proposed again, are another proposal')
})

t.test('two scopes with the same terms have two digests', async (t) => {
  const other = new PlayedActor(kind, { id: 'scp_2', tenant: 'cli_1', by: ann, terms })
  other.say({ type: 'submit', by: ann })
  t.not(digestOf(other), digestOf(proposed()))
})

t.test('terms that have expired cannot be confirmed', async (t) => {
  const it = proposed()
  it.atMs = terms.effectiveToMs
  t.match(it.refusal(confirm(it)), { type: 'conflict' })
})

const narrowings: readonly (readonly [string, Partial<ScopeTerms>])[] = [
  ['a path less', { paths: ['api'] }],
  ['an area less', { areas: [terms.areas[0]!] }],
  ['an action less', { areas: [{ area: 'contacts', actions: ['read'] }] }],
  ['a field less', { areas: [{ area: 'tasks', actions: ['read'], fields: ['title'] }] }],
  [
    'a condition more',
    {
      areas: [
        { area: 'contacts', actions: ['read'], where: [{ field: 'owner_id', equals: ['x'] }] },
      ],
    },
  ],
  ['an earlier end', { effectiveToMs: terms.effectiveToMs - dayMs }],
]
for (const [what, more] of narrowings) {
  t.test(`narrower terms hold at once: ${what}`, async (t) => {
    const it = active()
    it.say({ type: 'revise', by: ann, terms: { ...terms, ...more } })
    t.match(it.view(), { status: 'active', version: 4, proposal: null, digest: null })
    t.same(it.view()['current'], { ...terms, ...more })
  })
}

const widenings: readonly (readonly [string, Partial<ScopeTerms>])[] = [
  ['a path more', { paths: wider.paths }],
  ['an action more', { areas: [{ area: 'contacts', actions: ['read', 'write', 'delete'] }] }],
  ['another area', { areas: [{ area: 'opportunities', actions: ['read'] }] }],
  ['all fields', { areas: [{ area: 'tasks', actions: ['read'] }] }],
  ['a later end', { effectiveToMs: terms.effectiveToMs + 1 }],
  ['an earlier begin', { effectiveFromMs: terms.effectiveFromMs - 1 }],
  ['another name', { name: 'CRM' }],
]
for (const [what, more] of widenings) {
  t.test(`other terms wait for a second admin: ${what}`, async (t) => {
    const it = active()
    const next = { ...terms, ...more }
    it.say({ type: 'revise', by: ann, terms: next })
    t.same(it.view()['current'], terms, 'what is in force stays so')
    t.match(it.view(), { status: 'active', proposal: next, proposalNumber: 2 })
    t.match(it.refusal(confirm(it, ann)), { type: 'self_review' })
    t.same(kindsOf(it.say(confirm(it))), [], 'its client knows already')
    t.same(it.view()['current'], next)
  })
}

t.test('narrowing voids a waiting proposal, which would undo it', async (t) => {
  const it = active()
  it.say({ type: 'revise', by: ann, terms: wider })
  const waiting = confirm(it)
  it.say({ type: 'revise', by: ben, terms: { ...terms, paths: ['api'] } })
  t.match(it.refusal(waiting), { type: 'conflict' })
  t.match(it.view(), { proposal: null, current: { paths: ['api'] } })
})

t.test('a proposal is sent back, and submitted again', async (t) => {
  const it = active()
  t.match(it.refusal({ type: 'submit', by: ann }), { type: 'conflict' })
  it.say({ type: 'revise', by: ann, terms: wider })
  t.match(it.refusal({ type: 'submit', by: ann }), { type: 'conflict' })
  it.say({ type: 'return', by: ben, reason })
  t.match(it.view(), { status: 'active', proposal: wider, digest: null, reason })
  t.match(it.refusal({ type: 'confirm', by: ben, digest: null }), { type: 'conflict' })
  it.say({ type: 'submit', by: ann })
  it.say(confirm(it))
  t.same(it.view()['current'], wider)
})

t.test('terms that are already in force are not a change', async (t) => {
  const it = active()
  it.say({ type: 'revise', by: ben, terms: structuredClone(terms) })
  t.match(it.view(), { version: 3, proposal: null })
})

t.test('only one in force is cited; when retired it tells client and grants', async (t) => {
  t.match(proposed().refusal({ type: 'cite', grantId: 'gr_1' }), { type: 'conflict' })
  const it = active()
  it.say({ type: 'cite', grantId: 'gr_1' })
  const effects = it.say({ type: 'retire', by: ann, reason })
  t.match(effects, [
    { kind: 'tell_grants', retry: 'safe', params: { end: 'scope_retired', by: ann } },
    { kind: 'tell_client', retry: 'safe', params: { verb: 'scope_retired' } },
  ])
  t.match(it.view(), { status: 'retired', reason, current: terms })
  t.equal('endedAtMs' in it.view(), false, 'governance is kept')
  t.match(it.refusal({ type: 'cite', grantId: 'gr_2' }), { type: 'conflict' })
  t.match(it.refusal({ type: 'revise', by: ann, terms }), {
    type: 'invalid_transition',
    details: { status: 'retired', allowed: [] },
  })
})

t.test('it is retired when effective_to passes', async (t) => {
  const it = active()
  const effects = it.say({ type: 'deadline.effective_to' })
  t.same(kindsOf(effects), ['tell_grants', 'tell_client'])
  t.match(it.view(), { status: 'retired', updatedBy: 'clock' })
})

t.test('it is done once its client has confirmed', async (t) => {
  const it = proposed()
  t.ok(it.isSettled())
  it.say(confirm(it))
  t.notOk(it.isSettled())
  it.say({ type: 'client_told' })
  t.ok(it.isSettled())
  it.say({ type: 'retire', by: ann, reason })
  t.notOk(it.isSettled())
  it.say({ type: 'effect.failed', kind: 'tell_client', effectId: 'e', error: { type: 'internal' } })
  t.ok(it.isSettled())
})

t.test('it keeps the latest confirmations', async (t) => {
  const it = active()
  for (let i = 0; i < accessLimits.confirmationsKept; i++) {
    it.say({ type: 'revise', by: ann, terms: { ...terms, name: `CRM ${i}` } })
    it.say(confirm(it))
  }
  t.match(it.view(), { confirmations: { length: accessLimits.confirmationsKept } })
})
