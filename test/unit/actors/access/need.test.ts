// Goal: a need gives no access after its end: a second person extends it, or it closes,
// automatically if necessary, and then ends the grants made on it. Method: its kind alone, no
// runtime.
import t from 'tap'
import { needKind } from '../../../../actors/access/need/kind.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import {
  ann,
  ben,
  dayMs,
  PlayedActor,
  reason,
  single,
  startMs,
} from '../../../helpers/access/actors/actor.ts'

const kind = needKind({ directory: { ask: () => Promise.reject(new Error('not asked here')) } })

const endMs = startMs + 10 * dayMs
const need = () =>
  new PlayedActor(kind, {
    id: 'nd_1',
    tenant: 'cli_1',
    by: ben,
    title: 'Fix the contact import',
    purpose: 'The import drops phone numbers.',
    category: 'support',
    reference: { kind: 'ticket', id: 'T-1' },
    ownerId: ann.id,
    expectedEndAtMs: endMs,
  })

t.test('a new need is open, in its first version', async (t) => {
  t.match(need().view(), {
    status: 'open',
    version: 1,
    tenant: 'cli_1',
    createdBy: ben.id,
    updatedBy: ben.id,
    expectedEndAtMs: endMs,
  })
})

t.test('each change has a version and an author, and without a change there is none', async (t) => {
  const it = need()
  it.say({ type: 'update', by: ann, ifVersion: 1, patch: { title: 'Fix the import' } })
  t.match(it.view(), { version: 2, updatedBy: ann.id, title: 'Fix the import' })
  it.say({ type: 'update', by: ben, ifVersion: 2, patch: { title: 'Fix the import' } })
  it.say({ type: 'cite', grantId: 'gr_1' })
  t.match(it.view(), { version: 2, updatedBy: ann.id })
})

t.test('a command that names another version is refused', async (t) => {
  const it = need()
  it.say({ type: 'update', by: ann, patch: { title: 'Fix the import' } })
  const close = { type: 'close', by: ann, ifVersion: 1, reason } as const
  t.match(it.refusal(close), { type: 'precondition_failed', details: { version: 2 } })
})

t.test('its owner cannot extend it; another person can', async (t) => {
  const it = need()
  const extend = { type: 'extend', expectedEndAtMs: endMs + dayMs, reason } as const
  t.match(it.refusal({ ...extend, by: ann }), { type: 'self_review' })
  it.say({ ...extend, by: ben })
  t.match(it.view(), { expectedEndAtMs: endMs + dayMs, extension: { by: ben, reason } })
  t.notOk(JSON.stringify(it.view()).includes('selfReviewed'))
})

t.test('a single operator extends their own need, and it is marked', async (t) => {
  const it = need()
  it.say({ type: 'extend', by: single, expectedEndAtMs: endMs + dayMs, reason })
  t.match(it.view(), { extension: { selfReviewed: true } })
})

t.test('it cannot be extended to a time that has passed', async (t) => {
  const refused = need().refusal({ type: 'extend', by: ben, expectedEndAtMs: startMs, reason })
  t.match(refused, { type: 'validation_failed', details: { pointers: ['/expected_end_at'] } })
})

t.test('once overdue it can still be cited, and can be extended', async (t) => {
  const it = need()
  it.say({ type: 'deadline.expected_end' })
  t.match(it.view(), { status: 'overdue', version: 2, updatedBy: 'clock' })
  it.say({ type: 'cite', grantId: 'gr_1' })
  it.say({ type: 'extend', by: ben, expectedEndAtMs: endMs + dayMs, reason })
  t.match(it.view(), { status: 'open', version: 3 })
})

t.test('an overdue need closes by itself, and ends its grants', async (t) => {
  const it = need()
  it.say({ type: 'deadline.expected_end' })
  const effects = it.say({ type: 'deadline.abandoned' })
  t.match(it.view(), { status: 'closed', closedAtMs: it.atMs, closedReason: /7 days/ })
  t.match(effects, [{ kind: 'tell_grants', retry: 'safe', params: { end: 'need_closed' } }])
})

t.test('a closed need accepts no citation and no other command', async (t) => {
  const it = need()
  const effects = it.say({ type: 'close', by: ann, reason })
  t.match(effects, [{ kind: 'tell_grants', params: { end: 'need_closed', by: ann } }])
  t.match(it.view(), { status: 'closed', closedReason: reason })
  t.equal('endedAtMs' in it.view(), false, 'governance is kept')
  t.match(it.refusal({ type: 'cite', grantId: 'gr_2' }), { type: 'conflict' })
  for (const type of ['update', 'extend', 'close']) {
    const refused = it.refusal({ type, by: ben, expectedEndAtMs: endMs, reason, patch: {} })
    t.match(refused, { type: 'invalid_transition', details: { status: 'closed', allowed: [] } })
  }
})

t.test('its number of citations is bounded, and ended ones make room', async (t) => {
  const it = need()
  const endsAtMs = it.atMs + dayMs
  for (let i = 0; i < accessLimits.grantsCited; i++) {
    it.say({ type: 'cite', grantId: `gr_${i}`, endsAtMs })
  }
  const more = { type: 'cite', grantId: 'gr_more' } as const
  t.match(it.refusal(more), { type: 'quota_exceeded' })
  it.say({ type: 'cite', grantId: 'gr_1', endsAtMs })
  it.atMs = endsAtMs
  it.say(more)
})
