/**
 * Goal: a person's grants are found without looking at other people's, and equal the result of a
 * search through everything. Method: views as the watch delivers them, some of them late or
 * removed.
 */
import t from 'tap'
import { Authorizer } from '../../../../gateway/access/gate/authorize.ts'
import { AccessChain } from '../../../../gateway/access/gate/chain.ts'
import type { PersonCaller } from '../../../../gateway/routing/auth/access-caller.ts'
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import { accessIdOf, scopeTerms } from '../../../helpers/access/actors/story.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import type { ViewRecord } from '../../../../runtime/actor/views.ts'

const client = accessIdOf('client', 1)
const need = accessIdOf('need', 1)
const scope = accessIdOf('scope', 1)
const personOf = (n: number) => accessIdOf('person', n)

function grantOf(n: number, subject: string, more: Partial<GrantView> = {}): GrantView {
  const grant: Partial<GrantView> = {
    ...{ id: accessIdOf('grant', n), tenant: client, version: 1, status: 'active', path: 'portal' },
    ...{ subject: { kind: 'person', id: subject }, needId: need, scopeId: scope, cidrs: [] },
    ...{ permissions: [{ area: 'contacts', actions: ['read'] }], tokens: [] },
    ...{ startsAtMs: 0, endsAtMs: Date.now() + 3_600_000 },
    ...more,
  }
  return grant as GrantView
}

function chainOf() {
  let change: (key: string, record: ViewRecord | undefined) => void = () => undefined
  const chain = new AccessChain({
    entries: () => [],
    onChange: (listener) => {
      change = listener
      return () => undefined
    },
  })
  const put = (grant: GrantView) =>
    change(`grant.${grant.tenant}.${grant.id}`, { n: grant.version, view: grant })
  const drop = ({ tenant, id }: GrantView) => change(`grant.${tenant}.${id}`, undefined)
  const found = (id: string) => chain.list('grant').filter(({ subject }) => subject.id === id)
  return { chain, put, drop, found }
}

t.test('a lookup by subject equals a full search, oldest first', async (t) => {
  const { chain, put, drop, found } = chainOf()
  const grants = Array.from({ length: 60 }, (_, n) => grantOf(60 - n, personOf(n % 5)))
  for (const grant of grants) put(grant)
  put({ ...grants[7]!, version: 3, status: 'revoked' })
  put({ ...grants[7]!, version: 2, status: 'suspended' })
  drop(grants[12]!)
  for (let n = 0; n < 6; n++) t.same(chain.grantsFor(personOf(n)), found(personOf(n)), `${n}`)
  const ids = chain.grantsFor(personOf(2)).map(({ id }) => id)
  t.same(ids, [...ids].sort())
  t.notOk(ids.includes(grants[12]!.id), 'one that was taken away')
  const revoked = chain.grantsFor(personOf(2)).find(({ id }) => id === grants[7]!.id)
  t.equal(revoked?.status, 'revoked', 'the newest is known, whatever comes late')
})

t.test('a page looks only at the grants of the person who opens it', async (t) => {
  const { chain, put } = chainOf()
  chain.learn('client', { id: client, tenant: client, version: 1, status: 'active' } as never)
  chain.learn('need', { id: need, tenant: client, version: 1, status: 'open' } as never)
  const who = { id: personOf(1), version: 1, status: 'active', sessions: [], email: 'a@b.example' }
  chain.learn('person', who as never)
  const current = scopeTerms(Date.now() - 1_000)
  const inForce = { id: scope, tenant: client, version: 1, status: 'active', current }
  chain.learn('scope', inForce as never)
  const mine = grantOf(1, personOf(1))
  for (const grant of [mine, grantOf(2, personOf(2)), grantOf(3, personOf(1), { path: 'api' })]) {
    put(grant)
  }
  chain.list = () => {
    throw new Error('everything was looked at')
  }
  const person = { id: personOf(1), kind: 'member', roles: [], tenant: client }
  const caller = { kind: 'person', person, requestId: 'req_1', address: '192.0.2.1' }
  const held = new Authorizer(chain, systemClock).inPortal(caller as unknown as PersonCaller)
  t.same(
    held.map(({ grant }) => grant.id),
    [mine.id],
  )
})
