// Goal: access to a client opens after two people have acted and a scope is contracted, and closing
// the client ends everything that depends on it. Method: its kind alone, no runtime.
import t from 'tap'
import { clientKind } from '../../../../actors/access/client/kind.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import {
  ann,
  ben,
  kindsOf,
  PlayedActor,
  reason,
  single,
} from '../../../helpers/access/actors/actor.ts'

const notHere = () => {
  throw new Error('not asked here')
}
const kind = clientKind({ directory: { ask: notHere }, views: { scan: notHere } })

const client = () =>
  new PlayedActor(kind, {
    id: 'cli_1',
    tenant: 'cli_1',
    by: ann,
    name: 'Acme',
    slug: 'acme',
    contact: { name: 'Carl', email: 'carl@acme.example' },
    timezone: 'UTC',
    locale: 'en',
  })

const confirmed = { type: 'scope_confirmed', scopeId: 'scp_1' } as const
const retired = { type: 'scope_retired', scopeId: 'scp_1' } as const
const cite = { type: 'cite', grantId: 'gr_1' } as const

function active(): PlayedActor {
  const it = client()
  it.say(confirmed)
  it.say({ type: 'activate', by: ben })
  return it
}

t.test('it is activated by another admin, once a scope is in force', async (t) => {
  const it = client()
  const activate = { type: 'activate', by: ben } as const
  t.match(it.refusal(activate), { type: 'conflict' })
  it.say(confirmed)
  t.match(it.view(), { version: 1 }, 'what a scope says is no version')
  t.match(it.refusal({ ...activate, by: ann }), { type: 'self_review' })
  it.say(activate)
  t.match(it.view(), { status: 'active', version: 2, activation: { by: ben } })
})

t.test('a single operator activates their own client, and it is marked', async (t) => {
  const it = client()
  it.say(confirmed)
  it.say({ type: 'activate', by: single })
  t.match(it.view(), { status: 'active', activation: { selfReviewed: true } })
})

t.test('an ended scope activates nothing, however late its confirmation comes', async (t) => {
  const it = client()
  it.say(retired)
  it.say(confirmed)
  t.match(it.refusal({ type: 'activate', by: ben }), { type: 'conflict' })
  it.say({ ...confirmed, scopeId: 'scp_2' })
  it.say({ type: 'activate', by: ben })
  t.match(it.view(), { status: 'active' })
})

t.test('it keeps a bounded number of scopes', async (t) => {
  const it = client()
  for (let i = 0; i < accessLimits.scopesKnownToClient; i++) {
    it.say({ type: 'scope_retired', scopeId: `scp_old${i}` })
  }
  it.say(confirmed)
  it.say({ type: 'activate', by: ben })
  t.match(it.view(), { status: 'active' })
})

t.test('a suspended client can be resumed, and takes no grant meanwhile', async (t) => {
  const it = active()
  it.say(cite)
  t.same(kindsOf(it.say({ type: 'suspend', by: ann, reason })), [], 'its grants outlast it')
  t.match(it.view(), { status: 'suspended', reason, updatedBy: ann.id })
  t.match(it.refusal({ ...cite, grantId: 'gr_2' }), { type: 'conflict' })
  it.say({ type: 'resume', by: ben, reason: 'they have paid by now' })
  t.match(it.view(), { status: 'active', reason: 'they have paid by now' })
  it.say({ ...cite, grantId: 'gr_2' })
})

t.test('it is closed after it was offboarded, and then ends its grants', async (t) => {
  const it = active()
  it.say(cite)
  t.match(it.refusal({ type: 'close', by: ann, reason }), {
    type: 'invalid_transition',
    details: { status: 'active', allowed: ['update', 'suspend', 'offboard'] },
  })
  it.say({ type: 'offboard', by: ann, reason })
  t.match(it.refusal(cite), { type: 'conflict' })
  t.match(it.refusal({ type: 'resume', by: ann, reason }), {
    details: { allowed: ['update', 'close'] },
  })
  const effects = it.say({ type: 'close', by: ben, reason })
  t.match(effects, [
    { kind: 'tell_grants', params: { end: 'client_closed', by: ben } },
    { kind: 'end_engagement', params: { by: ben } },
  ])
  t.match(it.view(), { status: 'closed' })
  t.equal('endedAtMs' in it.view(), false, 'governance is kept')
  t.match(it.refusal({ type: 'update', by: ann, patch: {} }), { details: { allowed: [] } })
})

t.test('each change of its details makes a version', async (t) => {
  const it = client()
  const contact = { name: 'Dora', email: 'dora@acme.example' }
  it.say({ type: 'update', by: ben, ifVersion: 1, patch: { contact } })
  t.match(it.view(), { version: 2, contact, name: 'Acme', slug: 'acme' })
  it.say({ type: 'update', by: ann, patch: { contact: { ...contact } } })
  t.match(it.view(), { version: 2, updatedBy: ben.id })
  const stale = { type: 'update', by: ann, ifVersion: 1, patch: { name: 'Acme Ltd' } } as const
  t.match(it.refusal(stale), { type: 'precondition_failed', details: { version: 2 } })
})
