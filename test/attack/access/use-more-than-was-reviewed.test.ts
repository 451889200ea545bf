/**
 * A member has access that was reviewed for one use, and tries it for another. Method: a real
 * service, and grants for each path with the tokens that an earlier version created for them.
 */
import t from 'tap'
import type { AccessPath } from '../../../proto/access/engagement/scope.ts'
import type { GrantSubject } from '../../../proto/access/grants/grant.ts'
import { dataOf, errorOf } from '../../helpers/access/asking.ts'
import { grantTo, newsletter } from '../../helpers/access/clients.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { ask, a, insider, deciders } = await openWorld(t)
const owner = a.owner.token
const read = ['contacts', 'opportunities', 'reports'] as const
const permissions = read.map((area) => ({ area, actions: ['read'] }) as const)

async function grantFor(path: AccessPath, subject: GrantSubject = newsletter) {
  const granted = await grantTo(insider.directory, a, deciders, { permissions, subject, path })
  const at = `/v1/grants/${granted.id}`
  await until('the gateway knows its token', async () => {
    return (await ask('GET', `${at}/tokens`, { token: owner })).text.includes(granted.tokenId)
  })
  return { ...granted, at }
}

const mint = (at: string) => ask('POST', `${at}/tokens`, { token: owner, body: { name: 'mine' } })

for (const path of ['portal', 'reports', 'webhooks'] as const) {
  t.test(`a program uses a grant for the path ${path} with a token`, async (t) => {
    const { at, token, tokenId } = await grantFor(path)
    const says = { code: 403, type: 'forbidden', path, message: /request a grant for the path api/ }
    t.match(errorOf(await mint(at)), says)
    const rotate = ask('POST', `/v1/tokens/${tokenId}/rotate`, { token: owner, body: {} })
    t.match(errorOf(await rotate), says)
    for (const used of [...read.map((area) => `/v1/${area}`), '/v1/access', '/v1/areas']) {
      t.match(errorOf(await ask('GET', used, { token })), says, used)
    }
    const query = `subject=${tokenId}&area=contacts&action=read`
    const check = await ask('GET', `/v1/access/check?${query}`, { token: owner })
    t.match(dataOf(check), { allowed: false, because: /path/ }, 'and the check says the same')
    t.equal((await ask('DELETE', `/v1/tokens/${tokenId}`, { token })).status, 204)
  })
}

t.test('a program uses a grant for views on what the views are made from', async (t) => {
  const { token } = await grantFor('custom')
  t.match(dataOf(await ask('GET', '/v1/access', { token })), { path: 'custom', permissions: [] })
  for (const area of read) {
    const answer = await ask('GET', `/v1/${area}`, { token })
    t.match(errorOf(answer), { code: 403, type: 'insufficient_scope' }, area)
  }
})

t.test('a person reads reports with a grant for endpoints', async (t) => {
  const subject = { kind: 'person', id: a.member.id } as const
  const reports = () => ask('GET', '/v1/reports', { token: a.member.token })
  for (const path of ['webhooks', 'custom'] as const) {
    await grantFor(path, subject)
    t.match(errorOf(await reports()), { code: 403, type: 'insufficient_scope' }, path)
  }
  await grantFor('reports', subject)
  t.equal((await reports()).status, 200, 'with one for reports they do')
  const other = await ask('GET', '/v1/opportunities', { token: a.member.token })
  t.equal(other.status, 403, 'and nothing else')
})

t.test('with a grant for the path api, a program does all of this', async (t) => {
  const { at, token } = await grantFor('api')
  t.equal((await mint(at)).status, 201)
  for (const area of read) t.equal((await ask('GET', `/v1/${area}`, { token })).status, 200, area)
})
